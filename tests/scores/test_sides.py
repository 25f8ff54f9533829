"""The share of right sides, beside forecasters without insight."""

from __future__ import annotations

import numpy as np

from service.scores.intervals import LEVELS, RightShare, clustered_mean, right_share, sides_right

WEEKS = np.arange(4)


def test_a_share_by_hand():
    """YES .7, .2, .6 and .5 of yes, no, no, yes: two of three sides; the likelier side is right in one and a half."""
    share = right_share(
        np.array([0.7, 0.2, 0.6, 0.5]), np.array([0.5, 0.6, 0.4, 0.9]), np.array([1.0, 0.0, 0.0, 1.0]), WEEKS, LEVELS
    )
    assert (share.n, share.accuracy_pct) == (3, 66.6667)
    assert (share.likelier_side_pct, share.always_no_pct) == (50.0, 66.6667)


def test_its_interval_is_clustered_by_week():
    """Twelve weeks of five questions that come out alike within each."""
    outcomes = np.repeat([1.0, 1.0, 0.0] * 4, 5)
    weeks = np.repeat(np.arange(12), 5)
    share = right_share(np.full(60, 0.7), np.full(60, 0.5), outcomes, weeks, LEVELS)
    mean = clustered_mean(outcomes, weeks, LEVELS)
    low, high = mean.share_interval()
    assert (share.n, share.n_eff) == (60, round(mean.n_eff, 1))
    assert share.n_eff < 60
    assert (share.accuracy_low_pct, share.accuracy_high_pct) == (round(100 * low, 4), round(100 * high, 4))


def test_a_probability_that_rounds_to_even_has_no_side():
    share = right_share(np.array([0.50004]), np.array([0.5]), np.array([1.0]), WEEKS[:1], LEVELS)
    assert share == RightShare(0, 0.0, None, None, None, None, None)


def test_an_even_rate_is_half_right():
    assert sides_right(np.array([0.5, 0.6, 0.4]), np.array([1.0, 1.0, 1.0])).tolist() == [0.5, 1.0, 0.0]
