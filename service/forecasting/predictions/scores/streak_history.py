"""The history of the streaks: every question that counts, in order of resolution, with each voter's run after it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from service.documents import World
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.streaks import CONSENSUS, NINE, Engine, count_once
from service.forecasting.voters.votes import Direction, bull_probability, direction_of
from service.market.instants import iso
from service.questions.question import Comparator


@dataclass(frozen=True)
class StreakAnswer:
    """A vote, and the `streak` of its voter with this engine after it; `right` is null where it took no side."""

    engine: str
    p_yes: float
    direction: Direction
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


@dataclass(frozen=True)
class _Side:
    """What one voter answered; `is_right` is None where it took no side."""

    engine: Engine
    p: float
    direction: Direction
    is_right: bool | None


class StreakHistory:
    """The questions that count among `markets`, which include unsettled ones, because those overlap too."""

    def __init__(self, markets: Iterable[Prediction]) -> None:
        self._scored = [market for market in count_once(markets) if market.is_scored]
        self._runs = _runs(self._scored)

    @property
    def times(self) -> list[int]:
        """When each question was resolved, the oldest first."""
        return [market.settlement.resolved_at for market in self._scored if market.settlement]

    def question_at(self, place: int) -> dict[str, Any]:
        """A question as it is published."""
        market, runs = self._scored[place], self._runs[place]
        assert market.settlement is not None  # it is scored
        answers = {
            side.engine[0]: StreakAnswer(
                side.engine[1], round(side.p, 3), side.direction, side.is_right, runs[side.engine]
            )
            for side in _sides(market)
        }
        return asdict(
            StreakQuestion(
                market=market.id,
                asset=market.question.asset,
                template=market.question.comparator,
                backfilled=market.backfilled,
                voted_at=iso(market.voted_at),
                resolved_at=iso(market.settlement.resolved_at),
                outcome=market.settlement.outcome,
                answers=answers,
            )
        )


def _runs(scored: Iterable[Prediction]) -> list[Mapping[Engine, int]]:
    """The run of every engine that answered, after each question; live and backfilled ones are apart."""
    running: dict[tuple[Engine, bool], int] = defaultdict(int)
    history = []
    for market in scored:
        after = {}
        for side in _sides(market):
            key = side.engine, market.backfilled
            if side.is_right is not None:
                running[key] = running[key] + 1 if side.is_right else 0
            after[side.engine] = running[key]
        history.append(after)
    return history


def _sides(market: Prediction) -> list[_Side]:
    """What the nine and their pool answered."""
    assert market.commitment is not None  # it is scored
    votes = [((vote.voter, vote.engine), vote.p) for vote in market.votes if vote.voter in NINE]
    return [_side(market, engine, p) for engine, p in (*votes, (CONSENSUS, market.commitment.p))]


def _side(market: Prediction, engine: Engine, p: float) -> _Side:
    direction = direction_of(bull_probability(market.question, p))
    is_right = None if direction == "NEUTRAL" else (p > 0.5) == (market.outcome == "yes")
    return _Side(engine, p, direction, is_right)
