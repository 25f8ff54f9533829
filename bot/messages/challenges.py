"""A challenge: its conversation, its confirmation, and how it looks while open and when resolved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.messages.formats import chance, date, direction_arrow, instant, percent, plural, price, sentence, world
from bot.messages.markup import escaped, message, pages, table
from bot.messages.predictions import outside_odds, user_votes

CHALLENGES_A_PAGE = 5
RIGHT, WRONG, EVEN = "✓", "✗", "="
OUTCOMES = {"yes": "YES", "no": "NO", "void": "VOID"}


def ask_question() -> str:
    """The first step of the conversation."""
    return "What should the AIs answer? Send one yes/no question, or /cancel."


def ask_deadline(question: str) -> str:
    """The second step of the conversation."""
    return f"<i>{escaped(question, 3000)}</i>\n\nWhich deadline? Send a date as YYYY-MM-DD."


def bad_deadline(reason: str) -> str:
    """The reply to a deadline that is not valid."""
    return f"{sentence(reason, 1000)}\nSend another date as YYYY-MM-DD, or /cancel."


def confirm(question: str, deadline: str) -> str:
    """Above [Create] and [Cancel]."""
    draft = f"<i>{escaped(question, 3000)}</i>\nDeadline: {escaped(deadline, 60)}, end of the day in UTC."
    return f"{draft}\n\nCreate this challenge? Everybody can see it, without your name."


def created(challenge: Mapping[str, Any]) -> str:
    """The challenge is open; above [Yes] and [No]."""
    blocks = [
        f"<b>Challenge {challenge['number']} is open until {date(challenge['deadline'])}.</b>",
        f"<i>{escaped(challenge['question'], 1500)}</i>",
        _understood(challenge),
        f"{_judge(challenge)}. You will get a message with the outcome.",
        "The AIs vote within seconds. What is your vote?",
    ]
    return message(blocks)


def challenge(document: Mapping[str, Any], is_author: bool = False) -> str:
    """One challenge, open or resolved, with every vote."""
    author = " · yours" if is_author else ""
    odds = f" · {outside_odds(document['market_odds'])}" if document["market_odds"] else ""
    blocks = [
        f"<b>Challenge {document['number']}</b>{author} · {_state(document)}",
        f"<i>{escaped(document['question'], 800)}</i>",
        _understood(document),
        f"{_pool(document)} · {user_votes(document['user_votes'])}{odds}",
        _ai_votes(document),
        _price(document),
        f"Rule: {escaped(document['resolution']['rule'], 400)}"
        if document["status"] == "open"
        else _evidence(document),
    ]
    return message(blocks, _footer(document))


def challenges(document: Mapping[str, Any]) -> list[str]:
    """The open challenges in the API's order, CHALLENGES_A_PAGE to a page."""
    listed = [_brief(challenge) for challenge in document["challenges"]]
    if not listed:
        return ["No challenge is open. Send /challenge to write one."]
    head = f"<b>{plural(document['count'], 'open challenge')}</b>"
    return pages(listed, CHALLENGES_A_PAGE, head, f"Send /challenge to write one.\n<i>{world(document)}</i>")


def resolved(challenge: Mapping[str, Any]) -> str:
    """To the author of a resolved challenge: the outcome, the evidence, and which AIs were right."""
    outcome = challenge["resolution"]["outcome"]
    marks = [_mark(vote["p_yes"], outcome) for vote in challenge["ai_votes"].values()]
    votes = challenge["user_votes"]
    blocks = [
        f"<b>Your challenge {challenge['number']} is resolved: {OUTCOMES.get(outcome) or escaped(outcome, 60)}</b>",
        f"<i>{escaped(challenge['question'], 800)}</i>",
        _evidence(challenge),
        f"{marks.count(RIGHT)} of {len(marks)} AIs were right." if outcome in ("yes", "no") and marks else "",
        "It could not be decided, so no vote is scored." if outcome == "void" else "",
        _ai_votes(challenge),
        f"{percent(votes['yes_pct'], 0)} of {plural(votes['total'], 'user')} voted yes." if votes["total"] else "",
    ]
    return message(blocks, _footer(challenge))


def _state(challenge: Mapping[str, Any]) -> str:
    if challenge["status"] == "open":
        return f"open until {instant(challenge['closes_at'])}"
    outcome = challenge["resolution"]["outcome"]
    return f"resolved: {OUTCOMES.get(outcome) or escaped(outcome, 60)}" if outcome else "closed, not resolved yet"


def _brief(challenge: Mapping[str, Any]) -> str:
    return "\n".join(
        [
            f"\n<b>{challenge['number']}.</b> {escaped(challenge['question'], 420)}",
            f"{_pool(challenge)} · {user_votes(challenge['user_votes'])} · until {date(challenge['deadline'])}",
        ]
    )


def _understood(challenge: Mapping[str, Any]) -> str:
    return f"Understood as: {escaped(challenge['understood']['canonical'], 500)}"


def _judge(challenge: Mapping[str, Any]) -> str:
    return (
        "Prices decide it at the deadline"
        if challenge["resolved_by"] == "prices"
        else "A person decides it after the deadline"
    )


def _pool(challenge: Mapping[str, Any]) -> str:
    if challenge["votes_pending"]:
        return "the AIs are voting"
    pool = challenge["ai"]
    return f"{direction_arrow(pool['direction'])} AI {chance(pool['p_yes'])} yes" if pool else "no AI voted"


def _ai_votes(challenge: Mapping[str, Any]) -> str:
    """Each AI's probability of yes; once the challenge is resolved, with a mark for right or wrong."""
    votes = dict(challenge["ai_votes"]) | ({"apex": challenge["apex"]} if challenge["apex"] else {})
    outcome = challenge["resolution"]["outcome"]
    rows = [(_mark(vote["p_yes"], outcome), name, f"yes {chance(vote['p_yes'])}") for name, vote in votes.items()]
    return table(rows, "<1", "<12", ">9") if rows else ""


def _mark(p_yes: float | None, outcome: str | None) -> str:
    if outcome not in ("yes", "no") or p_yes is None:
        return ""
    if p_yes == 0.5:
        return EVEN
    return RIGHT if (p_yes > 0.5) == (outcome == "yes") else WRONG


def _price(challenge: Mapping[str, Any]) -> str:
    context = challenge["context"]
    return f"Price now: {price(context['price'])} USD." if context and challenge["status"] == "open" else ""


def _evidence(challenge: Mapping[str, Any]) -> str:
    evidence = challenge["resolution"]["evidence"]
    return f"Evidence: {sentence(evidence, 400)}" if evidence else ""


def _footer(challenge: Mapping[str, Any]) -> str:
    at = challenge["context"]["as_of"] if challenge["context"] else challenge["created_at"]
    market = f"{world(challenge)} · " if "world" in challenge else ""
    return f"<i>{market}as of {instant(at)}</i>\nNot investment advice."
