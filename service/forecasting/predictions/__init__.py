"""Prediction markets: questions with a deadline that are voted on once, priced by others, resolved and scored.

A challenge is one that a caller opened. Instants are world seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from service.forecasting.questions.question import Question
from service.forecasting.resolution import Outcome
from service.market.clock import World

Category = Literal["daily", "weekly", "monthly", "imported", "challenge"]
Resolver = Literal["bars", "hand", "polymarket", "kalshi"]


@dataclass(frozen=True)
class PredictionMarket:
    """What is asked, until when users vote (`closes_at`), and by which rule and whose word it is resolved.

    `backfilled`: it was opened on a past instant by the first start, with what was known then. `author` is the
    caller that opened a challenge; it is never published.
    """

    id: str
    category: Category
    question: Question
    rule: str
    resolver: Resolver
    created_at: int
    closes_at: int
    deadline: int
    backfilled: bool
    author: str | None = None


@dataclass(frozen=True)
class Odds:
    """What an outside market gave at one instant: `p_yes`, `bid` and `ask` of YES in 0-1."""

    source: str
    market_id: str
    url: str | None
    p_yes: float
    bid: float | None
    ask: float | None
    volume_usd: float | None
    fetched_at: int


@dataclass(frozen=True)
class CommittedVote:
    """One voter's vote, frozen when it was cast: `p` is P(YES), `weight` its share in the pool.

    The last four are those of `votes.Forecast`: what is to be known of a language model.
    """

    voter: str
    engine: str
    p: float
    weight: float
    reasoning: str
    fallback: bool = False
    prompt: str | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True)
class Commitment:
    """All that was committed at `voted_at`, over bars until `as_of`: `p` is the pool's P(YES).

    `features` is the SHA-256 of what the voters were shown, `fitted_at` the slot of their fits.
    """

    voted_at: int
    as_of: int
    p: float
    votes: tuple[CommittedVote, ...]
    abstained: dict[str, str]
    features: str
    fitted_at: int | None


@dataclass(frozen=True)
class Settlement:
    """What became of a market, by whose word, and what shows it."""

    outcome: Outcome
    resolved_at: int
    evidence: str
    source: str


@dataclass(frozen=True)
class Settled:
    """A market that has been settled, with what was committed on it: what every score is computed from."""

    market: PredictionMarket
    commitment: Commitment | None
    odds: Odds | None
    settlement: Settlement


@dataclass(frozen=True)
class Made:
    """What every document made by the clock says of itself."""

    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
