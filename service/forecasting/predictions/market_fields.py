"""The parts of a published market: votes, the pool, callers' votes, the outside market, the price, the outcome.

Numbers are rounded only here, when they are published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.documents import rounded
from service.forecasting.predictions import CommittedVote, Odds, Prediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.simulated_odds import SOURCE as SIMULATED
from service.forecasting.voters.votes import Direction, bull_probability, direction_of, vote
from service.market.instants import HOUR, iso
from service.market.prices import AssetPrice
from service.questions.question import Question


@dataclass(frozen=True)
class AiVote:
    """One voter's vote, final since `voted_at`; `weight` is its share in the pool, 1 on average.

    `fallback`: the embedded engine voted in place of a language model. `prompt` is the version of the model's prompt.
    """

    direction: Direction
    conviction: float
    p_yes: float | None
    reasoning: str
    engine: str
    weight: float
    fallback: bool
    prompt: str | None
    voted_at: str


@dataclass(frozen=True)
class Ai:
    """The voters' pool; `yes` and `no` count the votes above and below 50%."""

    p_yes: float | None
    yes: int
    no: int
    direction: Direction
    bull_probability: float


@dataclass(frozen=True)
class UserVotes:
    """The votes of callers; `yes_pct` is null before the first one."""

    yes: int
    no: int
    total: int
    yes_pct: float | None


@dataclass(frozen=True)
class MarketOdds:
    """The outside market's prices when the votes were cast; `simulated` prices are not from a real market."""

    source: str
    market_id: str
    url: str | None
    p_yes: float
    bid: float | None
    ask: float | None
    volume_usd: float | None
    fetched_at: str
    simulated: bool


@dataclass(frozen=True)
class MarketContext:
    """The asset's price at `as_of`; `distance_pct` is the distance from it up to the level, in percent of the price."""

    price: float
    change_24h_pct: float | None
    distance_pct: float | None
    hours_left: float
    as_of: str


@dataclass(frozen=True)
class Ruling:
    """The rule and the resolver of a market; `outcome`, `resolved_at` and `evidence` are null until it is resolved."""

    rule: str
    source: str
    outcome: Outcome | None
    resolved_at: str | None
    evidence: str | None


def user_votes(yes: int, no: int) -> UserVotes:
    """The tally of callers' votes as it is published."""
    total = yes + no
    return UserVotes(yes, no, total, round(100 * yes / total, 1) if total else None)


def show_vote(question: Question, cast: CommittedVote, voted_at: int) -> AiVote:
    """A vote as the oracle publishes it, without the latency, which is not stored."""
    published = vote(question, cast.ballot, cast.weight)
    return AiVote(
        direction=published.direction,
        conviction=published.conviction,
        p_yes=published.p_yes,
        reasoning=published.reasoning,
        engine=published.engine,
        weight=published.weight,
        fallback=published.fallback,
        prompt=published.prompt,
        voted_at=iso(voted_at),
    )


def show_pool(question: Question, p: float, votes: Sequence[CommittedVote]) -> Ai:
    """The pool with P(YES) `p`; votes are counted after rounding, so that a reader gets the same counts."""
    published = [round(cast.p, 3) for cast in votes]
    bull = bull_probability(question, p)
    return Ai(
        p_yes=None if question.comparator == "open" else round(p, 3),
        yes=sum(probability > 0.5 for probability in published),
        no=sum(probability < 0.5 for probability in published),
        direction=direction_of(bull),
        bull_probability=bull,
    )


def show_odds(odds: Odds) -> MarketOdds:
    """The prices of an outside market, and whether they are simulated."""
    return MarketOdds(
        source=odds.source,
        market_id=odds.market_id,
        url=odds.url,
        p_yes=round(odds.p_yes, 4),
        bid=rounded(odds.bid, 4),
        ask=rounded(odds.ask, 4),
        volume_usd=rounded(odds.volume_usd, 2),
        fetched_at=iso(odds.fetched_at),
        simulated=odds.source == SIMULATED,
    )


def show_price(market: Prediction, price: AssetPrice, now: int) -> MarketContext:
    """The price and its distance to the question's level; for `up` and `down` the level is the starting price."""
    question = market.question
    level = question.spot if question.comparator in ("up", "down") else question.level
    is_range = question.upper_level is not None
    return MarketContext(
        price=price.price,
        change_24h_pct=price.change_24h_pct,
        distance_pct=None if level is None or is_range else round(100 * (level / price.price - 1), 4),
        hours_left=round(max(0, market.deadline - now) / HOUR, 2),
        as_of=price.as_of,
    )


def show_ruling(market: Prediction) -> Ruling:
    """The rule and the resolver of a market and, after its settlement, the outcome."""
    settlement = market.settlement
    if settlement is None:
        return Ruling(market.rule, market.resolver, outcome=None, resolved_at=None, evidence=None)
    return Ruling(market.rule, settlement.source, settlement.outcome, iso(settlement.resolved_at), settlement.evidence)
