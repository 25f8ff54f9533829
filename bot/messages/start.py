"""The bot's fixed texts: start, help, privacy, and the replies to commands that do not apply."""

from __future__ import annotations

from bot.languages import english, translate

START = english(
    """I say how likely something is on the markets of crypto, gold and silver. \
Nothing here trades, and nothing is investment advice. \
Each reply says whether its market is SIMULATED.

Send me a question, for example:
<i>Will bitcoin be above 120,000 USD on December 31?</i>

Nine models answer it. Prices (“btc”) and alerts (“tell me when btc hits 60k”) are free. /help shows everything."""
)

# A line each; an empty line separates two sections.
HELP = (
    english("<b>Questions</b>"),
    english("Send a question about a market (in a group with my name in it, or as a reply to me), or"),
    english("/ask QUESTION – nine voters answer it"),
    english("/price – all prices; also /price btc"),
    english("/forecast – where prices will be; also /forecast btc"),
    english("/quota – your remaining questions today"),
    "",
    english("<b>Predictions</b>"),
    english("/markets – open markets; vote yes or no, forecast, follow"),
    english("/challenge – give the AIs a question with a deadline"),
    english("/challenges – open challenges"),
    english("/forecasters – people, the AI and the market compared; /name to be listed"),
    "",
    english("<b>Paper trading</b>"),
    english("/research – lanes, strategies, track record, news; one line each, or alone:"),
    "/lanes /top /hospital /accuracy /streaks /brain /fund /news",
    "",
    english("<b>You</b>"),
    english("/mine – your questions, votes and forecasts, and which came true"),
    english("/following – what you follow; also /follow btc 70000"),
    english("/alerts – choose which messages I send you"),
    english("/stop – no more alerts"),
    english("/settings – charts, language, time zone, quiet hours"),
    english("/language – choose my language"),
    english("/privacy – what data is stored"),
    english("/deleteme – delete your data"),
    "",
    english("Nothing here trades, and nothing is investment advice."),
)

PRIVACY = (
    english("<b>Stored data</b>"),
    english(
        "This bot stores your Telegram user ID, your language, drafts of challenges, the numbers of your challenges, "
        "your votes and forecasts, what you follow, a question until it is answered, your alerts with their hours and "
        "time zone, and for seven days the answers behind buttons."
    ),
    "",
    english(
        "The service does not know who you are. It gets a code, computed from your Telegram user ID with a secret of "
        "this bot. Under that code it counts your questions and votes. It stores questions and challenges with their "
        "votes, and everybody can see challenges."
    ),
    "",
    english("Telegram transports all messages under its own rules."),
    "",
    english("/deleteme deletes the data of this bot. Public challenges stay, without your name."),
)


def start() -> str:
    """The first message that a person reads."""
    return translate(START)


def help_text() -> str:
    """All commands, one line each."""
    return _lines(HELP)


def privacy() -> str:
    """Which data is stored where, and how to delete it."""
    return _lines(PRIVACY)


def welcome() -> str:
    """The reply to thanks."""
    return translate("You are welcome. Send me the next question whenever you like.")


def no_advice(question: str) -> str:
    """The reply to someone who asks what to buy or sell; above the button that asks the question."""
    return f"{translate('I give no advice. I can say how likely something is, for example:')}\n1. {question}"


def unknown_command() -> str:
    """A command that does not exist."""
    return translate("I do not know this command. /help lists all commands.")


def expired() -> str:
    """A button whose saved answer is gone, as plain text."""
    return translate("This answer has expired. Ask again.")


def challenge_in_private() -> str:
    """/challenge in a group; above the button that opens the private chat."""
    return translate("You can write a challenge only in our private chat. The button below opens it.")


def _lines(texts: tuple[str, ...]) -> str:
    return "\n".join(text and translate(text) for text in texts)
