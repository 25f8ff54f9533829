"""The document of prices."""

from __future__ import annotations

from service.market.bars import Bars, from_rows
from service.market.instants import DAY, HOUR, iso
from service.market.prices import PricesDocument, describe
from tests.market.coverages import whole

MONDAY = 1_763_942_400  # 2025-11-24T00:00:00Z


def bars_until(end: int, closes: list[float], step: int = HOUR) -> Bars:
    """Consecutive bars with these closes, whose high and low are 1 above and below, the last ending at `end`."""
    start = end - step * len(closes)
    return from_rows([(start + step * n, c, c + 1, c - 1, c, 1.0) for n, c in enumerate(closes)], step)


def document(bars: dict[str, Bars], made_at: int = MONDAY) -> PricesDocument:
    return describe(
        bars,
        whole(bars, made_at),
        made_at=made_at,
        world="simulated",
        ended=False,
        sources=dict.fromkeys(bars, "a file"),
    )


def test_the_change_is_relative_to_the_close_24_hours_ago():
    (price,) = document({"btc": bars_until(MONDAY, [100.0, *[50.0] * 23, 110.0])}).prices
    assert (price.price, price.change_24h_pct) == (110.0, 10.0)


def test_without_a_bar_24_hours_ago_the_change_is_null():
    (price,) = document({"btc": bars_until(MONDAY, [100.0] * 24)}).prices
    assert price.change_24h_pct is None


def test_high_and_low_are_those_of_the_last_24_hours():
    (price,) = document({"btc": bars_until(MONDAY, [900.0, 100.0, *[50.0] * 22, 70.0])}).prices
    assert (price.high_24h, price.low_24h) == (101.0, 49.0)


def test_the_document_is_as_of_its_newest_bar():
    """Gold has not traded since Friday; its own price says so."""
    friday = MONDAY - 2 * DAY
    result = document({"btc": bars_until(MONDAY, [1.0] * 25), "gold": bars_until(friday, [2.0] * 25)})
    assert (result.as_of, result.count) == (iso(MONDAY), 2)
    assert [price.as_of for price in result.prices] == [iso(MONDAY), iso(friday)]
    assert result.stale_after == iso(MONDAY + 3 * HOUR)


def test_a_price_says_whether_its_market_is_open():
    bars = {"btc": bars_until(MONDAY - DAY, [1.0] * 25), "gold": bars_until(MONDAY - DAY, [2.0] * 25)}
    assert [price.market_open for price in document(bars, MONDAY - DAY).prices] == [True, False]
