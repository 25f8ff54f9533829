"""Challenges: questions that callers open, each with the day by which it is decided.

Prices decide where they can. What is a market matter and no price is resolved by hand, by the operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta

from service.errors import FieldError, InvalidQuestion, InvalidRequest
from service.forecasting.predictions import PredictionMarket, Settlement
from service.forecasting.questions import Question, rule, understand, understand_event
from service.forecasting.questions.refusals import EXAMPLE, invalid
from service.forecasting.resolution import Outcome
from service.market.assets import ASSETS
from service.market.instants import HOUR, iso, utc

LAST_SECOND = time(23, 59, 59)
FARTHEST_D = 365
SOONEST_S = HOUR
# Where no amount is named an event may be mistaken for a move: "Will gold be added to the reserves?"
WITHOUT_AMOUNT = ("open", "up", "down", "relative")


def open_challenge(
    text: str, deadline: date, now: int, spots: Mapping[str, float], number: int, author: str
) -> PredictionMarket:
    """The challenge that a caller opens at the world second `now`, with `spots`, USD prices by asset.

    It ends with the last second of `deadline` (UTC), or at the instant of that day which the text names. Raises
    InvalidRequest on the field `deadline` when that is too near or too far, and on `question` when the text asks
    no one question that comes out yes or no by then.
    """
    until = _until(deadline, now)
    question = _understood(text, utc(now), spots, until)
    ends = int(question.deadline.timestamp())
    if ends - now < SOONEST_S:
        raise _no_deadline(now)
    by_hand = question.comparator == "open"
    return PredictionMarket(
        id=f"challenge-{number}",
        category="challenge",
        question=question,
        rule=_by_hand(question) if by_hand else rule(question, now),
        resolver="hand" if by_hand else "bars",
        created_at=now,
        closes_at=ends,
        deadline=ends,
        backfilled=False,
        author=author,
    )


def resolve_by_hand(market: PredictionMarket, outcome: Outcome, evidence: str, now: int) -> Settlement:
    """What became of a market at the world second `now` by the operator's word; `evidence` says where that is seen.

    Raises InvalidRequest for a market that somebody else resolves, and without evidence.
    """
    if market.resolver != "hand":
        raise InvalidRequest(
            f"{market.id} is resolved by {market.resolver}, not by hand; only the ledger is corrected."
        )
    if not evidence.strip():
        detail = "Say where the outcome can be seen."
        raise InvalidRequest(detail, [FieldError("evidence", detail)])
    return Settlement(outcome, now, evidence.strip(), "hand")


def _understood(text: str, now: datetime, spots: Mapping[str, float], until: datetime) -> Question:
    """The question that prices decide, else the event; what a price reading refuses for good reason stays refused."""
    try:
        question = understand(text, now, spots, until)
    except InvalidQuestion:
        event = understand_event(text, now, spots, until)
        if event is None:
            raise
        return event
    if question.comparator not in WITHOUT_AMOUNT:
        return question
    event = understand_event(text, now, spots, until)
    if event is None and question.comparator == "open":
        raise invalid(f"This does not come out yes or no. Say what should have happened by then: {EXAMPLE}")
    return event or question


def _until(deadline: date, now: int) -> datetime:
    earliest, latest = _allowed(now)
    if not earliest <= deadline <= latest:
        raise _no_deadline(now)
    return datetime.combine(deadline, LAST_SECOND, UTC)


def _no_deadline(now: int) -> InvalidRequest:
    earliest, latest = _allowed(now)
    detail = (
        f"The deadline must leave an hour and be at most {FARTHEST_D} days ahead: it is {iso(now)} in this world, "
        f"so a day from {earliest} to {latest}."
    )
    return InvalidRequest(detail, [FieldError("deadline", detail)])


def _allowed(now: int) -> tuple[date, date]:
    """The first and the last day that a deadline may be."""
    return utc(now + SOONEST_S).date(), utc(now).date() + timedelta(days=FARTHEST_D)


def _by_hand(question: Question) -> str:
    by, asset = f"{question.deadline:%Y-%m-%d %H:%M:%S} UTC", ASSETS[question.asset].name
    return (
        f"Resolved by hand by the operator: YES if it has happened by {by}, NO if not, void if nobody can tell. "
        f"The votes say where {asset} is heading and are not scored."
    )
