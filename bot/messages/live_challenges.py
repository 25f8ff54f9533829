"""A challenge as a group sees it: the same for everybody, with the votes as they come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import translate
from bot.messages.challenges import evidence, footer, pool, state
from bot.messages.markup import escaped, message, table

BAR, FULL = "█", 12  # columns of all votes


def live_challenge(document: Mapping[str, Any]) -> str:
    """The question, what the AI gives it, and how people voted; once it is resolved, the outcome."""
    is_open, votes = document["status"] == "open", document["user_votes"]
    sides = {"yes": translate("Yes"), "no": translate("No")}
    rows = [(label, _bar(votes[side], votes["total"]), votes[side]) for side, label in sides.items()]
    blocks = [
        translate("<b>Challenge {number}</b>", number=str(document["number"])) + f" · {state(document)}",
        f"<i>{escaped(document['question'], 800)}</i>",
        pool(document),
        table(rows, "<6", f"<{FULL}", ">6"),
        translate("Tap to vote. The group sees how many voted, not who.") if is_open else evidence(document),
    ]
    return message(blocks, footer(document))


def _bar(votes: int, total: int) -> str:
    return BAR * round(FULL * votes / total) if total else ""
