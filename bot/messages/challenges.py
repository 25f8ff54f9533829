"""A challenge: its draft, its confirmation, and the message in a group that shows its votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import english, translate
from bot.messages.formats import date
from bot.messages.markup import escaped, message, table
from bot.messages.oracle import understood_as
from bot.messages.predictions import challenge_head, chances, evidence, market_footer, state
from bot.messages.texts import TEXTS

ASK_QUESTION = TEXTS["notices"]["how_to_challenge"]
PRICES_DECIDE = english("Prices decide it at the deadline.")
A_PERSON_DECIDES = english("A person decides it after the deadline.")
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
    values = {"number": str(challenge["number"]), "date": date(challenge["deadline"])}
    judge = PRICES_DECIDE if challenge["resolution"]["source"] == "bars" else A_PERSON_DECIDES
    blocks = [
        translate("<b>Challenge {number} is open until {date}.</b>", **values),
        f"<i>{escaped(challenge['question'], 1500)}</i>",
        understood_as(challenge),
        f"{translate(judge)} {translate('You will get a message with the outcome.')}",
        translate("The AIs vote within seconds. What is your vote?"),
    ]
    return message(blocks)


def live_challenge(document: Mapping[str, Any]) -> str:
    """The question, what the AI gives it, and how people voted; once it is resolved, the outcome."""
    is_open, votes = document["status"] == "open", document["user_votes"]
    sides = {"yes": translate("Yes"), "no": translate("No")}
    bars = {side: BAR * round(BAR_WIDTH * votes[side] / (votes["total"] or 1)) for side in sides}
    rows = [(label, bars[side], votes[side]) for side, label in sides.items()]
    blocks = [
        challenge_head(document["number"]) + f" · {state(document)}",
        f"<i>{escaped(document['question'], 800)}</i>",
        chances(document),
        table(rows, "<6", f"<{BAR_WIDTH}", ">6"),
        translate("Tap to vote. The group sees how many voted, not who.") if is_open else evidence(document),
    ]
    return message(blocks, market_footer(document))
