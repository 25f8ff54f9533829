"""The history of the streaks: every question that counts, in order of resolution, with each voter's run after it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from service.documents import World
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.columns import MarketColumns, Mask, answers_of
from service.forecasting.predictions.scores.streaks import run_after
from service.forecasting.voters.ballots import published_p
from service.forecasting.voters.track_record import Engine
from service.market.instants import iso
from service.questions.question import Comparator
from service.scores.proper import Instants


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
        self._right = (questions.p > 0.5) == (questions.happened == 1)[:, None]
        self._runs = _runs(questions, self._right)

    @property
    def times(self) -> list[int]:
        """When each question was resolved, the oldest first."""
        return self._questions.resolved_at.tolist()

    def question_at(self, place: int) -> dict[str, Any]:
        """A question as it is published."""
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


def _runs(questions: MarketColumns, right: Mask) -> Instants:
    """The run of every engine after each question, shape (n, engines); live and backfilled ones are apart."""
    runs = np.zeros(right.shape, dtype=np.int64)
    for backfilled in (False, True):
        rows = np.flatnonzero(questions.is_backfilled == backfilled)
        for column in range(right.shape[1]):
            runs[rows, column] = run_after(questions.is_sided[rows, column], right[rows, column])
    return runs
