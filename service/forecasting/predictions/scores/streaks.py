"""Streaks: runs of right answers of each voter, on questions that do not overlap, and their history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from service.documents import RecordDocument, RecordHeader, World
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.columns import (
    CONSENSUS,
    MarketColumns,
    Mask,
    ScoredMarkets,
    answers_of,
    evidence_of,
)
from service.forecasting.voters.ballots import published_p
from service.forecasting.voters.track_record import Engine
from service.market.instants import iso
from service.questions.kinds import Comparator
from service.scores.dependence import SIDES
from service.scores.luck import Luck, RecordsByName, luckiest
from service.scores.proper import Instants
from service.scores.sides import right_share, sides_right


@dataclass(frozen=True)
class Streak:
    """The runs of right answers of one engine of a voter, in order of resolution.

    `current` is the run at the end and `best` the longest one. The `rank` in its book is by these two; equal ones share
    it, and a row without a resolved answer has none. `resolved` is the number of questions with the outcome yes or no,
    `n` the number of those on which the vote took a side, worth `n_eff` independent ones, and `correct` the number of
    the `n` on which that side was right. The accuracy and its 95% interval, clustered by week of resolution, are of
    these `n`. On the same questions, the side that such questions (same category and comparator) took more often before
    reaches `likelier_side_pct`, and NO every time `always_no_pct`. `luck` is null without a resolved answer. Interval
    and `luck` are corrected for a choice among the rows of the table.
    """

    rank: int | None
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
    likelier_side_pct: float | None
    always_no_pct: float | None
    n: int
    n_eff: float
    luck: Luck | None
    last_resolved_at: str | None


@dataclass(frozen=True)
class StreaksDocument(RecordDocument):
    """The document of GET /api/streaks: live streaks before backfilled ones, longest current streak first."""

    count: int
    streaks: tuple[Streak, ...]


def streaks_document(questions: MarketColumns, header: RecordHeader, records: RecordsByName) -> StreaksDocument:
    """The streaks of the nine voters and their pool; `records` has their simulated records."""
    evidence = evidence_of(questions)
    rows: list[Streak] = []
    for backfilled, (column, engine) in product((False, True), enumerate(questions.engines)):
        of_book = questions.is_backfilled == backfilled
        answers = np.flatnonzero(of_book & np.isfinite(questions.p[:, column]))
        is_live_pool = engine == CONSENSUS and not backfilled  # which has a row even without an answer
        if is_live_pool or (of_book & questions.is_sided[:, column]).any():
            rows.append(_streak(column, backfilled, answers, questions, evidence, records))
    rows.sort(key=lambda row: (row.backfilled, row.n == 0, -row.current, -row.best, row.oracle, row.engine))
    return StreaksDocument(
        schema="streaks/1",
        **vars(header),
        count=len(rows),
        streaks=tuple(replace(row, rank=_rank(row, rows)) for row in rows),
    )


def _rank(row: Streak, rows: Iterable[Streak]) -> int | None:
    """One more than the number of better rows in the same book; None without a resolved answer."""
    if not row.n:
        return None
    book = (other for other in rows if other.backfilled == row.backfilled)
    return 1 + sum((other.current, other.best) > (row.current, row.best) for other in book)


def _streak(
    column: int,
    backfilled: bool,
    answers: Instants,
    questions: MarketColumns,
    evidence: ScoredMarkets,
    records: RecordsByName,
) -> Streak:
    """The row of the engine in a column, from the places of the questions of its `answers`."""
    engine = questions.engines[column]
    rows = answers[questions.is_sided[answers, column]]
    p, evidence = questions.p[rows, column], evidence.where(rows)
    right = sides_right(p, evidence.outcomes)
    current, best = runs(right == 1)
    among = len(questions.engines)
    share = right_share(p, evidence.rate, evidence.outcomes, evidence.weeks, SIDES, luckiest(among))
    return Streak(
        rank=None,
        oracle=engine[0],
        engine=engine[1],
        backfilled=backfilled,
        current=current,
        best=best,
        resolved=len(answers),
        correct=int(right.sum()),
        accuracy_pct=share.pct,
        accuracy_low_pct=share.low_pct,
        accuracy_high_pct=share.high_pct,
        likelier_side_pct=share.likelier_side_pct,
        always_no_pct=share.always_no_pct,
        n=share.n,
        n_eff=share.n_eff,
        luck=records["streak", *engine, backfilled].luck(p, right, evidence.weeks, best, among),
        last_resolved_at=iso(int(questions.resolved_at[answers[-1]])) if len(answers) else None,
    )


def runs(right: Mask) -> tuple[int, int]:
    """The run of right answers at the end, and the longest one.

    >>> runs(np.array([True, True, False, True]))
    (1, 2)
    """
    after = run_after(np.ones(len(right), dtype=bool), right)
    return (int(after[-1]), int(after.max())) if len(after) else (0, 0)


def run_after(is_sided: Mask, right: Mask) -> Instants:
    """The run of right answers after each one, shape (n,); one without a side leaves it as it is.

    >>> run_after(np.array([True, False, True, True]), np.array([True, False, True, False])).tolist()
    [1, 1, 2, 0]
    """
    counts = np.cumsum(is_sided)
    return counts - np.maximum.accumulate(np.where(is_sided & ~right, counts, 0))


@dataclass(frozen=True)
class StreakAnswer:
    """A vote, and the `streak` of its voter with this engine after it; `right` is null where it took no side."""

    engine: str
    p_yes: float
    right: bool | None
    streak: int


@dataclass(frozen=True)
class StreakQuestion:
    """A question that counts: its outcome and the answers of the voters, and of their pool as `consensus`."""

    market: str
    asset: str
    template: Comparator
    backfilled: bool
    voted_at: str
    resolved_at: str
    outcome: Outcome
    answers: dict[str, StreakAnswer]


@dataclass(frozen=True)
class StreakHistoryDocument:
    """A page of questions, newest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    world: World
    count: int
    next: str | None
    questions: tuple[StreakQuestion, ...]


class StreakHistory:
    """The questions that count, each with the run of every voter after it."""

    def __init__(self, questions: MarketColumns) -> None:
        self._questions = questions
        self._right = (questions.p > 0.5) == (questions.outcome == 1)[:, None]
        self._runs = np.zeros(questions.p.shape, dtype=np.int64)  # shape (n, engines); live and backfilled ones apart
        for book, column in product((False, True), range(questions.p.shape[1])):
            rows = np.flatnonzero(questions.is_backfilled == book)
            self._runs[rows, column] = run_after(questions.is_sided[rows, column], self._right[rows, column])

    @property
    def times(self) -> list[int]:
        """When each question was resolved, the oldest first."""
        return self._questions.resolved_at.tolist()

    def question_at(self, place: int) -> dict[str, Any]:
        market: Prediction = self._questions.market[place]
        assert market.settlement is not None  # it is scored
        return asdict(
            StreakQuestion(
                market=market.id,
                asset=market.question.asset,
                template=market.question.comparator,
                backfilled=market.backfilled,
                voted_at=iso(market.voted_at),
                resolved_at=iso(market.settlement.resolved_at),
                outcome=market.settlement.outcome,
                answers={engine[0]: self._answer(place, engine, p) for engine, p in answers_of(market)},
            )
        )

    def _answer(self, place: int, engine: Engine, p: float) -> StreakAnswer:
        cell = place, self._questions.engines.index(engine)
        is_right = bool(self._right[cell]) if self._questions.is_sided[cell] else None
        return StreakAnswer(engine[1], published_p(p), is_right, int(self._runs[cell]))
