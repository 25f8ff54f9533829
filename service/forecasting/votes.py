"""What voters say and what is published of it; the dataclasses are the JSON."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from service.forecasting.questions.question import Comparator, Polarity, Question
from service.market.clock import World
from service.market.instants import utc

Direction = Literal["BULLISH", "BEARISH", "NEUTRAL"]
Strength = Literal["STRONG", "MODERATE", "WEAK", "DIVIDED"]

NEUTRAL_WITHIN = 3.0  # points of bull probability from 50


class Abstention(Exception):
    """A voter has nothing to say; the reason is published."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Forecast:
    """What a voter answers: `p` is P(YES), and why.

    `fallback`: its embedded engine spoke in place of the one it has. `prompt` is the version of what a language model
    was told, `tokens` and `usd` what it took; None where there was none, or nobody told.
    """

    p: float
    reasoning: str
    fallback: bool = False
    prompt: str | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True)
class Ballot:
    """A forecast as it was cast: by which engine, how long it took; the last four as in Forecast."""

    voter: str
    engine: str
    p: float
    reasoning: str
    latency_ms: float
    fallback: bool = False
    prompt: str | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True)
class Pooled:
    """The nine as one, before anything is rounded: `p` is P(YES).

    `weights` are those of the ballots, in their order, with mean near 1; `effective_voters` says how many
    independent ones they are worth, `outliers` which voters stand so far off that they weigh a third. `without` is
    what the others pool to, for each ballot left out.
    """

    p: float
    weights: tuple[float, ...]
    effective_voters: float
    outliers: tuple[str, ...]
    without: tuple[float, ...]


@dataclass(frozen=True)
class Verdict:
    """All that came of asking, unrounded: what is kept, scored and published."""

    question: Question
    asked_at: int
    as_of: int
    ballots: tuple[Ballot, ...]
    abstained: dict[str, str]
    pooled: Pooled


@dataclass(frozen=True)
class Vote:
    """One voter's published vote.

    `conviction` is 0 at even odds and 100 at certainty. `p_yes` is null where the question named no criterion.
    `fallback`: an embedded engine spoke in place of the seat's language model. `outlier`: so far from the others that
    it weighs a third. `prompt`, `tokens` and `usd` are null where no language model was asked.
    """

    direction: Direction
    conviction: float
    reasoning: str
    p_yes: float | None
    engine: str
    weight: float
    latency_ms: float
    fallback: bool
    outlier: bool
    prompt: str | None
    tokens: int | None
    usd: float | None


@dataclass(frozen=True)
class Consensus:
    """The published consensus; bull and bear are percent and add up to 100.

    `agreement_pct` is the weight of the votes that share the direction, `effective_voters` how many
    independent voters the votes are worth. `pivotal` are those without whose vote the direction would be another.
    """

    direction: Direction
    bull_probability: float
    bear_probability: float
    strength: Strength
    oracles_count: int
    agreement_pct: float
    effective_voters: float
    pivotal: tuple[str, ...]


@dataclass(frozen=True)
class Understood:
    """What the question was taken to mean."""

    asset: str
    other_asset: str | None
    comparator: Comparator
    level: float | None
    upper_level: float | None
    level_pct: float | None
    deadline: datetime
    horizon_hours: float
    spot: float
    polarity: Polarity
    negated: bool
    canonical: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """An oracle's answer. `as_of` is the last bar that the voters saw, never the instant of serving.

    `cached`: somebody asked the same shortly before, at `asked_at`, and this is what was answered then.
    """

    id: str
    question: str
    understood: Understood
    asked_at: datetime
    as_of: datetime
    world: World
    p_yes: float | None
    consensus: Consensus
    votes: dict[str, Vote]
    abstained: dict[str, str]
    cached: bool = False


def publish(verdict: Verdict, *, id: str, world: World) -> Answer:
    """The answer as the world sees it. Every number is rounded here and nowhere else."""
    question = verdict.question
    return Answer(
        id=id,
        question=question.text,
        understood=understood(question),
        asked_at=utc(verdict.asked_at),
        as_of=utc(verdict.as_of),
        world=world,
        p_yes=_p_yes(question, verdict.pooled.p),
        consensus=_consensus(verdict),
        votes={
            ballot.voter: vote(question, ballot, weight, outlier=ballot.voter in verdict.pooled.outliers)
            for ballot, weight in zip(verdict.ballots, verdict.pooled.weights, strict=True)
        },
        abstained=dict(verdict.abstained),
    )


def understood(question: Question) -> Understood:
    """The parse of a question, in the order in which it is published."""
    return Understood(**{name: getattr(question, name) for name in Understood.__dataclass_fields__})


def vote(question: Question, ballot: Ballot, weight: float = 1.0, *, outlier: bool = False) -> Vote:
    """A ballot as it is published; a stream shows it before the weights are known, with weight 1."""
    bull = bull_probability(question, ballot.p)
    return Vote(
        direction=direction_of(bull),
        conviction=margin_of(bull),
        reasoning=ballot.reasoning,
        p_yes=_p_yes(question, ballot.p),
        engine=ballot.engine,
        weight=round(weight, 3),
        latency_ms=round(ballot.latency_ms, 1),
        fallback=ballot.fallback,
        outlier=outlier,
        prompt=ballot.prompt,
        tokens=ballot.tokens,
        usd=None if ballot.usd is None else round(ballot.usd, 6),
    )


def bull_probability(question: Question, p: float) -> float:
    """The upward side of P(YES) in percent, to one decimal: the published `p_yes` or its contrary."""
    published = round(p, 3)
    return round(100 * (published if question.polarity == "bull" else 1 - published), 1)


def direction_of(bull: float) -> Direction:
    """The side of a published bull probability; NEUTRAL within 3 points of even."""
    if round(abs(bull - 50), 1) < NEUTRAL_WITHIN:
        return "NEUTRAL"
    return "BULLISH" if bull > 50 else "BEARISH"


def margin_of(bull: float) -> float:
    """How far a published bull probability is from even: 0 at 50, 100 at 0 and at 100."""
    return round(2 * abs(bull - 50), 1)


def strength_of(bull: float, agreement_pct: float, voters: int) -> Strength:
    """How strong a consensus is (design page `oracle`, section 4).

    By margin WEAK under 15, MODERATE under 40, else STRONG; one step less if the agreement is under 60 % or
    fewer than five voted; DIVIDED if the agreement is under 50 %.
    """
    if agreement_pct < 50:
        return "DIVIDED"
    margin = margin_of(bull)
    steps: tuple[Strength, ...] = ("WEAK", "MODERATE", "STRONG")
    step = (margin >= 15) + (margin >= 40)
    if agreement_pct < 60 or voters < 5:
        step = max(0, step - 1)
    return steps[step]


def _consensus(verdict: Verdict) -> Consensus:
    pooled, voters = verdict.pooled, len(verdict.ballots)
    bull = bull_probability(verdict.question, pooled.p)
    direction = direction_of(bull)
    sides = [direction_of(bull_probability(verdict.question, ballot.p)) for ballot in verdict.ballots]
    agreeing = sum(weight for side, weight in zip(sides, pooled.weights, strict=True) if side == direction)
    agreement = round(100 * agreeing / sum(pooled.weights), 1)
    return Consensus(
        direction=direction,
        bull_probability=bull,
        bear_probability=round(100 - bull, 1),
        strength=strength_of(bull, agreement, voters),
        oracles_count=voters,
        agreement_pct=agreement,
        effective_voters=round(pooled.effective_voters, 1),
        pivotal=_pivotal(verdict, direction),
    )


def _pivotal(verdict: Verdict, direction: Direction) -> tuple[str, ...]:
    """The voters without whom the others would have been published with another direction."""
    left_out = zip(verdict.ballots, verdict.pooled.without, strict=True)
    sides = {ballot.voter: direction_of(bull_probability(verdict.question, p)) for ballot, p in left_out}
    return tuple(voter for voter, side in sides.items() if side != direction)


def _p_yes(question: Question, p: float) -> float | None:
    return None if question.comparator == "open" else round(p, 3)
