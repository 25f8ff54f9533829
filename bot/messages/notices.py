"""Short replies: to button presses, to input that is not valid, and to an error of the bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.languages import english, translate
from bot.languages.punctuation import labelled
from bot.messages.formats import date, decimal, words
from bot.messages.markup import escaped, message

LABELS = {
    "answers": english("saved answers"),
    "challenges": english("challenges noted as yours"),
    "alerts": english("alert settings"),
    "waiting": english("alerts not sent yet"),
    "sent": english("records of sent alerts"),
    "questions": english("open questions"),
    "votes": english("own votes"),
    "forecasts": english("own forecasts"),
    "follows": english("followed things"),
}


def question_missing() -> str:
    """/ask without a question."""
    return translate(
        "Add a question, for example:\n<code>/ask Will bitcoin be above 120,000 USD on December 31?</code>"
    )


def unknown_asset(command: str, assets: Sequence[str]) -> str:
    """/top or /price with an unknown asset."""
    choices = "\n".join(f"<code>/{command} {escaped(asset, 60)}</code>" for asset in assets[:20])
    return f"{translate('Unknown asset. Send one of these:')}\n{choices}"


def settings() -> str:
    """/settings: above the themes of charts."""
    return translate("<b>Settings</b>\nThe colours of charts:")


def text_only() -> str:
    """A photo, a voice message or a sticker."""
    return translate("I can read only text. Send a question about a market, or /help.")


def private_only() -> str:
    """A command of the private chat, sent in a group."""
    commands = "/ask, /price, /forecast, /research, /challenge, /language, /settings, /help"
    return translate("In groups I answer {commands}. Open our private chat for the other commands.", commands=commands)


def cancelled() -> str:
    """A challenge that was not created."""
    return translate("Cancelled. Nothing was created. Send /challenge to start again.")


def nothing_deleted() -> str:
    """[Keep]"""
    return translate("Nothing was deleted.")


def voted(receipt: Mapping[str, Any]) -> str:
    """The pop-up after a vote, in plain text."""
    votes = receipt["user_votes"]
    vote = translate("You voted yes.") if receipt["vote"] == "yes" else translate("You voted no.")
    counts = translate("Votes so far: {yes} yes, {no} no. You can change yours.", yes=votes["yes"], no=votes["no"])
    return f"{vote} {counts}"


def choose_hour() -> str:
    """Above the hours of the day."""
    return translate("At which hour should the digest arrive?")


def choose_zone() -> str:
    """Above the time zones."""
    return translate("In which time zone? If yours is not listed, send its name:\n<code>/alerts Europe/Vienna</code>")


def choose_quiet_hours() -> str:
    """Above the choices of quiet hours."""
    return translate("In which hours should I be quiet? Alerts of these hours arrive when they end.")


def stopped() -> str:
    """/stop"""
    return translate("I send you no more alerts. /alerts switches them on again, /deleteme deletes your data.")


def unknown_zone(name: str) -> str:
    """/alerts with an unknown time zone."""
    return translate(
        "Unknown time zone “{name}”. Send one such as\n"
        "<code>/alerts Europe/Vienna</code>, or /alerts to choose from a list.",
        name=escaped(name, 100),
    )


def choose_language() -> str:
    """/language; above the languages."""
    return translate("In which language should I reply?")


def language_chosen() -> str:
    """A language was chosen, which is that of this text."""
    return translate("I reply in English now. You can ask in any of these languages.")


def admins_only() -> str:
    """A setting of a group, pressed by another member, as plain text."""
    return translate("Only an admin of this group can change this.")


def date_out_of_range(first: str, last: str) -> str:
    """A date that is too early or too late; a reason for bad_deadline."""
    return translate("The deadline must be between {first} and {last}.", first=date(first), last=date(last))


def question_too_long(length: int, limit: int) -> str:
    """A question longer than the service accepts."""
    return translate(
        "The question has {length} characters; the limit is {limit}. It was not counted. Send a shorter one.",
        length=length,
        limit=limit,
    )


def interrupted() -> str:
    """In place of a waiting message whose question was interrupted."""
    return translate("This question was interrupted. The message below has its result.")


def answer_delayed() -> str:
    """In place of an answer after the connection to the service was lost: whether it was counted is not certain."""
    return translate(
        "The connection to the voters was lost. Your question may have been counted. I keep it and send the answer as "
        "soon as it is there."
    )


def given_back(question: str) -> str:
    """A question that was interrupted long ago."""
    hint = translate("The bot could not deliver the answer to this question. Send it again.")
    return f"<i>{escaped(question, 1000)}</i>\n\n{hint}"


def too_fast() -> str:
    """Too many updates of one person in a minute."""
    return translate("You send more than I can answer. Wait a minute, then go on.")


def internal_error() -> str:
    """An error of the bot itself."""
    return translate("Something went wrong in the bot. The error was logged. Try again in a minute.")


def confirm_deletion() -> str:
    """Above [Delete] and [Keep]."""
    return translate(
        "This deletes all that this bot has of you: answers, drafts, votes, forecasts, alerts and settings. Public "
        "challenges stay, and the service keeps questions and votes under a code without your name."
    )


def deleted(counts: Mapping[str, int]) -> str:
    """The number of deleted rows of each kind."""
    lines = [
        labelled(translate(LABELS[kind]) if kind in LABELS else escaped(words(kind), 60), decimal(count, 0))
        for kind, count in counts.items()
        if count
    ]
    if not lines:
        return translate("This bot has no data of yours, so there is nothing to delete.")
    return message([translate("Deleted."), *lines], translate("Public challenges stay, without your name."))
