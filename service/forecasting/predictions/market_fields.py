"""The fields of a published market or challenge, which have the structure of the JSON, and the table of markets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from service.documents import World
from service.forecasting.predictions import LedgerPosition, MarketCategory
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.bets import BetSide, BetStatus
from service.forecasting.predictions.scores.versus import MarketScore
from service.forecasting.voters.votes import Direction, Understood
from service.tabular import Kind, Table, columns_of, values_of

Status = Literal["open", "closed", "resolved", "void"]


@dataclass  # a page has 900 of them, which take a fifth of the time where they are not frozen
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
    """The voters' pool; `yes` and `no` count the votes above and below 50%.

    `answer` says in words how likely YES is. `direction` and `bull_probability` are a view of the price alone.
    """

    p_yes: float
    answer: str | None
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
class AiNow:
    """The pool's P(YES) at `as_of`, renewed every hour by the embedded engines; it is never scored."""

    p_yes: float
    as_of: str


@dataclass(frozen=True)
class OddsNow:
    """The outside market's prices at `as_of`, renewed every hour; they are never scored."""

    p_yes: float
    bid: float | None
    ask: float | None
    as_of: str


@dataclass(frozen=True)
class MarketBet:
    """The bet of the shadow book on a market: 100 USD on `side` at `price` USD a contract, before the fee.

    `pnl_usd` is null while the bet is open.
    """

    side: BetSide
    price: float
    contracts: float
    fee_usd: float
    stake_usd: float
    status: BetStatus
    pnl_usd: float | None


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


@dataclass(frozen=True)
class MarketCommitment(LedgerPosition):
    """The row of the public ledger that holds the votes, with the salt of the hashes that stand there for texts."""

    salt: str | None


@dataclass(frozen=True)
class ListedPrediction:
    """A prediction market or a challenge with its votes, odds and outcome.

    `ai` and `market_odds` are of its opening, `ai_now` and `odds_now` of the last hour: these are null once it is
    settled and where no forecast of now is possible (a range, an average or a count of days that has begun), and
    `odds_now` without an outside market. `divergence_pts` is 100 times the pool's `p_yes` minus the outside market's.
    `ai` and `commitment` are null until the votes are cast, `context` while the price is unknown and after the
    settlement. `ai` stays null where no price decides the question and no language models vote. `features` is the hash
    of the votes' inputs in `/api/v1/features`. `score` is null until it resolves yes or no, `bet` where the pool and
    the outside market agree within three points. A challenge has a `number`, ten votes in `ai_votes`, and beside them
    that of `apex`.
    """

    id: str
    question: str
    asset: str
    category: MarketCategory
    status: Status
    created_at: str
    deadline: str
    closes_at: str
    understood: Understood
    ai_votes: dict[str, AiVote]
    abstained: dict[str, str]
    ai: Ai | None
    user_votes: UserVotes
    market_odds: MarketOdds | None
    divergence_pts: float | None
    context: MarketContext | None
    resolution: Ruling
    commitment: MarketCommitment | None
    features: str | None
    backfilled: bool
    ai_now: AiNow | None
    odds_now: OddsNow | None
    score: MarketScore | None
    bet: MarketBet | None
    number: int | None
    apex: AiVote | None
    votes_pending: bool


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


# A part of a market, its class, and which of its fields stand in which columns of the table.
_PARTS: tuple[tuple[str, type, dict[str, str]], ...] = (
    (
        "",
        ListedPrediction,
        _same("id", "question", "asset", "category", "status", "created_at", "deadline", "backfilled"),
    ),
    ("understood", Understood, _same("comparator", "other_asset", "level", "upper_level", "level_pct", "spot")),
    ("ai", Ai, {"p_ai": "p_yes"}),
    ("market_odds", MarketOdds, {"p_market": "p_yes"} | _same("source", "simulated", "bid", "ask")),
    ("", ListedPrediction, _same("divergence_pts")),
    ("ai_now", AiNow, {"p_ai_now": "p_yes"}),
    ("odds_now", OddsNow, {"p_market_now": "p_yes"}),
    ("user_votes", UserVotes, {"user_yes": "yes", "user_no": "no"}),
    ("resolution", Ruling, _same("outcome", "resolved_at")),
    ("score", MarketScore, _same("brier_ai", "brier_market", "log_ai", "log_market", "difference")),
    (
        "bet",
        MarketBet,
        {f"bet_{name}": name for name in ("side", "price", "contracts", "fee_usd", "stake_usd", "pnl_usd")},
    ),
    ("commitment", MarketCommitment, {"ledger_seq": "seq"}),
)
COLUMNS: dict[str, Kind] = {
    **{column: columns_of(kind)[name] for _, kind, names in _PARTS for column, name in names.items()},
    "world": "text",
}


def markets_table(markets: Iterable[ListedPrediction], world: World) -> Table:
    parts = [(part, names.values()) for part, _, names in _PARTS]
    rows = (
        [values_of(getattr(market, part) if part else market, names) for part, names in parts] for market in markets
    )
    return Table(COLUMNS, [[*chain.from_iterable(row), world] for row in rows])
