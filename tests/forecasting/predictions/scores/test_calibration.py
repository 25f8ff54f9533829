"""Calibration by ten bins of equal size, from thirty markets on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.calibration import calibrate
from service.scores.dependence import LEVELS
from service.scores.intervals import clustered_mean

WEEKS = np.arange(400)


def test_calibration_starts_at_thirty_markets():
    p, happened = np.full(30, 0.5), np.tile([0.0, 1.0], 15)
    assert calibrate(p[:29], happened[:29], WEEKS[:29]) is None
    report = calibrate(p, happened, WEEKS[:30])
    assert (report.n, report.miscalibration, report.discrimination, report.uncertainty) == (30, 0.0, 0.0, 0.25)


def test_bins_by_hand():
    """30 forecasts, three bins of ten: .1 came true once in ten, .5 five times, .9 nine times.

    The last bin has one forecast in each of ten weeks: the interval of their clustered mean.
    """
    p = np.repeat([0.1, 0.5, 0.9], 10)
    happened = np.concatenate([np.arange(10) < hits for hits in (1, 5, 9)]).astype(float)
    report = calibrate(p, happened, np.tile(np.arange(10), 3))
    assert [(each.p, each.observed_pct, each.n) for each in report.bins] == [
        (0.1, 10.0, 10),
        (0.5, 50.0, 10),
        (0.9, 90.0, 10),
    ]
    low, high = clustered_mean(happened[20:], np.arange(10), LEVELS).share_interval()
    assert (report.bins[2].low_pct, report.bins[2].high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)


@settings(max_examples=30)
@given(st.integers(30, 400), st.integers(0, 1000))
def test_bins_are_equal_ordered_and_complete(n, seed):
    dice = np.random.default_rng(seed)
    p = dice.random(n)
    report = calibrate(p, (dice.random(n) < p).astype(float), dice.integers(0, 12, n))
    sizes = [each.n for each in report.bins]
    assert sum(sizes) == n
    assert len(sizes) <= 10
    assert min(sizes) >= 10
    assert max(sizes) - min(sizes) <= 1
    assert [each.p for each in report.bins] == sorted(each.p for each in report.bins)
    assert all(each.low_pct <= each.observed_pct <= each.high_pct for each in report.bins)
