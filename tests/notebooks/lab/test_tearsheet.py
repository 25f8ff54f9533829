"""A tearsheet is drawn with the numbers that it states."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import tearsheet
from notebooks.lab.tearsheet_panel import MONTHS, Tearsheet


@pytest.fixture
def sheet():
    hours = pd.date_range("2024-11-20", periods=24 * 60, freq="h", tz="UTC")
    steps = np.random.default_rng(1).normal(0, 0.005, (2, len(hours)))
    mine, other = (pd.Series(100 * np.exp(np.cumsum(row)), hours, name="<mine>") for row in steps)
    with_benchmark = tearsheet(mine, other)
    yield with_benchmark
    with_benchmark.close()


def test_a_tearsheet_draws_both_series_with_their_numbers(sheet: Tearsheet):
    """Two of the same name stay two; text from outside is escaped."""
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
    product = 100 * (np.nanprod(1 + gains / 100) - 1)
    assert product == pytest.approx(sheet.statistics["return_pct"].iloc[0])


def test_a_saved_notebook_shows_the_numbers_without_a_kernel(sheet: Tearsheet):
    bundle = sheet._repr_mimebundle_()
    assert "worst drawdown" in bundle["text/plain"]
    assert "sortino" in bundle["text/html"]
