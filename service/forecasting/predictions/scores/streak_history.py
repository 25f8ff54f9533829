"""The history of the streaks: every question that counts, in order of resolution, with each voter's run after it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from service.documents import World
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.counted import CountedQuestion, Engine
from service.forecasting.voters.votes import Direction
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


class StreakHistory:
    """The questions that count, each with the run of every voter after it."""

    def __init__(self, questions: Sequence[CountedQuestion]) -> None:
        self._questions = questions
        self._runs = _runs(questions)

    @property
    def times(self) -> list[int]:
        """When each question was resolved, the oldest first."""
        settlements = (question.market.settlement for question in self._questions)
        return [settlement.resolved_at for settlement in settlements if settlement]

    def question_at(self, place: int) -> dict[str, Any]:
        """A question as it is published."""
        question, runs = self._questions[place], self._runs[place]
        market = question.market
        assert market.settlement is not None  # it is scored
        answers = {
            side.engine[0]: StreakAnswer(
                side.engine[1], round(side.p, 3), side.direction, side.is_right, runs[side.engine]
            )
            for side in question.sides
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


def _runs(questions: Iterable[CountedQuestion]) -> list[Mapping[Engine, int]]:
    """The run of every engine that answered, after each question; live and backfilled ones are apart."""
    running: dict[tuple[Engine, bool], int] = defaultdict(int)
    history = []
    for question in questions:
        after = {}
        for side in question.sides:
            key = side.engine, question.market.backfilled
            if side.is_right is not None:
                running[key] = running[key] + 1 if side.is_right else 0
            after[side.engine] = running[key]
        history.append(after)
    return history
