"""Markets as a table: one row each."""

from __future__ import annotations

from collections.abc import Iterable

from service.documents import World
from service.forecasting.predictions.market_fields import (
    ListedMarket,
    MarketBet,
    MarketOdds,
    MarketScore,
    Ruling,
    UserVotes,
)
from service.forecasting.voters.votes import Understood
from service.tabular import Kind, Table, columns_of, values_of

_PLAIN = ("id", "question", "asset", "category", "status", "created_at", "deadline", "backfilled")
_UNDERSTOOD = ("comparator", "other_asset", "level", "upper_level", "level_pct", "spot")
_ODDS = ("source", "simulated", "bid", "ask")
_SCORE = ("brier_ai", "brier_market", "log_ai", "log_market", "difference")
_BET = ("side", "price", "contracts", "fee_usd", "stake_usd", "pnl_usd")


def _columns(kind: type, names: Iterable[str], prefix: str = "") -> dict[str, Kind]:
    """The columns of some fields of a part of a market."""
    own = columns_of(kind)
    return {prefix + name: own[name] for name in names}


COLUMNS: dict[str, Kind] = {
    **_columns(ListedMarket, _PLAIN),
    **{"template" if name == "comparator" else name: kind for name, kind in _columns(Understood, _UNDERSTOOD).items()},
    "p_ai": "number",
    "p_market": "number",
    **_columns(MarketOdds, _ODDS),
    "divergence_pts": "number",
    "p_ai_now": "number",
    "p_market_now": "number",
    **_columns(UserVotes, ("yes", "no"), "user_"),
    **_columns(Ruling, ("outcome", "resolved_at")),
    **_columns(MarketScore, _SCORE),
    **_columns(MarketBet, _BET, "bet_"),
    "ledger_seq": "integer",
    "world": "text",
}


def markets_table(markets: Iterable[ListedMarket], world: World) -> Table:
    """The table of these markets, whose prices are of this world."""
    return Table(COLUMNS, [[*_row(market), world] for market in markets])


def _row(market: ListedMarket) -> list[object]:
    odds, users, ruling = market.market_odds, market.user_votes, market.resolution
    return [
        *values_of(market, _PLAIN),
        *values_of(market.understood, _UNDERSTOOD),
        *values_of(market.ai, ("p_yes",)),
        *values_of(odds, ("p_yes", *_ODDS)),
        market.divergence_pts,
        *values_of(market.ai_now, ("p_yes",)),
        *values_of(market.odds_now, ("p_yes",)),
        *(users.yes, users.no, ruling.outcome, ruling.resolved_at),
        *values_of(market.score, _SCORE),
        *values_of(market.bet, _BET),
        *values_of(market.commitment, ("seq",)),
    ]
