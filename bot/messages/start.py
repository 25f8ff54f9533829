"""What the bot says of itself."""

from __future__ import annotations

START = """I relay questions to the oracle and show paper-trading results. \
Nothing here trades, and nothing is investment advice.

Send me a question about a market, for example:
<i>Will bitcoin be above 120,000 USD on December 31?</i>

Nine voters answer it, each with a reason. /lanes and /top show the paper trading, /help lists the rest."""

HELP = """<b>Ask</b>
Send a question about a market, or
/ask QUESTION – nine voters answer
/quota – how many questions are left today

<b>Predictions</b>
/markets – open markets, with your yes or no
/challenge – put a question with a date to the AIs
/challenges – the ones that are open
/accuracy – the AI against the market
/streaks – who was right how often in a row

<b>Paper trading</b>
/lanes – the six lanes; /lanes cex, /lanes dex
/lane NAME – one of them
/top – the best strategies; /top gold
/strategy KEY – one of them
/hospital – the health of all 54
/fund – the virtual 1,000 USD of apex
/brain – what apex says of bitcoin's next day
/news – the mood of the headlines

<b>You</b>
/alerts – what I tell you by myself
/cancel – leave what was begun
/privacy – what is kept
/deleteme – delete it

Nothing here trades, and nothing is investment advice."""

PRIVACY = """<b>What is kept</b>
This bot keeps your Telegram number, drafts of challenges, the numbers of your challenges, your alerts with their hour \
and time zone, and for seven days the answers behind buttons.

The service never learns who you are: it gets a code made from your Telegram number with a secret of this bot. \
Under that code it counts your questions and votes; it keeps questions and challenges with their votes, and shows \
challenges to everybody.

Telegram carries all messages and has rules of its own.

/deleteme deletes what this bot keeps. Public challenges stay, without your name."""


def start() -> str:
    """The first thing a person reads."""
    return START


def help_text() -> str:
    """Every command in a line."""
    return HELP


def privacy() -> str:
    """What is kept where, and how to be rid of it."""
    return PRIVACY


def unknown_command() -> str:
    """To a command that is none of ours."""
    return "I do not know that command. /help lists those I know."


def nothing_open() -> str:
    """To /cancel when nothing was begun."""
    return "There is nothing to cancel. Send a question, or /help."


def expired() -> str:
    """To a button whose answer is no longer kept."""
    return "This answer has expired. Ask again."


def group_only_link() -> str:
    """In a group, where a challenge is not written: above the button that leads to the private chat."""
    return "A challenge is written in our private chat. The button below opens it."
