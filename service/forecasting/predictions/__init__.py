"""Predictions: questions with a deadline, which are voted on once, compared with market odds, settled and scored.

Markets, the challenges of callers and the oracle's answers have the same record. Instants are world seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from service.forecasting.predictions.resolution import Outcome
from service.forecasting.voters.ballots import Ballot, Forecast, published_p
from service.questions.question import Question

MarketCategory = Literal["daily", "weekly", "monthly", "imported", "challenge"]
Holder = Literal["ai", "odds"]  # of an opinion: the voters' pool or the outside market
Category = MarketCategory | Literal["answer"]
Resolver = Literal["bars", "hand", "polymarket", "kalshi"]

SALT_BYTES = 16
NO_SETTLEMENT = 2**63 - 1  # in place of the instant of a resolution: it is later than all of them
APEX = "apex"  # votes on challenges too, outside the pool and published beside it


@dataclass(frozen=True)
class Odds:
    """The prices of an outside market at one instant: `p_yes`, `bid` and `ask` of YES in 0-1."""

    source: str
    market_id: str
    url: str | None
    p_yes: float
    bid: float | None
    ask: float | None
    volume_usd: float | None
    fetched_at: int


@dataclass(frozen=True)
class Opinion:
    """P(YES) of an open market as seen at the unix second `at`; only an outside market has a `bid` and an `ask`."""

    at: int
    p: float
    bid: float | None = None
    ask: float | None = None


@dataclass(frozen=True)
class CommittedVote(Ballot):
    """A ballot with its weight in the pool. How long the ballot took is not stored."""

    weight: float = field(kw_only=True)

    @staticmethod
    def of(ballot: Ballot, weight: float) -> CommittedVote:
        return CommittedVote(ballot.voter, ballot.engine, ballot.forecast, weight=weight)

    def to_plain(self) -> dict[str, Any]:
        """A flat dict that can be stored as JSON or as a table row without loss."""
        return {"voter": self.voter, "engine": self.engine, "weight": self.weight, **vars(self.forecast)}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> CommittedVote:
        forecast = Forecast(**{name: plain[name] for name in Forecast.__dataclass_fields__})
        return CommittedVote(plain["voter"], plain["engine"], forecast, weight=plain["weight"])


@dataclass(frozen=True)
class Commitment:
    """The votes cast at `voted_at` from bars until `as_of`, and the pool's P(YES) as `p` and P(higher) as `p_up`.

    `features` is the SHA-256 of the voters' inputs (None for answers from before it was recorded); `fitted_at` is the
    slot of their fits. `inputs` is the text that was hashed, until it is stored; None in a commitment that was read.
    """

    voted_at: int
    as_of: int
    p: float
    votes: tuple[CommittedVote, ...]
    abstained: dict[str, str]
    features: str | None
    fitted_at: int | None
    p_up: float | None = None
    inputs: str | None = field(default=None, compare=False, repr=False)

    def to_plain(self) -> dict[str, Any]:
        """All fields but the votes and the inputs, which have tables of their own."""
        return {name: value for name, value in vars(self).items() if name not in ("votes", "inputs")}


@dataclass(frozen=True)
class Settlement:
    """The outcome of a prediction, who decided it (`source`), and the evidence."""

    outcome: Outcome
    resolved_at: int
    evidence: str
    source: str


@dataclass(frozen=True)
class LedgerPosition:
    """The row of the public ledger that holds the votes."""

    seq: int
    hash: str


@dataclass(frozen=True)
class Prediction:
    """A question with a deadline, and everything recorded about it: question, commitment, odds, settlement.

    A market is opened by a series or imported. A challenge is opened by a caller and has a `number`. An `answer` is an
    answer of the oracle to a caller; it is settled and scored like a market, but not listed, and the ledger holds its
    outcome alone.

    `rule` says when the outcome is yes, and `resolver` who decides it. Callers vote until `closes_at`. A `backfilled`
    prediction was opened by the first start for a past instant, with the data available then. `author` is the caller
    that opened a challenge or asked the oracle; it is never published. `salt` hides a foreign text in the ledger; None
    for a text of our own, and once it was withdrawn. Fields of later stages are None until then.
    """

    id: str
    category: Category
    question: Question
    rule: str
    resolver: Resolver
    created_at: int
    closes_at: int
    deadline: int
    backfilled: bool = False
    number: int | None = None
    author: str | None = None
    salt: str | None = None
    commitment: Commitment | None = None
    odds: Odds | None = None
    settlement: Settlement | None = None
    ledger_position: LedgerPosition | None = None

    @property
    def votes(self) -> tuple[CommittedVote, ...]:
        return self.commitment.votes if self.commitment else ()

    @property
    def voted_at(self) -> int:
        """The instant of the votes; before the commitment, the instant of creation."""
        return self.commitment.voted_at if self.commitment else self.created_at

    @property
    def divergence_pts(self) -> float | None:
        """100 times the published P(YES) of the pool minus the outside market's; None without one of them."""
        if self.commitment is None or self.odds is None or self.question.comparator == "open":
            return None
        return round(100 * (published_p(self.commitment.p) - round(self.odds.p_yes, 4)), 2)

    @property
    def outcome(self) -> Outcome | None:
        return self.settlement.outcome if self.settlement else None

    @property
    def is_scored(self) -> bool:
        """Whether its votes count in scores: the question names an event and its outcome is yes or no."""
        return self.outcome in ("yes", "no") and self.question.comparator != "open"


def resolver_of(question: Question) -> Resolver:
    """Who decides a question of this service: prices, or the operator where no price does."""
    return "hand" if question.comparator == "topic" else "bars"


def resolution_order(prediction: Prediction) -> tuple[int, int, str]:
    """What sorts predictions by resolution, those without one last, then by deadline, then by id."""
    resolved_at = prediction.settlement.resolved_at if prediction.settlement else NO_SETTLEMENT
    return resolved_at, prediction.deadline, prediction.id
