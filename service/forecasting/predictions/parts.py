"""What is said of one market, piece by piece: each voter, the pool, callers, an outside market, the price, the outcome.

Every number is rounded here, where it is published, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.forecasting.predictions import CommittedVote, Odds, PredictionMarket, Settlement
from service.forecasting.predictions.outside import SOURCE as SIMULATED
from service.forecasting.predictions.votes import thawed
from service.forecasting.questions.question import Question
from service.forecasting.resolution import Outcome
from service.forecasting.votes import Direction, bull_probability, direction_of, vote
from service.market.instants import HOUR, iso
from service.market.prices import Price


@dataclass(frozen=True)
class AiVote:
    """One voter's vote, frozen at `voted_at`; `weight` is its share in the pool, 1 on average.

    `fallback`: an embedded engine spoke in place of a language model; `prompt` is the version of what one was told.
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
    """The voters' pool; `yes` and `no` count the votes above and below 50 %."""

    p_yes: float | None
    yes: int
    no: int
    direction: Direction
    bull_probability: float


@dataclass(frozen=True)
class UserVotes:
    """What callers think; `yes_pct` is null before the first vote."""

    yes: int
    no: int
    total: int
    yes_pct: float | None


@dataclass(frozen=True)
class MarketOdds:
    """What an outside market gave when the votes were cast; nobody traded at `simulated` odds."""

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
    """The asset's price at `as_of`, and by how much it must still move to be at the level, in percent of it."""

    price: float
    change_24h_pct: float | None
    distance_pct: float | None
    hours_left: float
    as_of: str


@dataclass(frozen=True)
class Ruling:
    """How a market is resolved and by whose word; null until it is, but for the rule and who will say."""

    rule: str
    source: str
    outcome: Outcome | None
    resolved_at: str | None
    evidence: str | None


@dataclass(frozen=True)
class CommitmentTold:
    """The row of the public ledger that holds the votes."""

    seq: int
    hash: str


def user_votes(yes: int, no: int) -> UserVotes:
    """How callers stand."""
    total = yes + no
    return UserVotes(yes, no, total, round(100 * yes / total, 1) if total else None)


def show_vote(question: Question, cast: CommittedVote, voted_at: int) -> AiVote:
    """A vote as the oracle publishes it, but for how long it took: nobody waited for it."""
    shown = vars(vote(question, thawed(cast), cast.weight))
    return AiVote(
        **{name: shown[name] for name in AiVote.__dataclass_fields__ if name in shown}, voted_at=iso(voted_at)
    )


def show_pool(question: Question, p: float, votes: Sequence[CommittedVote]) -> Ai:
    """The pool at P(YES) `p`; votes are counted as they are published, so that a reader counts the same."""
    published = [round(one.p, 3) for one in votes]
    bull = bull_probability(question, p)
    return Ai(
        p_yes=None if question.comparator == "open" else round(p, 3),
        yes=sum(each > 0.5 for each in published),
        no=sum(each < 0.5 for each in published),
        direction=direction_of(bull),
        bull_probability=bull,
    )


def show_odds(odds: Odds) -> MarketOdds:
    """What an outside market gave, and whether that was this service itself."""
    return MarketOdds(
        source=odds.source,
        market_id=odds.market_id,
        url=odds.url,
        p_yes=round(odds.p_yes, 4),
        bid=_rounded(odds.bid, 4),
        ask=_rounded(odds.ask, 4),
        volume_usd=_rounded(odds.volume_usd, 2),
        fetched_at=iso(odds.fetched_at),
        simulated=odds.source == SIMULATED,
    )


def show_price(market: PredictionMarket, price: Price, now: int) -> MarketContext:
    """The price beside the one level there is: that of the question, or where `up` and `down` began."""
    question = market.question
    level = question.spot if question.comparator in ("up", "down") else question.level
    has_one = level is not None and question.upper_level is None
    return MarketContext(
        price=price.price,
        change_24h_pct=price.change_24h_pct,
        distance_pct=round(100 * (level / price.price - 1), 4) if has_one else None,
        hours_left=round(max(0, market.deadline - now) / HOUR, 2),
        as_of=price.as_of,
    )


def show_ruling(market: PredictionMarket, settlement: Settlement | None) -> Ruling:
    """By which rule and whose word a market is resolved, and what became of it."""
    if settlement is None:
        return Ruling(market.rule, market.resolver, outcome=None, resolved_at=None, evidence=None)
    told = settlement
    return Ruling(market.rule, told.source, told.outcome, iso(told.resolved_at), told.evidence)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
