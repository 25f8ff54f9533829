"""Kalshi's public API: the crypto prices it asks for, and what became of them.

Prices are strings in dollars, volume is counted in contracts that pay one dollar each. A market is `closed` and then
`determined` before it is `finalized`; only then is nothing disputed any more.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import OutsideMarket, Refusal
from service.sources.odds.asking import Listing, ask
from service.sources.odds.fields import instant, number, price, text
from service.sources.odds.rows import Row, Unusable, markets_in, settlements_in

NAME = "kalshi"
LISTING = Listing(NAME, "/markets", key="ticker", given="cursor", sent="cursor")
PAGE = 1000  # rows: the most it gives at once
TICKERS = 50  # of one query, so that its address stays short

# Prices at one instant of a day, above a level and within a range.
SERIES = ("KXBTCD", "KXETHD", "KXSOLD", "KXXRPD", "KXBTC", "KXETH")
OPEN = "active"
SETTLED = ("finalized", "settled")
OUTCOMES = {"yes": "yes", "no": "no"}
WIDEST = 0.1  # spread whose middle still is a price
TICKER = re.compile(r"[A-Z0-9.-]{1,80}")


def list_open(base_url: str, timeout_s: float) -> tuple[list[OutsideMarket], list[Refusal]]:
    """The markets on crypto prices that are open, and the rows that tell too little.

    SourceFailed when there is no whole answer within `timeout_s` seconds.
    """
    queries = [{"series_ticker": series, "status": "open", "limit": PAGE} for series in SERIES]
    return parse(ask(LISTING, base_url, queries, timeout_s), int(time.time()))


def settled(base_url: str, timeout_s: float, ids: Sequence[str]) -> dict[str, Settlement]:
    """What became of those of the markets `ids` that are settled, by ticker; SourceFailed as above."""
    batches = [ids[first : first + TICKERS] for first in range(0, len(ids), TICKERS)]
    queries = [{"tickers": ",".join(batch), "limit": PAGE} for batch in batches]
    return parse_settled(ask(LISTING, base_url, queries, timeout_s), ids, int(time.time()))


def parse(rows: Sequence[Any], fetched_at: int) -> tuple[list[OutsideMarket], list[Refusal]]:
    """The markets in the rows of an answer that came at the unix second `fetched_at`, and the rows refused."""
    return markets_in(rows, NAME, LISTING.key, partial(_market, fetched_at=fetched_at))


def parse_settled(rows: Sequence[Any], ids: Sequence[str], fetched_at: int) -> dict[str, Settlement]:
    """What became of the markets `ids`, as far as the rows say that they are settled."""
    return settlements_in(rows, ids, LISTING.key, partial(_settlement, fetched_at=fetched_at))


def _market(row: Row, fetched_at: int) -> OutsideMarket:
    _require_open(row)
    bid, ask = _quote(row)
    volume, deadline = _volume(row), instant(row.get("close_time"))
    if volume is None or deadline is None:
        raise Unusable("its volume or its end is not told")
    return OutsideMarket(
        source=NAME,
        market_id=row["ticker"],
        url=_url(row),
        question=text(row.get("title")),
        group=_group(row),
        outcomes=("Yes", "No"),
        yes_index=0,
        p_yes=(bid + ask) / 2,
        bid=bid,
        ask=ask,
        volume_usd=volume,
        deadline=deadline,
        rules=text(row.get("rules_primary")),
        fetched_at=fetched_at,
    )


def _require_open(row: Row) -> None:
    if not TICKER.fullmatch(text(row.get("ticker"))):
        raise Unusable("it has no ticker")
    if row.get("status") != OPEN:
        raise Unusable("it is not open")
    if row.get("market_type") != "binary":
        raise Unusable("its outcomes are not yes and no")


def _quote(row: Row) -> tuple[float, float]:
    """What is bid and asked for YES."""
    bid, ask = price(row.get("yes_bid_dollars")), price(row.get("yes_ask_dollars"))
    if bid is None or ask is None:
        raise Unusable("nobody bids or nobody asks for it")
    if not 0 <= round(ask - bid, 6) <= WIDEST:
        raise Unusable("its bid and its ask make no price")
    return bid, ask


def _settlement(row: Row, fetched_at: int) -> Settlement | None:
    """What became of a market; None before it is settled. One that pays neither side in full is void."""
    result = text(row.get("result"))
    if row.get("status") not in SETTLED or not result:
        return None
    resolved_at = instant(row.get("settlement_ts")) or instant(row.get("close_time")) or fetched_at
    value = number(row.get("settlement_value_dollars"))
    evidence = f"settled as {OUTCOMES.get(result, 'neither side')}" + ("" if value is None else f", YES pays {value:g}")
    return Settlement(OUTCOMES.get(result, "void"), resolved_at, evidence, NAME)


def _volume(row: Row) -> float | None:
    """USD that the contracts traded so far would pay."""
    contracts, each = number(row.get("volume_fp")), number(row.get("notional_value_dollars"))
    return None if contracts is None or each is None else contracts * each


def _group(row: Row) -> str:
    """What YES stands for where the title alone does not say it."""
    said = text(row.get("yes_sub_title"))
    return "" if said.lower() == "yes" else said


def _url(row: Row) -> str | None:
    series = text(row.get("event_ticker")).partition("-")[0]
    return f"https://kalshi.com/markets/{series.lower()}" if TICKER.fullmatch(series) else None
