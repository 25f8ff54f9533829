"""What voters answer, before anything is rounded: forecasts, ballots, abstentions, and the pool of a panel."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.questions.question import Question


class Abstention(Exception):
    """A voter does not vote; the reason is published."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Forecast:
    """P(YES) `p`, in [0, 1], and why.

    `fallback`: the embedded engine answered in place of the seat's language model. `prompt` is the version of the
    prompt that a language model received, `tokens` and `usd` what the answer cost; None without a model, or where the
    provider reports no cost.
    """

    p: float
    reasoning: str
    fallback: bool = False
    prompt: str | None = None
    tokens: int | None = None
    usd: float | None = None

    @property
    def is_of_model(self) -> bool:
        """Whether a language model made it."""
        return self.prompt is not None


@dataclass(frozen=True)
class Ballot:
    """A voter's forecast: by which engine, and how long it took, which is measured but no part of the vote."""

    voter: str
    engine: str
    forecast: Forecast
    latency_ms: float = field(default=0.0, compare=False)

    @property
    def p(self) -> float:
        """P(YES)."""
        return self.forecast.p


@dataclass(frozen=True)
class Pooled:
    """The consensus of the ballots: `p` is P(YES).

    `weights` are those of the ballots, in their order, with mean near 1. `effective_voters` is the number of
    independent voters that the nine are worth on their record, None until it is measured. `outliers` are the voters
    that weigh a third because they are far from the others. `without` is the P(YES) of the pool without each ballot.
    """

    p: float
    weights: tuple[float, ...]
    effective_voters: float | None
    outliers: tuple[str, ...]
    without: tuple[float, ...]


@dataclass(frozen=True)
class PanelResult:
    """The ballots, the reason of each abstention, and the pool: stored, scored and published.

    `asked_at` is the unix second of the question, `as_of` that of the last bar behind it.
    """

    question: Question
    asked_at: int
    as_of: int
    ballots: tuple[Ballot, ...]
    abstained: dict[str, str]
    pooled: Pooled
