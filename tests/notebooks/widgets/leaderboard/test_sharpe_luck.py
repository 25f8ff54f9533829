"""The luck in a Sharpe ratio."""

from __future__ import annotations

import numpy as np
import pytest

from notebooks.widgets.base.theme import palette_of
from notebooks.widgets.leaderboard.sharpe_luck import best_by_luck, usual_range, whiskers, years_of


def test_the_interval_shrinks_with_the_root_of_time():
    """1.96 after a year and 0.98 after four."""
    for years, half in ((1.0, 1.96), (4.0, 0.98)):
        shape = usual_range(years, palette_of("dark"))
        assert (-shape["x0"], shape["x1"]) == pytest.approx((half, half), abs=1e-4)


def test_the_best_of_many_grows_with_their_number():
    """One coin flipper has a median of 0; of two, the better is below 0.5449 in half of all cases."""
    assert best_by_luck(1, 1.0) == pytest.approx(0.0, abs=1e-9)
    assert best_by_luck(2, 1.0) == pytest.approx(0.5450, abs=1e-3)


def test_simulated_coin_flippers_have_the_best_by_luck():
    """The median over 2,000 histories of the best annual ratio of 50 coin flippers on a year of daily returns."""
    random = np.random.default_rng(7)
    best = []
    for _ in range(2_000):
        heads = random.binomial(365, 0.5, 50)
        mean = (2 * heads - 365) / 365
        best.append((mean / np.sqrt(1 - mean**2) * 365**0.5).max())
    assert np.median(best) == pytest.approx(best_by_luck(50, 1.0), abs=0.06)


def test_the_length_of_a_record_is_in_years():
    strategy = {"started_at": "2026-01-01T00:00:00Z", "as_of": "2026-03-15T00:00:00Z"}  # 73 days
    assert years_of(strategy) == pytest.approx(0.2)
    assert years_of({**strategy, "as_of": strategy["started_at"]}) == pytest.approx(1 / 365)


def test_a_whisker_is_half_of_the_interval():
    """A missing ratio has none."""
    rows = [{"sharpe": 1.0, "sharpe_low": -0.5, "sharpe_high": 2.5}, {"sharpe": None, "sharpe_high": None}]
    assert whiskers(rows, palette_of("dark"))["array"] == [1.5, 0.0]
