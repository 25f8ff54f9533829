"""Streaks: runs of right answers of each voter, on questions that do not overlap.

Whether a question counts is decided when the votes are cast. So it does not depend on the outcome or the time of
resolution, and it never changes afterwards.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np

from service.documents import Document, DocumentHeader
from service.forecasting.predictions import Commitment, Prediction, Settlement, by_resolution
from service.forecasting.predictions.scores.luck import best_of_flippers
from service.forecasting.voters.panel import voters
from service.forecasting.voters.scoring import effective_count, published, wilson_interval
from service.forecasting.voters.votes import bull_probability, direction_of
from service.market.instants import DAY, HOUR, iso
from service.questions.question import Comparator

CONSENSUS = ("consensus", "pool")
NINE = frozenset(voter.name for voter in voters())
WINDOWS_S = (2 * DAY, 8 * DAY, 32 * DAY)  # the longest horizons of daily, weekly and monthly questions

Engine = tuple[str, str]  # the voter, and its engine
Key = tuple[bool, tuple[str, ...], str, int]


@dataclass(frozen=True)
class Streak:
    """The runs of right answers of one engine of a voter, in order of resolution.

    `current` is the run at the end and `best` the longest one. `resolved` is the number of questions with the outcome
    yes or no. `n` is the number of those on which the vote took a side, equivalent to `n_eff` independent ones, and
    `correct` the number on which that side was right. The interval is computed with `n_eff`.
    """

    rank: int
    oracle: str
    engine: str
    backfilled: bool
    current: int
    best: int
    resolved: int
    correct: int
    accuracy_pct: float | None
    accuracy_low_pct: float | None
    accuracy_high_pct: float | None
    n: int
    n_eff: float
    last_resolved_at: str | None


@dataclass(frozen=True)
class Luck:
    """The expected longest run of the best of `flippers` coin flippers on `questions` questions."""

    backfilled: bool
    flippers: int
    questions: int
    expected_best: float


@dataclass(frozen=True)
class StreaksDocument(Document):
    """The document of GET /api/streaks: live streaks before backfilled ones, longest current streak first."""

    count: int
    streaks: tuple[Streak, ...]
    luck: tuple[Luck, ...]


@dataclass(frozen=True)
class _Answer:
    """One vote on a question with the outcome yes or no; `right` is None if the vote took no side."""

    voted_at: int
    deadline: int
    resolved_at: int
    right: bool | None


def streaks_document(markets: Iterable[Prediction], header: DocumentHeader) -> StreaksDocument:
    """The streaks of the nine voters and their pool; unsettled `markets` are needed to detect overlaps."""
    counted = count_once(markets)
    rows = [_streak(engine, backfilled, answers) for (engine, backfilled), answers in _answers(counted).items()]
    rows.sort(key=lambda row: (row.backfilled, -row.current, -row.best, row.oracle, row.engine))
    return StreaksDocument(
        schema="streaks/1",
        **vars(header),
        count=len(rows),
        streaks=tuple(replace(row, rank=place) for place, row in enumerate(rows, 1)),
        luck=tuple(_luck(counted, backfilled) for backfilled in (False, True)),
    )


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


def _answers(counted: Iterable[Prediction]) -> dict[tuple[Engine, bool], list[_Answer]]:
    """The answers of each engine, live or backfilled; the live pool has an entry even without any."""
    answers: dict[tuple[Engine, bool], list[_Answer]] = defaultdict(list, {(CONSENSUS, False): []})
    for market in counted:
        commitment, settlement = market.commitment, market.settlement
        if commitment is None or settlement is None or settlement.outcome == "void":
            continue
        votes = [((vote.voter, vote.engine), vote.p) for vote in commitment.votes if vote.voter in NINE]
        for engine, p in (*votes, (CONSENSUS, commitment.p)):
            answers[engine, market.backfilled].append(_answer(market, commitment, settlement, p))
    return {key: part for key, part in answers.items() if key == (CONSENSUS, False) or _sided(part)}


def _answer(market: Prediction, commitment: Commitment, settlement: Settlement, p: float) -> _Answer:
    bull = bull_probability(market.question, p)
    right = None if direction_of(bull) == "NEUTRAL" else (p > 0.5) == (settlement.outcome == "yes")
    return _Answer(commitment.voted_at, market.deadline, settlement.resolved_at, right)


def _sided(answers: Iterable[_Answer]) -> list[_Answer]:
    return [answer for answer in answers if answer.right is not None]


def _streak(engine: Engine, backfilled: bool, answers: Sequence[_Answer]) -> Streak:
    sided = _sided(answers)
    right = [answer.right is True for answer in sided]
    current, best = runs(right)
    n, correct = len(sided), sum(right)
    horizon = np.mean([answer.deadline - answer.voted_at for answer in sided]) / HOUR if sided else 0.0
    n_eff = effective_count(np.array([answer.voted_at / HOUR for answer in sided]), float(horizon))
    share = correct / n if n else nan
    low, high = wilson_interval(share * n_eff, n_eff) if n else (nan, nan)
    return Streak(
        rank=0,
        oracle=engine[0],
        engine=engine[1],
        backfilled=backfilled,
        current=current,
        best=best,
        resolved=len(answers),
        correct=correct,
        accuracy_pct=published(100 * share, 4),
        accuracy_low_pct=published(100 * low, 4),
        accuracy_high_pct=published(100 * high, 4),
        n=n,
        n_eff=round(n_eff, 2),
        last_resolved_at=iso(answers[-1].resolved_at) if answers else None,
    )


def runs(right: Iterable[bool]) -> tuple[int, int]:
    """The run of right answers at the end, and the longest one.

    >>> runs([True, True, False, True])
    (1, 2)
    """
    current = best = 0
    for is_right in right:
        current = current + 1 if is_right else 0
        best = max(best, current)
    return current, best


def _luck(counted: Iterable[Prediction], backfilled: bool) -> Luck:
    questions = sum(market.backfilled == backfilled and market.outcome != "void" for market in counted)
    return Luck(backfilled, len(NINE), questions, round(best_of_flippers(len(NINE), questions), 2))
