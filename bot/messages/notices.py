"""Short replies: to button presses, to input that is not valid, and to an error of the bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.languages import TEXTS, english, labelled, sentences, translate
from bot.messages.formats import Document, date, decimal, words
from bot.messages.markup import escaped, message

TEXT = TEXTS["notices"]
QUESTION_MISSING, DELAY, CONFIRM_DELETION = (TEXT[name] for name in ("question", "delay", "deletion"))
START, HELLO = TEXT["start"], TEXT["hello"]
SETTINGS = english("<b>Settings</b>\nThe colours of charts:")
TEXT_ONLY = english("I can read only text. Send a question about a market, or /help.")
CANCELLATION = english("Cancelled. Nothing was created. Send /challenge to start again.")
NO_DELETION = english("Nothing was deleted.")
CHOOSE_HOUR = english("At which hour should the digest arrive?")
CHOOSE_ZONE = english("In which time zone? If yours is not listed, send its name:\n<code>/alerts Europe/Vienna</code>")
CHOOSE_QUIET_HOURS = english("In which hours should I be quiet? Alerts of these hours arrive when they end.")
END_OF_ALERTS = english("I send you no more alerts. /alerts switches them on again, /deleteme deletes your data.")
CHOOSE_LANGUAGE = english("In which language should I reply?")
LANGUAGE_CHOSEN = english("I reply in English now. Questions are read in ten languages.")
ADMINS_ONLY = english("Only an admin of this group can change this.")
INTERRUPTION = english("This question was interrupted. The message below has its result.")
TOO_FAST = english("You send more than I can answer. Wait a minute, then go on.")
INTERNAL_ERROR = english("Something went wrong in the bot. The error was logged. Try again in a minute.")
WELCOME = english("You are welcome. Send me the next question whenever you like.")
UNKNOWN_COMMAND = english("I do not know this command. /help lists all commands.")
NO_ADVICE = english("I give no advice. I can say how likely something is, for example:")
NOT_ASKED = english("This has not been asked yet, so there are no votes:")
NO_ANSWER = english("There is no answer yet whose votes I could show. Ask a question first.")
EXPIRY = english("This answer has expired. Ask again.")
CHALLENGE_IN_PRIVATE = english("You can write a challenge only in our private chat. The button below opens it.")

# A line each; an empty line separates two sections.
HELP, PRIVACY = TEXTS["help"], TEXTS["privacy"]
LABELS = TEXTS["deleted"]


def unknown_asset(command: str, assets: Sequence[str]) -> str:
    """/top or /price with an unknown asset."""
    choices = "\n".join(f"<code>/{command} {escaped(asset, 60)}</code>" for asset in assets[:20])
    return f"{translate('Unknown asset. Send one of these:')}\n{choices}"


def private_only() -> str:
    """A command of the private chat, sent in a group."""
    commands = "/ask, /price, /forecast, /research, /challenge, /language, /settings, /help"
    return translate("In groups I answer {commands}. Open our private chat for the other commands.", commands=commands)


def voted(receipt: Document) -> str:
    """The pop-up after a vote, in plain text."""
    votes = receipt["user_votes"]
    vote = translate("You voted yes.") if receipt["vote"] == "yes" else translate("You voted no.")
    counts = translate("Votes so far: {yes} yes, {no} no. You can change yours.", yes=votes["yes"], no=votes["no"])
    return sentences(vote, counts)


def unknown_zone(name: str) -> str:
    """/alerts with an unknown time zone."""
    return translate(TEXT["zone"], name=escaped(name, 100))


def date_out_of_range(first: str, last: str) -> str:
    """A date that is too early or too late; a reason for bad_deadline."""
    return translate("The deadline must be between {first} and {last}.", first=date(first), last=date(last))


def question_too_long(length: int, limit: int) -> str:
    """A question longer than the service accepts."""
    return translate(TEXT["too_long"], length=length, limit=limit)


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
