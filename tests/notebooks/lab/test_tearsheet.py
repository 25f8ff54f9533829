"""Daily returns with the statistics that quantstats and empyrical give, and the tearsheet that draws them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import tearsheet
from notebooks.lab.returns import STATISTICS, daily_values, statistics
from notebooks.lab.tearsheet_panel import MONTHS, Tearsheet

GOLDEN = json.loads((Path(__file__).parent / "tearsheets.json").read_text())  # made by `make referee`
CASES = [(name, line) for name, golden in GOLDEN.items() for line in golden["statistics"]]
START = pd.Timestamp("2025-01-01", tz="UTC")


def series(values: list[float], step: str = "D") -> pd.Series:
    return pd.Series(values, pd.date_range(START, periods=len(values), freq=step), name="mine")


@pytest.mark.parametrize(("name", "line"), CASES, ids=lambda part: part)
def test_a_statistic_is_that_of_a_known_library(name: str, line: str):
    """On the same daily values, with 365 days a year, to 1e-9; where nothing falls neither has a ratio."""
    ours = statistics(series(GOLDEN[name]["values"]))[line.split()[1]].iloc[0]
    theirs = GOLDEN[name]["statistics"][line]
    assert ours == pytest.approx(np.nan if theirs is None else theirs, rel=1e-9, abs=1e-9, nan_ok=True)


def test_a_day_counts_from_its_first_to_its_last_value():
    """Hours of 2.5 days: the start is the first value; a day without a value has the one before."""
    hours = series([100.0 + hour for hour in range(60)], "h")
    days = daily_values(hours)
    assert days.tolist() == [100.0, 123.0, 147.0, 159.0]
    assert days.index.tz is None
    assert daily_values(hours.iloc[[0, 59]]).tolist() == [100.0, 100.0, 159.0]


def test_the_longest_drawdown_is_counted_in_days():
    """A number that takes more days is missing: one value is no day, one return has no deviation."""
    table = statistics({"a": series([10.0, 9, 11, 10, 10, 10, 12]), "b": series([1.0, 2, 3]), "c": series([3.0, 2, 1])})
    assert table["drawdown_days"].tolist() == [3, 0, 2]
    assert list(table.columns) == list(STATISTICS)
    table = statistics({"one": series([5.0]), "two": series([5.0, 6.0])})
    assert table["days"].tolist() == [0, 1]
    assert table.loc["one"].drop("days").isna().all()
    assert table.loc["two", ["volatility_pct", "sharpe", "var_normal_pct", "sortino", "calmar"]].isna().all()
    assert table.loc["two", "return_pct"] == pytest.approx(20)


@pytest.mark.parametrize(
    "faulty",
    [
        *(series(values) for values in ([1.0, -1.0], [0.01, 0.0], [1.0, np.nan], [])),
        *(pd.Series([1.0, 2.0]), series([1.0, 2.0])[::-1]),
    ],
)
def test_what_is_no_series_of_values_is_refused(faulty: pd.Series):
    """Returns, missing values, no instants or none in order."""
    with pytest.raises(ValueError, match=r"The (series needs|values must)"):
        daily_values(faulty)


@pytest.fixture
def sheet():
    hours = pd.date_range("2024-11-20", periods=24 * 60, freq="h", tz="UTC")
    steps = np.random.default_rng(1).normal(0, 0.005, (2, len(hours)))
    mine, other = (pd.Series(100 * np.exp(np.cumsum(row)), hours, name="<mine>") for row in steps)
    with_benchmark = tearsheet(mine, other)
    yield with_benchmark
    with_benchmark.close()


def test_a_tearsheet_draws_both_series_with_their_numbers(sheet: Tearsheet):
    """Two of the same name stay two, and text from outside is escaped."""
    assert list(sheet.statistics.index) == ["<mine>", "benchmark"]
    row = sheet.statistics.loc["<mine>"]
    assert sheet.gains[0].y[-1] == pytest.approx(row["return_pct"])
    assert min(sheet.falls[0].y) == pytest.approx(row["max_drawdown_pct"])
    assert "&lt;mine&gt;" in sheet.figure.layout.title.text
    assert f"{row['sharpe']:.2f}".lstrip("-") in sheet.figure.layout.title.text
    assert "Sortino ratio" in sheet.detail.value
    assert sheet.table().content == sheet.statistics.to_csv()


def test_the_months_multiply_to_the_whole(sheet: Tearsheet):
    gains = np.array(sheet.months.z, float)
    assert list(sheet.months.x) == ["2024", "2025"]
    assert [MONTHS[row] for row in np.flatnonzero(np.isfinite(gains).any(axis=1))] == ["Jan", "Nov", "Dec"]
    assert 100 * (np.nanprod(1 + gains / 100) - 1) == pytest.approx(sheet.statistics["return_pct"].iloc[0])
