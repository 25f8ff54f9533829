"""The bot's fixed texts: start, help, privacy, and the replies to commands that do not apply."""

from __future__ import annotations

START = """I send your questions to the oracle and show paper-trading results. \
Nothing here trades, and nothing is investment advice.

Send me a question about a market, for example:
<i>Will bitcoin be above 120,000 USD on December 31?</i>

Nine voters answer it, each with its reasoning. See /lanes and /top for paper trading, /help for all commands."""

HELP = """<b>Questions</b>
Send a question about a market, or
/ask QUESTION – nine voters answer it
/quota – your remaining questions today

<b>Predictions</b>
/markets – open markets; vote yes or no
/challenge – give the AIs a question with a deadline
/challenges – open challenges
/accuracy – the AI against the market
/streaks – correct predictions in a row

<b>Paper trading</b>
/lanes – the six lanes; also /lanes cex, /lanes dex
/lane NAME – one lane
/top – the best strategies; also /top gold
/strategy KEY – one strategy
/hospital – the health of all 54 strategies
/fund – the virtual 1,000 USD fund of apex
/brain – the apex forecast for Bitcoin's next day
/news – the sentiment of the news

<b>You</b>
/alerts – choose which messages I send you
/cancel – stop writing a challenge
/privacy – what data is stored
/deleteme – delete your data

Nothing here trades, and nothing is investment advice."""

PRIVACY = """<b>Stored data</b>
This bot stores your Telegram number, drafts of challenges, the numbers of your challenges, your alerts with their \
hour and time zone, and for seven days the answers behind buttons.

The service does not know who you are. It gets a code, computed from your Telegram number with a secret of this bot. \
Under that code it counts your questions and votes. It stores questions and challenges with their votes, and \
everybody can see challenges.

Telegram transports all messages under its own rules.

/deleteme deletes the data of this bot. Public challenges stay, without your name."""


def start() -> str:
    """The first message that a person reads."""
    return START


def help_text() -> str:
    """All commands, one line each."""
    return HELP


def privacy() -> str:
    """Which data is stored where, and how to delete it."""
    return PRIVACY


def unknown_command() -> str:
    """A command that does not exist."""
    return "I do not know this command. /help lists all commands."


def nothing_to_cancel() -> str:
    """/cancel when no challenge is being written."""
    return "There is nothing to cancel. Send a question, or /help."


def expired() -> str:
    """A button whose saved answer is gone, as plain text."""
    return "This answer has expired. Ask again."


def challenge_in_private() -> str:
    """/challenge in a group; above the button that opens the private chat."""
    return "You can write a challenge only in our private chat. The button below opens it."
