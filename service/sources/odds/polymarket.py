"""Polymarket's Gamma API: the crypto prices it asks for, and what became of them.

It writes lists as JSON inside strings, YES may stand at either place, and bid and ask are those of the first outcome.
An end date may pass with the market open, and a market may be closed long before it is resolved.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.imports import FARTHEST_S, LEAST_VOLUME_USD, OutsideMarket, Refusal
from service.market.instants import iso
from service.sources.odds.asking import Listing, ask
from service.sources.odds.fields import instant, listed, number, price, text
from service.sources.odds.rows import Row, Unusable, markets_in, settlements_in

NAME = "polymarket"
LISTING = Listing(NAME, "/markets/keyset", key="id", given="next_cursor", sent="after_cursor")
PAGE = 100  # rows: what it gives at once, whatever is asked for
IDS = 50  # of one query, so that its address stays short
CRYPTO_PRICES = 1312  # its tag

YES_AT = {("yes", "no"): 0, ("no", "yes"): 1, ("up", "down"): 0, ("down", "up"): 1}
WON = {(1.0, 0.0): 0, (0.0, 1.0): 1}
EVEN = (0.5, 0.5)
ROUNDING = 0.02  # by which the prices of both outcomes may miss 1
ID = re.compile(r"[0-9]{1,20}")
SLUG = re.compile(r"[a-z0-9-]{1,200}")


def list_open(base_url: str, timeout_s: float) -> tuple[list[OutsideMarket], list[Refusal]]:
    """The markets on crypto prices that are open and could be taken over, and the rows that tell too little.

    SourceFailed when there is no whole answer within `timeout_s` seconds.
    """
    now = int(time.time())
    query = {
        "tag_id": CRYPTO_PRICES,
        "closed": "false",
        "end_date_min": iso(now),
        "end_date_max": iso(now + FARTHEST_S),
        "volume_num_min": LEAST_VOLUME_USD,
        "order": "volumeNum",
        "ascending": "false",
        "limit": PAGE,
    }
    return parse(ask(LISTING, base_url, [query], timeout_s), int(time.time()))


def settled(base_url: str, timeout_s: float, ids: Sequence[str]) -> dict[str, Settlement]:
    """What became of those of the markets `ids` that are resolved, by id; SourceFailed as above."""
    batches = [ids[first : first + IDS] for first in range(0, len(ids), IDS)]
    queries = [{"id": list(batch), "closed": "true", "limit": PAGE} for batch in batches]
    return parse_settled(ask(LISTING, base_url, queries, timeout_s), ids, int(time.time()))


def parse(rows: Sequence[Any], fetched_at: int) -> tuple[list[OutsideMarket], list[Refusal]]:
    """The markets in the rows of an answer that came at the unix second `fetched_at`, and the rows refused."""
    return markets_in(rows, NAME, LISTING.key, partial(_market, fetched_at=fetched_at))


def parse_settled(rows: Sequence[Any], ids: Sequence[str], fetched_at: int) -> dict[str, Settlement]:
    """What became of the markets `ids`, as far as the rows say that they are resolved."""
    return settlements_in(rows, ids, LISTING.key, partial(_settlement, fetched_at=fetched_at))


def _market(row: Row, fetched_at: int) -> OutsideMarket:
    outcomes, prices = _outcomes(row), _prices(row)
    volume, deadline = number(row.get("volumeNum")), instant(row.get("endDate"))
    _require(row, outcomes, prices)
    if volume is None or deadline is None:
        raise Unusable("its volume or its end is not told")
    yes = _yes_of(outcomes)
    bid, ask = _quote(row, yes)
    return OutsideMarket(
        source=NAME,
        market_id=row["id"],
        url=_url(row),
        question=text(row.get("question")),
        group=text(row.get("groupItemTitle")),
        outcomes=outcomes,
        yes_index=yes,
        p_yes=prices[yes],
        bid=bid,
        ask=ask,
        volume_usd=volume,
        deadline=deadline,
        rules=text(row.get("description")),
        fetched_at=fetched_at,
        measured_from=instant(row.get("eventStartTime")),
    )


def _require(row: Row, outcomes: tuple[str, str] | None, prices: tuple[float, float] | None) -> None:
    """Raise Unusable where it is not an open market with a price for yes and one for no."""
    if not ID.fullmatch(text(row.get("id"))):
        raise Unusable("it has no id")
    if row.get("closed") is not False or row.get("active") is not True or row.get("acceptingOrders") is not True:
        raise Unusable("it is not open")
    if outcomes is None:
        raise Unusable("its outcomes are not yes and no")
    if prices is None or abs(sum(prices) - 1) > ROUNDING:
        raise Unusable("its prices are not told")


def _settlement(row: Row, fetched_at: int) -> Settlement | None:
    """What became of a market; None before it is resolved, whatever its prices are."""
    outcomes, prices = _outcomes(row), _prices(row)
    if row.get("closed") is not True or row.get("umaResolutionStatus") != "resolved" or outcomes is None:
        return None
    if prices not in WON and prices != EVEN:
        return None
    outcome = "void" if prices == EVEN else "yes" if WON[prices] == _yes_of(outcomes) else "no"
    resolved_at = instant(row.get("closedTime")) or instant(row.get("umaEndDate")) or fetched_at
    evidence = f"{outcomes[0]} pays {prices[0]:g}, {outcomes[1]} pays {prices[1]:g}"
    return Settlement(outcome=outcome, resolved_at=resolved_at, evidence=evidence, source=NAME)


def _outcomes(row: Row) -> tuple[str, str] | None:
    """The names of both outcomes in their order; None where they are not yes and no, or up and down."""
    names = tuple(str(name) for name in listed(row.get("outcomes")))
    return names if tuple(name.lower() for name in names) in YES_AT else None


def _yes_of(outcomes: tuple[str, str]) -> int:
    return YES_AT[outcomes[0].lower(), outcomes[1].lower()]


def _prices(row: Row) -> tuple[float, float] | None:
    prices = [number(value) for value in listed(row.get("outcomePrices"))]
    if len(prices) != 2 or any(value is None or not 0 <= value <= 1 for value in prices):
        return None
    return prices[0], prices[1]


def _quote(row: Row, yes: int) -> tuple[float | None, float | None]:
    """What is bid and asked for YES: who bids for one outcome asks for the other."""
    bid, ask = price(row.get("bestBid")), price(row.get("bestAsk"))
    if bid is not None and ask is not None and bid > ask:
        raise Unusable("more is bid for it than is asked")
    if yes == 0:
        return bid, ask
    return None if ask is None else 1 - ask, None if bid is None else 1 - bid


def _url(row: Row) -> str | None:
    slug = text(row.get("slug"))
    return f"https://polymarket.com/market/{slug}" if SLUG.fullmatch(slug) else None
