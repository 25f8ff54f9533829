"""What voters answer, before anything is rounded: forecasts, ballots, abstentions, and the pool of a panel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from service.questions.question import Question

VoterKind = Literal["seat", "brain"]
EMBEDDED = "embedded/2"  # changes with the models: another engine has another track record
SUREST = 0.999  # no published probability is closer to 0 or 1 than this


def published_p(p: float) -> float:
    """A probability as it is published: to three decimals, within [0.001, 0.999]."""
    return round(min(SUREST, max(1 - SUREST, p)), 3)


def is_model_engine(engine: str) -> bool:
    """Whether an engine is a language model; the embedded ones of all versions begin with the same word."""
    return not engine.startswith("embedded")


class Abstention(Exception):
    """A voter does not vote; the reason is published."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Forecast:
    """P(YES) `p`, in [0, 1], and why.

    `p_up` is P(the asset is higher at the deadline than now), for two assets P(the first returns more than the other);
    None where the voter has no view of the price: a topic, and votes from before it was asked for.
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
    p_up: float | None = None

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
    """The consensus of the ballots: `p` is P(YES), `p_up` P(higher), None where no ballot has one.

    `weights` are those of the ballots, in their order, 1 for an embedded engine. `outliers` are the voters that weigh
    a third because they are far from the others. `without` is the P(YES) of the pool without each ballot.
    """

    p: float
    p_up: float | None
    weights: tuple[float, ...]
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
    pool: Pooled
