"""A challenge: its draft, its confirmation, and the message in a group that shows its votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import english, labelled, translate
from bot.messages.formats import chance, date
from bot.messages.markup import escaped, message, table
from bot.messages.oracle import understood_as
from bot.messages.predictions import challenge_head, evidence, market_footer, state

ASK_QUESTION = english(
    "Send one yes/no question with its date, for example:\n"
    "<code>/challenge Will ethereum be above 5,000 USD on 31 December?</code>"
)
BAR, BAR_WIDTH = "█", 12  # columns of all votes


def ask_deadline(question: str) -> str:
    """A question without a date; above buttons with dates."""
    hint = translate("Until when? Choose a date, or send /challenge again with a date in the question.")
    return f"<i>{escaped(question, 3000)}</i>\n\n{hint}"


def confirm(question: str, deadline: str) -> str:
    """Above [Create] and [Cancel]."""
    until = translate("Deadline: {date}, end of the day in UTC.", date=date(deadline))
    hint = translate("Create this challenge? Everybody can see it, without your name.")
    return f"<i>{escaped(question, 3000)}</i>\n{until}\n\n{hint}"


def created(challenge: Mapping[str, Any]) -> str:
    """The challenge is open; above [Yes] and [No]."""
    blocks = [
        translate(
            "<b>Challenge {number} is open until {date}.</b>",
            number=str(challenge["number"]),
            date=date(challenge["deadline"]),
        ),
        f"<i>{escaped(challenge['question'], 1500)}</i>",
        understood_as(challenge),
        f"{_judge(challenge)} {translate('You will get a message with the outcome.')}",
        translate("The AIs vote within seconds. What is your vote?"),
    ]
    return message(blocks)


def _judge(challenge: Mapping[str, Any]) -> str:
    if challenge["resolution"]["source"] == "bars":
        return translate("Prices decide it at the deadline.")
    return translate("A person decides it after the deadline.")


def pool(challenge: Mapping[str, Any]) -> str:
    if challenge["votes_pending"]:
        return translate("the AIs are voting")
    pool = challenge["ai"]
    if not pool:
        return translate("no AI voted")
    return ai_yes(pool["p_yes"])


def ai_yes(p_yes: float) -> str:
    """The pool's probability of yes, such as "AI: yes 62%"."""
    return labelled(translate("AI"), translate("yes {chance}", chance=chance(p_yes)))


def live_challenge(document: Mapping[str, Any]) -> str:
    """The question, what the AI gives it, and how people voted; once it is resolved, the outcome."""
    is_open, votes = document["status"] == "open", document["user_votes"]
    sides = {"yes": translate("Yes"), "no": translate("No")}
    bars = {side: BAR * round(BAR_WIDTH * votes[side] / (votes["total"] or 1)) for side in sides}
    rows = [(label, bars[side], votes[side]) for side, label in sides.items()]
    blocks = [
        challenge_head(document["number"]) + f" · {state(document)}",
        f"<i>{escaped(document['question'], 800)}</i>",
        pool(document),
        table(rows, "<6", f"<{BAR_WIDTH}", ">6"),
        translate("Tap to vote. The group sees how many voted, not who.") if is_open else evidence(document),
    ]
    return message(blocks, market_footer(document))
