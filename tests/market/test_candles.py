"""A page of bars as JSON and as a table."""

from __future__ import annotations

import json

import pytest

from service.market.bars import from_rows
from service.market.candles import candles_json, candles_table
from service.market.instants import HOUR

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
