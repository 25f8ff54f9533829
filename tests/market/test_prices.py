"""The document of prices."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from service.market.bars import Bars, from_rows
from service.market.instants import DAY, HOUR, iso, utc
from service.market.prices import ASSUMED_RATES, PricesDocument, Rate, candles_json, candles_table, describe
from tests.market.coverages import whole

MONDAY = 1_763_942_400  # 2025-11-24T00:00:00Z
NOON = utc(1_795_262_400)
BARS = from_rows([(1_795_262_400, 1.0, 2.5, 0.5, 2.0, 3.25), (1_795_266_000, 2.0, 2.0, 1.0, 1.5, 0.0)], HOUR)


def bars_until(end: int, closes: list[float], step: int = HOUR) -> Bars:
    """Consecutive bars with these closes, whose high and low are 1 above and below, the last ending at `end`."""
    start = end - step * len(closes)
    return from_rows([(start + step * n, c, c + 1, c - 1, c, 1.0) for n, c in enumerate(closes)], step)


def document(bars: dict[str, Bars], made_at: int = MONDAY) -> PricesDocument:
    sources = dict.fromkeys(bars, "a file")
    return describe(bars, whole(bars, made_at), made_at=made_at, world="simulated", ended=False, sources=sources)


@pytest.mark.parametrize(
    ("closes", "change", "high", "low"),
    [
        ([100.0, *[50.0] * 23, 110.0], 10.0, 111.0, 49.0),
        ([100.0] * 24, None, 101.0, 99.0),
        ([900.0, 100.0, *[50.0] * 22, 70.0], -92.22, 101.0, 49.0),
    ],
)
def test_a_price_has_its_change_and_range_of_24_hours(closes, change, high, low):
    """The change is relative to the close 24 hours ago, and null where there is none."""
    (price,) = document({"btc": bars_until(MONDAY, closes)}).prices
    assert (price.price, price.high_24h, price.low_24h) == (closes[-1], high, low)
    assert price.change_24h_pct == (change and pytest.approx(change, abs=0.005))


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
    for end, is_open in ((friday, False), (sunday, True)):
        bars = {"btc": bars_until(sunday, [1.0] * 25), "gold": bars_until(end, [2.0] * 25)}
        assert [price.market_open for price in document(bars, sunday).prices] == [True, is_open]


def test_a_page_has_its_bars_with_the_length_of_one():
    page = json.loads(candles_json("btc", "1h", BARS, world="simulated", source="generated", next="abc"))
    assert (page["schema"], page["step_s"], page["count"], page["next"]) == ("candles/1", 3600, 2, "abc")
    prices = {"open": 1.0, "high": 2.5, "low": 0.5, "close": 2.0, "volume": 3.25}
    assert page["bars"][0] == {"time": "2026-11-21T12:00:00Z"} | prices


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


@pytest.mark.parametrize(("age_s", "expected"), [(0, True), (7200, True), (7201, False)])
def test_a_quoted_rate_may_be_used_for_two_hours(age_s: int, expected: bool):
    """And an assumed one always."""
    assert Rate(1.1, "kraken", NOON - timedelta(seconds=age_s)).is_fresh(NOON) is expected
    assert all(rate.is_fresh(NOON) for rate in ASSUMED_RATES.values())
