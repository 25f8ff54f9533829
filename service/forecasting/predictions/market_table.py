"""Markets as a CSV file (RFC 4180): one line each, instants in ISO 8601, an unknown value is empty."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO

from service.forecasting.predictions.market_fields import ListedMarket

_PLAIN = ("id", "question", "asset", "category", "status", "created_at", "deadline", "backfilled")
_UNDERSTOOD = ("comparator", "other_asset", "level", "upper_level", "level_pct", "spot")
_ODDS = ("source", "simulated", "bid", "ask")
_SCORE = ("brier_ai", "brier_market", "log_ai", "log_market", "difference")
_BET = ("side", "price", "contracts", "fee_usd", "stake_usd", "pnl_usd")
COLUMNS = (
    *_PLAIN,
    *("template" if name == "comparator" else name for name in _UNDERSTOOD),
    *("p_ai", "p_market", *_ODDS, "divergence_pts", "p_ai_now", "p_market_now", "user_yes", "user_no"),
    *("outcome", "resolved_at", *_SCORE, *(f"bet_{name}" for name in _BET), "ledger_seq"),
)


def to_csv(markets: Iterable[ListedMarket]) -> bytes:
    """The file of these markets, with a header line."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(map(_row, markets))
    return text.getvalue().encode()


def _row(market: ListedMarket) -> list[object]:
    odds, users, ruling = market.market_odds, market.user_votes, market.resolution
    return [
        *_fields(market, _PLAIN),
        *_fields(market.understood, _UNDERSTOOD),
        *_fields(market.ai, ("p_yes",)),
        *_fields(odds, ("p_yes", *_ODDS)),
        market.divergence_pts,
        *_fields(market.ai_now, ("p_yes",)),
        *_fields(market.odds_now, ("p_yes",)),
        *(users.yes, users.no, ruling.outcome, ruling.resolved_at),
        *_fields(market.score, _SCORE),
        *_fields(market.bet, _BET),
        *_fields(market.commitment, ("seq",)),
    ]


def _fields(part: object, names: Iterable[str]) -> list[object]:
    """The values of a part of a market; of one that it lacks all are empty."""
    return [_text(getattr(part, name, None)) for name in names]


def _text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
