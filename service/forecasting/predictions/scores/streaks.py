"""Streaks: runs of right answers of each voter, on questions that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from service.documents import RecordDocument, RecordHeader
from service.forecasting.predictions.scores.columns import CONSENSUS, MarketColumns, Mask, evidence_of
from service.market.instants import iso
from service.scores.intervals import SIDES, right_share, sides_right
from service.scores.luck import Luck, luck_of, luckiest


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
    voter: str
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


def streaks_document(questions: MarketColumns, header: RecordHeader) -> StreaksDocument:
    """The streaks of the nine voters and their pool."""
    evidence, among = evidence_of(questions), len(questions.engines)
    rows: list[Streak] = []
    for backfilled, (column, engine) in product((False, True), enumerate(questions.engines)):
        of_book, is_sided = questions.is_backfilled == backfilled, questions.is_sided[:, column]
        is_live_pool = engine == CONSENSUS and not backfilled  # which has a row even without an answer
        if not is_live_pool and not (of_book & is_sided).any():
            continue
        answers = np.flatnonzero(of_book & np.isfinite(questions.p[:, column]))
        places = answers[is_sided[answers]]
        p, basis = questions.p[places, column], evidence.where(places)
        right = sides_right(p, basis.outcomes)
        current, best = runs(right == 1)
        share = right_share(p, basis.rate, basis.outcomes, basis.weeks, SIDES, luckiest(among))
        streak = Streak(
            rank=None,
            voter=engine[0],
            engine=engine[1],
            backfilled=backfilled,
            current=current,
            best=best,
            resolved=len(answers),
            correct=int(right.sum()),
            **vars(share),
            luck=luck_of(p, right, basis.weeks, best, among),
            last_resolved_at=iso(int(questions.resolved_at[answers[-1]])) if len(answers) else None,
        )
        rows.append(streak)
    rows.sort(key=lambda row: (row.backfilled, row.n == 0, -row.current, -row.best, row.voter, row.engine))
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


def runs(right: Mask) -> tuple[int, int]:
    """The run of right answers at the end, and the longest one."""
    counts = np.arange(1, len(right) + 1)
    after = counts - np.maximum.accumulate(np.where(right, 0, counts))
    return (int(after[-1]), int(after.max())) if len(after) else (0, 0)
