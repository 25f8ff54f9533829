"""The record of price forecasts: coverage and scores with their intervals, and what calibrated forecasts would show."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.widgets.base.theme import palette_of
from notebooks.widgets.forecast.calibration import coverages, ratio_text, record_line, shapes, texts

PALETTE = palette_of("light")
NO_RECORD: dict[str, Any] = {"n": 0, "n_eff": None, "coverage_pct": None, "pit_pct": None, "low": None, "high": None}


def record(**changes: Any) -> dict[str, Any]:
    scores = {"n": 1_000, "n_eff": 100.0, "crps_ratio": 0.95, "low": 0.9, "high": 1.0}
    return {
        **scores,
        "verdict": "no clear difference yet",
        "coverage_pct": {"80": 50.0},
        "pit_pct": [10.0] * 10,
    } | changes


def test_the_interval_of_a_coverage_follows_from_n_eff():
    """Half of 100 independent forecasts: 40.4 to 59.6, whatever n is."""
    assert str(coverages(record())["80"]) == "50.0% [40.4, 59.6]"


def test_less_than_one_independent_forecast_counts_as_one():
    assert str(coverages(record(n_eff=0.2))["80"]) == "50.0% [5.5, 94.5]"


def test_a_record_without_forecasts_has_no_coverage():
    assert coverages(NO_RECORD) == {}
    assert record_line("24h", NO_RECORD) == "no 24h forecast has resolved yet"
    assert texts({"24h": NO_RECORD}, "24h", PALETTE) == shapes({"24h": NO_RECORD}, "24h", PALETTE) == []


def test_a_ratio_has_its_interval_and_n():
    """In the first weeks it has no interval."""
    assert ratio_text(record()) == "0.950 [0.900, 1.000], n 1,000"
    assert ratio_text(record(low=None, high=None)) == "0.950, n 1,000"


def test_the_record_in_one_line_has_n_and_the_verdict():
    line = record_line("7d", record(verdict="<b>"))
    assert line == "7d forecasts of all assets: n 1,000, effective n 100 · CRPS against plain volatility: &lt;b&gt;"


def test_ten_percent_of_each_tenth_has_its_range_of_luck():
    """Ten of 100 independent forecasts: 5.5 to 17.4, by Wilson's formula."""
    (at_one, band, line) = shapes({"7d": record()}, "7d", PALETTE)
    assert (at_one["x0"], at_one["x1"]) == (1, 1)
    assert (band["y0"], band["y1"]) == pytest.approx((5.52, 17.44), abs=0.01)
    assert (line["y0"], line["y1"]) == (10, 10)


def test_only_drawn_charts_have_headings():
    """Where one horizon has resolved, the scores are drawn, and the calibration of another is not."""
    records = {"1h": record(), "7d": NO_RECORD}
    assert [text["text"][:4] for text in texts(records, "7d", PALETTE)] == ["CRPS", "1h: "]
    assert [text["text"][:4] for text in texts(records, "1h", PALETTE)] == ["PIT;", "Cove", "CRPS", "1h: "]
