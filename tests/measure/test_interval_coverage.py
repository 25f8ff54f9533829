"""The coverage of published intervals: which are found, and that of planted ones."""

from __future__ import annotations

import numpy as np
import pytest

from service.scores.intervals import LEVELS, clustered_mean
from tests.measure.interval_coverage import coverage, of_mean, published
from tests.scores.planted import weekly_values


def test_every_field_with_bounds_is_found():
    fields = {"n": 3, "brier": 0.2, "brier_low": 0.1, "brier_high": 0.3, "hit_pct": 50, "hit_low_pct": 40}
    assert published("AI", {**fields, "hit_high_pct": 60}) == {
        "AI brier": (0.2, 0.1, 0.3),
        "AI hit_pct": (50, 40, 60),
    }


def test_a_window_holds_the_whole_or_not():
    """Of the weeks 1 to 6 in windows of two, those that contain week 3; the weeks 0 and 7 are not whole."""
    weeks = np.repeat(np.arange(8), 5)

    def measure(rows: np.ndarray) -> dict:
        is_third = float((weeks[rows] == 3).any())
        return {"third": (1.0, 0.0, is_third), "unknown": (1.0, None, None)}

    assert coverage(measure, weeks, window=2) == {"third": (1.0, 40.0, 5)}


@pytest.mark.parametrize("window", [4, 9])
def test_planted_weeks_are_covered(window):
    """1,000 weeks of 117 values whose weeks depend on each other as levels do: 92 to 98% of rolling windows."""
    values = weekly_values(np.random.default_rng(3), 1000, 117, LEVELS.correlation, LEVELS.memory)
    weeks = np.repeat(np.arange(1000), 117)
    shares = coverage(lambda rows: of_mean("mean", clustered_mean(values[rows], weeks[rows], LEVELS)), weeks, window)
    assert 92 <= shares["mean"][1] <= 98
