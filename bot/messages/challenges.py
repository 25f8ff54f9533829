"""A challenge: written, confirmed, open, resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.messages.figures import arrow, chance, day, instant, price, sentence, world
from bot.messages.predictions import users
from bot.messages.writing import message, pages, said, table

CHALLENGES_A_PAGE = 5
RIGHT, WRONG, EVEN = "✓", "✗", "="
OVER = {"yes": "YES", "no": "NO", "void": "VOID"}


def ask_question() -> str:
    """The first step."""
    return "What should the AIs answer? Send one yes/no question, or /cancel."


def ask_deadline(question: str) -> str:
    """The second step."""
    return f"<i>{said(question, 3000)}</i>\n\nWhich deadline? Send a date as YYYY-MM-DD."


def bad_deadline(reason: str) -> str:
    """To a date that will not do."""
    return f"{sentence(reason, 1000)}\nSend another date as YYYY-MM-DD, or /cancel."


def confirm(question: str, deadline: str) -> str:
    """Above [Create] [Cancel]."""
    asked = f"<i>{said(question, 3000)}</i>\nDeadline: {said(deadline, 60)}, end of the day in UTC."
    return f"{asked}\n\nCreate this challenge? Everybody will see it, without your name."


def created(told: Mapping[str, Any]) -> str:
    """It is open; above [Yes] [No]."""
    opened = f"Challenge {told['number']} is open until {day(told['deadline'])}."
    blocks = [
        f"<b>{opened}</b>",
        f"<i>{said(told['question'], 1500)}</i>",
        _read_as(told),
        f"{_judge(told)}; I tell you then.",
        "The AIs vote within seconds. What do you say?",
    ]
    return message(blocks)


def challenge(told: Mapping[str, Any], mine: bool = False) -> str:
    """One challenge, open or over, with every vote."""
    blocks = [
        f"<b>Challenge {told['number']}</b>{' · yours' if mine else ''} · {_state(told)}",
        f"<i>{said(told['question'], 800)}</i>",
        _read_as(told),
        f"{_pool(told)} · {users(told['user_votes'])}{_outside(told)}",
        _votes_cast(told),
        _price(told),
        f"Rule: {said(told['resolution']['rule'], 400)}" if told["status"] == "open" else _evidence(told),
    ]
    return message(blocks, _seen(told))


def challenges(told: Mapping[str, Any]) -> list[str]:
    """The open challenges, CHALLENGES_A_PAGE to a page in the order given."""
    listed = [_brief(one) for one in told["challenges"]]
    if not listed:
        return ["No challenge is open. /challenge writes the first."]
    head = f"<b>{told['count']} open challenge{'' if told['count'] == 1 else 's'}</b>"
    return pages(listed, CHALLENGES_A_PAGE, head, f"/challenge writes one.\n<i>{world(told)}</i>")


def resolved(told: Mapping[str, Any]) -> str:
    """To its author when it is over: what became of it, and how each AI did."""
    outcome = told["resolution"]["outcome"]
    sides = [_stands(vote["p_yes"], outcome) for vote in told["ai_votes"].values()]
    right = f"{sides.count(RIGHT)} of {len(sides)} AIs were on the right side."
    blocks = [
        f"<b>Your challenge {told['number']} is over: {OVER.get(outcome) or said(outcome, 60)}</b>",
        f"<i>{said(told['question'], 800)}</i>",
        _evidence(told),
        right if outcome in ("yes", "no") and sides else "",
        "It could not be decided, so it counts for nobody." if outcome == "void" else "",
        _votes_cast(told),
        f"{users(told['user_votes']).capitalize()} said yes." if told["user_votes"]["total"] else "",
    ]
    return message(blocks, _seen(told))


def _state(told: Mapping[str, Any]) -> str:
    if told["status"] == "open":
        return f"open until {instant(told['closes_at'])}"
    outcome = told["resolution"]["outcome"]
    return f"over: {OVER.get(outcome) or said(outcome, 60)}" if outcome else "closed, outcome not known yet"


def _brief(one: Mapping[str, Any]) -> str:
    return "\n".join(
        [
            f"\n<b>{one['number']}.</b> {said(one['question'], 420)}",
            f"{_pool(one)} · {users(one['user_votes'])} · until {day(one['deadline'])}",
        ]
    )


def _read_as(told: Mapping[str, Any]) -> str:
    return f"Read as: {said(told['understood']['canonical'], 500)}"


def _judge(told: Mapping[str, Any]) -> str:
    return "Prices decide it" if told["resolved_by"] == "prices" else "A person decides it after the deadline"


def _pool(told: Mapping[str, Any]) -> str:
    if told["votes_pending"]:
        return "the AIs are voting"
    return f"{arrow(told['ai']['direction'])} AI {chance(told['ai']['p_yes'])} yes" if told["ai"] else "no AI voted"


def _outside(told: Mapping[str, Any]) -> str:
    odds = told["market_odds"]
    return f" · market {chance(odds['p_yes'])}{' (SIMULATED)' if odds['simulated'] else ''}" if odds else ""


def _votes_cast(told: Mapping[str, Any]) -> str:
    """Each AI's probability of yes; of a challenge that is over, whether that was the right side."""
    cast = dict(told["ai_votes"]) | ({"apex": told["apex"]} if told["apex"] else {})
    outcome = told["resolution"]["outcome"]
    rows = [(_stands(vote["p_yes"], outcome), name, f"yes {chance(vote['p_yes'])}") for name, vote in cast.items()]
    return table(rows, "<1", "<12", ">9") if rows else ""


def _stands(p_yes: float | None, outcome: str | None) -> str:
    if outcome not in ("yes", "no") or p_yes is None:
        return ""
    if p_yes == 0.5:
        return EVEN
    return RIGHT if (p_yes > 0.5) == (outcome == "yes") else WRONG


def _price(told: Mapping[str, Any]) -> str:
    return f"Price now {price(told['context']['price'])} USD." if told["context"] and told["status"] == "open" else ""


def _evidence(told: Mapping[str, Any]) -> str:
    evidence = told["resolution"]["evidence"]
    return f"Evidence: {sentence(evidence, 400)}" if evidence else ""


def _seen(told: Mapping[str, Any]) -> str:
    at = told["context"]["as_of"] if told["context"] else told["created_at"]
    market = f"{world(told)} · " if "world" in told else ""
    return f"<i>{market}as of {instant(at)}</i>\nNot investment advice."
