"""Polymarket's Gamma API: its markets on crypto prices, and their settlements.

Lists are JSON inside strings. YES may be the first or the second outcome; bid and ask are those of the first. A market
may stay open after its end date, and it may be closed long before it is resolved.
"""

from __future__ import annotations

import re

from service.forecasting.predictions import Odds, Settlement
from service.forecasting.predictions.imports import FARTHEST_S, MIN_VOLUME_USD, SOONEST_S, OutsideMarket, Terms
from service.forecasting.predictions.resolution import Outcome
from service.market.instants import iso
from service.sources.odds import source
from service.sources.odds.source import OddsSource, Query, Row, SettledMarket

NAME = "polymarket"
PAGE = 100  # rows: the API returns no more, whatever the limit
CRYPTO_PRICES, UP_OR_DOWN = 1312, 102127  # the ids of these tags

YES_AT = {("yes", "no"): 0, ("no", "yes"): 1, ("up", "down"): 0, ("down", "up"): 1}
WINNERS = {(1.0, 0.0): 0, (0.0, 1.0): 1, (0.5, 0.5): None}  # by the prices, the outcome that pays
ROUNDING = 0.02  # tolerated difference between 1 and the sum of both prices
ID = re.compile(r"[0-9]{1,20}")
SLUG = re.compile(r"[a-z0-9-]{1,200}")


def _open_queries(now: int, short: bool) -> list[Query]:
    """The query for the markets that could be imported: the largest volume first, or the soonest end of short ones."""
    by_volume = {
        "tag_id": CRYPTO_PRICES,
        "end_date_max": iso(now + FARTHEST_S),
        "volume_num_min": MIN_VOLUME_USD,
        "order": "volumeNum",
        "ascending": "false",
    }
    by_end = {"tag_id": UP_OR_DOWN, "end_date_max": iso(now + SOONEST_S), "order": "endDate", "ascending": "true"}
    return [{"closed": "false", "end_date_min": iso(now), "limit": PAGE} | (by_end if short else by_volume)]


def _market(row: Row, fetched_at: int) -> OutsideMarket | None:
    """An open market whose outcomes, prices, volume and end are known.

    None too where it asks for whatever its group does not name, which may change.
    """
    is_open = row.get("closed") is False and row.get("active") is True and row.get("acceptingOrders") is True
    if not is_open or row.get("negRiskOther") is True or not ID.fullmatch(source.text(row.get("id"))):
        return None
    outcomes, prices = _outcomes(row), _prices(row)
    volume, terms = source.number(row.get("volumeNum")), _terms(row)
    if outcomes is None or prices is None or abs(sum(prices) - 1) > ROUNDING or volume is None or terms is None:
        return None
    yes, slug = _yes_of(outcomes), source.text(row.get("slug"))
    bid, ask = _quote(row, yes)
    if bid is not None and ask is not None and bid > ask:
        return None
    url = f"https://polymarket.com/market/{slug}" if SLUG.fullmatch(slug) else None
    return OutsideMarket(
        source=NAME,
        odds=Odds(NAME, row["id"], url, prices[yes], bid, ask, volume, fetched_at),
        terms=terms,
        measured_from=source.instant(row.get("eventStartTime")),
    )


def _terms(row: Row) -> Terms | None:
    deadline, rules = source.instant(row.get("endDate")), source.text(row.get("description"))
    title, group = source.text(row.get("question")), source.text(row.get("groupItemTitle"))
    return None if deadline is None else Terms(title, group, deadline, rules)


def _settlement(row: Row, fetched_at: int) -> SettledMarket | None:
    """The settlement of a market; None before it is resolved, regardless of its prices."""
    outcomes, prices = _outcomes(row), _prices(row)
    if row.get("closed") is not True or row.get("umaResolutionStatus") != "resolved" or outcomes is None:
        return None
    if prices is None or prices not in WINNERS:
        return None
    winner = WINNERS[prices]
    outcome: Outcome = "void" if winner is None else "yes" if winner == _yes_of(outcomes) else "no"
    resolved_at = source.instant(row.get("closedTime")) or source.instant(row.get("umaEndDate")) or fetched_at
    evidence = f"{outcomes[0]} pays {prices[0]:g}, {outcomes[1]} pays {prices[1]:g}"
    return Settlement(outcome, resolved_at, evidence, NAME), _terms(row)


def _outcomes(row: Row) -> tuple[str, str] | None:
    """The names of both outcomes in their order; None unless they are yes and no, or up and down."""
    names = [str(name) for name in source.listed(row.get("outcomes"))]
    if tuple(name.lower() for name in names) not in YES_AT:
        return None
    return names[0], names[1]


def _yes_of(outcomes: tuple[str, str]) -> int:
    return YES_AT[outcomes[0].lower(), outcomes[1].lower()]


def _prices(row: Row) -> tuple[float, float] | None:
    values = [source.number(value) for value in source.listed(row.get("outcomePrices"))]
    prices = [value for value in values if value is not None and 0 <= value <= 1]
    return (prices[0], prices[1]) if len(prices) == len(values) == 2 else None


def _quote(row: Row, yes: int) -> tuple[float | None, float | None]:
    """The bid and the ask of YES; a bid for one outcome is an ask for the other."""
    bid, ask = source.price(row.get("bestBid")), source.price(row.get("bestAsk"))
    if yes == 0:
        return bid, ask
    return None if ask is None else 1 - ask, None if bid is None else 1 - bid


POLYMARKET = OddsSource(
    NAME,
    path="/markets/keyset",
    key="id",
    cursor="next_cursor",
    parameter="after_cursor",
    open_queries=_open_queries,
    settled_query=lambda ids: {"id": list(ids), "closed": "true", "limit": PAGE},
    read_market=_market,
    read_settlement=_settlement,
)
