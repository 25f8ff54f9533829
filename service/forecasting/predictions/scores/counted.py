"""The questions that count in streaks: those that do not overlap, each with the sides of the nine and their pool.

Whether a question counts is decided when the votes are cast. So it does not depend on the outcome or the time of
resolution, and it never changes afterwards.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from service.forecasting.predictions import Prediction, by_resolution
from service.forecasting.voters.panel import voters
from service.forecasting.voters.votes import Direction, bull_probability, direction_of
from service.market.instants import DAY
from service.questions.question import Comparator

CONSENSUS = ("consensus", "pool")
NINE = frozenset(voter.name for voter in voters())
WINDOWS_S = (2 * DAY, 8 * DAY, 32 * DAY)  # the longest horizons of daily, weekly and monthly questions

Engine = tuple[str, str]  # the voter, and its engine
Key = tuple[bool, tuple[str, ...], str, int]


class Side(NamedTuple):
    """What one voter answered; `is_right` is None where it took no side."""

    engine: Engine
    p: float
    direction: Direction
    is_right: bool | None


@dataclass(frozen=True)
class CountedQuestion:
    """A question that counts and came out yes or no."""

    market: Prediction
    sides: tuple[Side, ...]


def counted_questions(markets: Iterable[Prediction]) -> list[CountedQuestion]:
    """The questions that count, in order of resolution; unsettled `markets` are needed to detect overlaps."""
    return [CountedQuestion(market, _sides(market)) for market in count_once(markets) if market.is_scored]


def _sides(market: Prediction) -> tuple[Side, ...]:
    """What the nine and their pool answered."""
    assert market.commitment is not None  # it counts
    votes = [((vote.voter, vote.engine), vote.p) for vote in market.votes if vote.voter in NINE]
    return tuple(_side(market, engine, p) for engine, p in (*votes, (CONSENSUS, market.commitment.p)))


def _side(market: Prediction, engine: Engine, p: float) -> Side:
    direction = direction_of(bull_probability(market.question, p))
    is_right = None if direction == "NEUTRAL" else (p > 0.5) == (market.outcome == "yes")
    return Side(engine, p, direction, is_right)


def count_once(markets: Iterable[Prediction]) -> list[Prediction]:
    """The settled questions that count, in order of resolution.

    Questions of the same book, asset, kind and window must not overlap: a question counts if no other counted one was
    unresolved when its votes were cast. If several are voted on at the same time, the earliest deadline counts. The
    kind is `direction`; `above`, `below` or `between` for an event with a level; `relative` for two assets in either
    order; else the comparator. The window is the class of the horizon: up to two, eight or 32 days, or longer. Without
    it, a question about next year would exclude every daily question until then.
    """
    voted = [market for market in markets if market.commitment and market.question.comparator != "open"]
    voted.sort(key=lambda market: (market.voted_at, market.deadline, market.id))
    busy_until: dict[Key, float] = {}
    counted = []
    for market in voted:
        key = _key(market)
        if market.voted_at < busy_until.get(key, market.voted_at):
            continue
        busy_until[key] = market.settlement.resolved_at if market.settlement else inf
        counted.append(market)
    return by_resolution(counted)


def _key(market: Prediction) -> Key:
    question, window = market.question, bisect_left(WINDOWS_S, market.deadline - market.voted_at)
    return market.backfilled, tuple(sorted(question.assets)), _kind(question.comparator), window


def _kind(comparator: Comparator) -> str:
    if comparator in ("up", "down"):
        return "direction"
    return comparator.removeprefix("close_").removeprefix("touch_")
