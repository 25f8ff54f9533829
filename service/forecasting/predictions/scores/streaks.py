"""Streaks: runs of right answers of each voter, on questions that do not overlap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from service.documents import Document, DocumentHeader
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.counted import CONSENSUS, CountedQuestion, Engine
from service.forecasting.predictions.scores.evidence import ScoredMarkets, evidence_of
from service.forecasting.predictions.scores.luck import Luck, luck_of
from service.forecasting.predictions.scores.right_share import right_share, sides_right
from service.market.instants import iso


@dataclass(frozen=True)
class Streak:
    """The runs of right answers of one engine of a voter, in order of resolution.

    `current` is the run at the end and `best` the longest one. The `rank` in its book is by these two; equal ones share
    it, and a row without a resolved answer has none. `resolved` is the number of questions with the outcome yes or no,
    `n` the number of those on which the vote took a side, worth `n_eff` independent ones, and `correct` the number of
    the `n` on which that side was right. The accuracy and its 95% interval, clustered by week of resolution, are of
    these `n`. On the same questions, the side that such questions (same category and comparator) took more often before
    reaches `likelier_side_pct`, and NO every time `always_no_pct`. `luck` is null without a resolved answer.
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
class StreaksDocument(Document):
    """The document of GET /api/streaks: live streaks before backfilled ones, longest current streak first."""

    count: int
    streaks: tuple[Streak, ...]


class _Answer(NamedTuple):
    """One vote on the question in this row of the evidence, and whether it took a side."""

    row: int
    p: float
    is_sided: bool


def streaks_document(
    questions: Sequence[CountedQuestion], header: DocumentHeader, generator: np.random.Generator
) -> StreaksDocument:
    """The streaks of the nine voters and their pool; `generator` draws the simulated records."""
    scored = [question.market for question in questions]
    evidence = evidence_of(scored)
    rows = [
        _streak(engine, backfilled, answers, scored, evidence, generator)
        for (engine, backfilled), answers in _answers(questions).items()
    ]
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


def _answers(questions: Sequence[CountedQuestion]) -> dict[tuple[Engine, bool], list[_Answer]]:
    """The answers of each engine, live or backfilled; the live pool has an entry even without any."""
    answers: dict[tuple[Engine, bool], list[_Answer]] = defaultdict(list, {(CONSENSUS, False): []})
    for row, question in enumerate(questions):
        for side in question.sides:
            answer = _Answer(row, side.p, side.direction != "NEUTRAL")
            answers[side.engine, question.market.backfilled].append(answer)
    return {key: part for key, part in answers.items() if key == (CONSENSUS, False) or _sided(part)}


def _sided(answers: Iterable[_Answer]) -> list[_Answer]:
    return [answer for answer in answers if answer.is_sided]


def _streak(
    engine: Engine,
    backfilled: bool,
    answers: Sequence[_Answer],
    scored: Sequence[Prediction],
    evidence: ScoredMarkets,
    generator: np.random.Generator,
) -> Streak:
    rows = np.array([answer.row for answer in _sided(answers)], dtype=np.int64)
    p = np.array([answer.p for answer in _sided(answers)])
    seen = evidence.where(rows)
    right = sides_right(p, seen.happened) == 1
    (current, best), correct = runs(right.tolist()), int(right.sum())
    share = right_share(p, seen.rate, seen.happened, seen.weeks)
    last = scored[answers[-1].row].settlement if answers else None
    return Streak(
        rank=None,
        oracle=engine[0],
        engine=engine[1],
        backfilled=backfilled,
        current=current,
        best=best,
        resolved=len(answers),
        correct=correct,
        accuracy_pct=share.pct,
        accuracy_low_pct=share.low_pct,
        accuracy_high_pct=share.high_pct,
        likelier_side_pct=share.likelier_side_pct,
        always_no_pct=share.always_no_pct,
        n=share.n,
        n_eff=share.n_eff,
        luck=luck_of(p, best, correct, generator),
        last_resolved_at=iso(last.resolved_at) if last else None,
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
