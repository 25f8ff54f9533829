"""The coverage of published intervals: which are found, and that of planted ones."""

from __future__ import annotations

import numpy as np

from tests.measure.interval_coverage import coverage, published


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
