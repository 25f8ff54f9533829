"""The document of prices."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from service.market.bars import Bars, from_rows
from service.market.instants import DAY, HOUR, iso, utc
from service.market.prices import ASSUMED_RATES, FRESH_FOR, PricesDocument, Rate, candles_json, candles_table, describe
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


def test_a_price_says_whether_it_trades():
    """On a Sunday the market of gold is closed since Friday; a token of gold trades all the same."""
    sunday, friday = MONDAY - DAY, MONDAY - 3 * DAY
    quotes = {
        name: document({"btc": bars_until(sunday, [1.0] * 25), "gold": bars_until(end, [2.0] * 25)}, sunday).prices
        for name, end in (("metal", friday), ("token", sunday))
    }
    assert {name: [price.market_open for price in prices] for name, prices in quotes.items()} == {
        "metal": [True, False],
        "token": [True, True],
    }


BARS = from_rows([(1_795_262_400, 1.0, 2.5, 0.5, 2.0, 3.25), (1_795_266_000, 2.0, 2.0, 1.0, 1.5, 0.0)], HOUR)


def test_a_page_has_its_bars_with_the_length_of_one():
    page = json.loads(candles_json("btc", "1h", BARS, world="simulated", source="generated", next="abc"))
    assert (page["schema"], page["step_s"], page["count"], page["next"]) == ("candles/1", 3600, 2, "abc")
    assert page["bars"][0] == {
        "time": "2026-11-21T12:00:00Z",
        "open": 1.0,
        "high": 2.5,
        "low": 0.5,
        "close": 2.0,
        "volume": 3.25,
    }


@pytest.mark.parametrize(("asset", "unit"), [("btc", "BTC"), ("gold", "troy ounces"), ("silver", "troy ounces")])
def test_a_volume_has_the_unit_of_its_asset(asset: str, unit: str):
    assert json.loads(candles_json(asset, "1h", BARS, world="live", source="", next=None))["volume_unit"] == unit


def test_a_csv_file_has_a_header_and_a_line_for_each_bar():
    assert candles_table(BARS).to_csv().decode().split("\r\n") == [
        "time,open,high,low,close,volume",
        "2026-11-21T12:00:00Z,1.0,2.5,0.5,2.0,3.25",
        "2026-11-21T13:00:00Z,2.0,2.0,1.0,1.5,0.0",
        "",
    ]


NOON = utc(1_795_262_400)


@pytest.mark.parametrize(
    ("age", "expected"), [(timedelta(0), True), (FRESH_FOR, True), (FRESH_FOR + timedelta(seconds=1), False)]
)
def test_a_quoted_rate_may_be_used_for_two_hours(age: timedelta, expected: bool):
    assert timedelta(hours=2) == FRESH_FOR
    assert Rate(1.1, "kraken", NOON - age).is_fresh(NOON) is expected


def test_an_assumed_rate_may_always_be_used():
    assert all(rate.is_fresh(NOON) for rate in ASSUMED_RATES.values())
