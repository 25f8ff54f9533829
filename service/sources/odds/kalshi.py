"""Kalshi's public API: its markets on crypto prices, and their settlements.

Prices are strings in dollars; volume is a number of contracts that pay one dollar each. A market is `closed`, then
`determined`, then `finalized`; its outcome cannot be disputed after that.
"""

from __future__ import annotations

import re

from service.forecasting.predictions import Odds, Settlement
from service.forecasting.predictions.imports import WIDEST_SPREAD, OutsideMarket, Terms
from service.forecasting.predictions.resolution import Outcome
from service.market.assets import ASSETS
from service.sources.odds import source
from service.sources.odds.source import OddsSource, Query, Row, SettledMarket

NAME = "kalshi"
PAGE = 1000  # rows: the maximum of the API

# Series on the price at one instant of a day: above a level, and within a range.
SERIES = tuple(asset.kalshi[kind] for kind in ("level", "range") for asset in ASSETS.values() if kind in asset.kalshi)
# Series on the move of the 15 minutes for which a market is open.
SHORT_SERIES = tuple(asset.kalshi["move"] for asset in ASSETS.values() if "move" in asset.kalshi)
OPEN = "active"
SETTLED_STATUSES = ("finalized", "settled")
OUTCOMES: dict[str, Outcome] = {"yes": "yes", "no": "no"}
TICKER = re.compile(r"[A-Z0-9.-]{1,80}")


def _open_queries(_now: int, short: bool) -> list[Query]:
    all_series = SHORT_SERIES if short else SERIES
    return [{"series_ticker": series, "status": "open", "limit": PAGE} for series in all_series]


def _market(row: Row, fetched_at: int) -> OutsideMarket | None:
    """An open market with the outcomes yes and no, and a bid and an ask that are close to each other."""
    if row.get("status") != OPEN or row.get("market_type") != "binary":
        return None
    bid, ask = source.price(row.get("yes_bid_dollars")), source.price(row.get("yes_ask_dollars"))
    if bid is None or ask is None or not 0 <= round(ask - bid, 6) <= WIDEST_SPREAD:
        return None
    contracts, notional = source.number(row.get("volume_fp")), source.number(row.get("notional_value_dollars"))
    volume = None if contracts is None or notional is None else source.number(contracts * notional)
    terms = _terms(row)
    if volume is None or terms is None or not TICKER.fullmatch(source.text(row.get("ticker"))):
        return None
    series = source.text(row.get("event_ticker")).partition("-")[0]
    url = f"https://kalshi.com/markets/{series.lower()}" if TICKER.fullmatch(series) else None
    return OutsideMarket(
        source=NAME,
        odds=Odds(NAME, row["ticker"], url, (bid + ask) / 2, bid, ask, volume, fetched_at),
        terms=terms,
        measured_from=source.instant(row.get("open_time")) if series in SHORT_SERIES else None,
    )


def _terms(row: Row) -> Terms | None:
    deadline, rules = source.instant(row.get("close_time")), source.text(row.get("rules_primary"))
    group = source.text(row.get("yes_sub_title"))  # the meaning of YES where the title alone does not state it
    group = "" if group.lower() == "yes" else group
    return None if deadline is None else Terms(source.text(row.get("title")), group, deadline, rules)


def _settlement(row: Row, fetched_at: int) -> SettledMarket | None:
    """The settlement of a market; None before it is settled. A market that pays neither side in full is void."""
    result = source.text(row.get("result"))
    if row.get("status") not in SETTLED_STATUSES or not result:
        return None
    resolved_at = source.instant(row.get("settlement_ts")) or source.instant(row.get("close_time")) or fetched_at
    value = source.number(row.get("settlement_value_dollars"))
    evidence = f"settled as {OUTCOMES.get(result, 'neither side')}" + ("" if value is None else f", YES pays {value:g}")
    return Settlement(OUTCOMES.get(result, "void"), resolved_at, evidence, NAME), _terms(row)


KALSHI = OddsSource(
    NAME,
    path="/markets",
    key="ticker",
    cursor="cursor",
    parameter="cursor",
    open_queries=_open_queries,
    settled_query=lambda tickers: {"tickers": ",".join(tickers), "limit": PAGE},
    read_market=_market,
    read_settlement=_settlement,
)
