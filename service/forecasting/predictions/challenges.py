"""Challenges: questions that callers open, each with a deadline.

Prices decide the outcome if they can. The operator resolves by hand a question about markets that no price decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta

from service.errors import FieldError, InvalidQuestion, InvalidRequest
from service.forecasting.predictions import Prediction, Settlement
from service.forecasting.predictions.resolution import Outcome
from service.market.assets import ASSETS
from service.market.instants import HOUR, iso, utc
from service.questions import Question, rule, understand, understand_event
from service.questions.refusals import EXAMPLE, invalid
from service.questions.understanding import RecordOf, no_record

LAST_SECOND = time(23, 59, 59)
FARTHEST_D = 365
SOONEST_S = HOUR
# Comparators without an amount, where an event may be misread as a move: "Will gold be added to the reserves?"
WITHOUT_AMOUNT = ("open", "up", "down", "relative")


def open_challenge(
    text: str,
    deadline: date,
    now: int,
    spots: Mapping[str, float],
    number: int,
    author: str,
    record_of: RecordOf = no_record,
) -> Prediction:
    """The challenge that a caller opens at the world second `now`, with `spots`, USD prices by asset.

    It ends at the last second of `deadline` (UTC), or at the instant of that day that the text names. Raises
    InvalidRequest for the field `deadline` if it is too early or too late, and for `question` if the text is not a
    single question with the answer yes or no by then.
    """
    until = _until(deadline, now)
    question = _understood(text, utc(now), spots, until, record_of)
    ends = int(question.deadline.timestamp())
    if ends - now < SOONEST_S:
        raise _no_deadline(now)
    by_hand = question.comparator == "open"
    return Prediction(
        id=f"challenge-{number}",
        category="challenge",
        question=question,
        rule=_by_hand(question) if by_hand else rule(question, now),
        resolver="hand" if by_hand else "bars",
        created_at=now,
        closes_at=ends,
        deadline=ends,
        backfilled=False,
        number=number,
        author=author,
    )


def resolve_by_hand(market: Prediction, outcome: Outcome, evidence: str, now: int) -> Settlement:
    """The operator's settlement of a challenge at the world second `now`; `evidence` says where it can be checked.

    Raises InvalidRequest for a market that is not resolved by hand, and without evidence.
    """
    if market.resolver != "hand":
        raise InvalidRequest(f"{market.id} is resolved by {market.resolver}, not by hand.")
    if not evidence.strip():
        detail = "State where the outcome can be checked."
        raise InvalidRequest(detail, [FieldError("evidence", detail)])
    return Settlement(outcome, now, evidence.strip(), "hand")


def _understood(text: str, now: datetime, spots: Mapping[str, float], until: datetime, record_of: RecordOf) -> Question:
    """The question that prices decide, else the event; if the text is neither, raises the refusal of the former."""
    try:
        question = understand(text, now, spots, until, record_of)
    except InvalidQuestion:
        event = understand_event(text, now, spots, until)
        if event is None:
            raise
        return event
    if question.comparator not in WITHOUT_AMOUNT:
        return question
    event = understand_event(text, now, spots, until)
    if event is None and question.comparator == "open":
        raise invalid(f"This question has no yes or no answer. Name an event that should happen by then: {EXAMPLE}")
    return event or question


def _until(deadline: date, now: int) -> datetime:
    earliest, latest = _allowed(now)
    if not earliest <= deadline <= latest:
        raise _no_deadline(now)
    return datetime.combine(deadline, LAST_SECOND, UTC)


def _no_deadline(now: int) -> InvalidRequest:
    earliest, latest = _allowed(now)
    detail = (
        f"The deadline must be at least an hour and at most {FARTHEST_D} days ahead: it is {iso(now)} in this world, "
        f"so choose a day from {earliest} to {latest}."
    )
    return InvalidRequest(detail, [FieldError("deadline", detail)])


def _allowed(now: int) -> tuple[date, date]:
    """The first and the last allowed day of a deadline."""
    return utc(now + SOONEST_S).date(), utc(now).date() + timedelta(days=FARTHEST_D)


def _by_hand(question: Question) -> str:
    by, asset = f"{question.deadline:%Y-%m-%d %H:%M:%S} UTC", ASSETS[question.asset].name
    return (
        f"Resolved by hand by the operator: YES if it has happened by {by}, NO if not, void if that cannot be "
        f"determined. The votes are on the direction of {asset} and are not scored."
    )
