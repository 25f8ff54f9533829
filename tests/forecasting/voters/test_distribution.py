"""The normal distribution, and the answers that follow from a curve."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.voters import distribution
from service.forecasting.voters.distribution import PLAIN, Curve

PHI = NormalDist().cdf
DISTANCES = st.floats(0.01, 4)
LEANS = st.floats(-0.5, 0.5)


def leaning(lean: float, width: float = 0.0):
    """The normal curve with a damped lean and width, as a fit has them."""
    return Curve(distribution.NORMAL_BASE, lambda z: math.exp(-z * z / 4) * (lean + width * z))


def test_a_level_one_sigma_away_is_exceeded_in_15_9_percent():
    assert distribution.close_above(PLAIN, 1.0) == pytest.approx(0.158655, abs=1e-6)


def test_the_tail_keeps_its_precision():
    """At 6 sigma the normal distribution gives 9.866e-10 (Abramowitz and Stegun, table 26.2)."""
    assert distribution.close_above(PLAIN, 6.0) == pytest.approx(9.866e-10, rel=1e-3)


def test_many_distances_at_once_are_the_same_as_one_by_one():
    z = np.array([0.5, -1.0, 0.5, 2.0])
    assert distribution.normal_log_odds_of(z).tolist() == [distribution.normal_log_odds(value) for value in z]


def test_volatility_reverts_to_its_180_day_level():
    """After 720 hours e^-1 of the weight is left: by hand .3679 * 4e-5 + .6321 * 1e-5, times 720."""
    assert distribution.horizon_sigma(4e-5, 1e-5, 720.0) == pytest.approx(
        math.sqrt(720 * (0.367879 * 4e-5 + 0.632121 * 1e-5))
    )
    assert distribution.horizon_sigma(4e-5, 1e-5, 0.0) == 0


@given(z=DISTANCES)
def test_without_drift_a_touch_is_twice_as_likely_as_a_close_beyond(z):
    assert distribution.touch_above(PLAIN, z) == pytest.approx(2 * (1 - PHI(z)), rel=1e-9)


def test_a_touch_with_drift_follows_the_reflection_principle():
    """Lean of drift m at z = 1: Phi(m - 1) + exp(2m) Phi(-m - 1); for m = .2 by hand .211855 + 1.491825 * .115070."""
    lean = distribution.normal_log_odds(0.8) - distribution.normal_log_odds(1.0)
    curve = leaning(lean * math.exp(1 / 4))
    assert distribution.touch_above(curve, 1.0) == pytest.approx(0.211855 + 1.491825 * 0.115070, abs=1e-5)


@given(z=DISTANCES, lean=LEANS, width=st.floats(-0.8, 0.8))
def test_touching_is_never_less_likely_than_closing_beyond(z, lean, width):
    curve = leaning(lean, width)
    assert distribution.touch_above(curve, z) >= distribution.close_above(curve, z)


@given(near=st.floats(0, 3), further=st.floats(0.001, 2), lean=LEANS, width=st.floats(-0.8, 0.8))
def test_a_further_level_is_never_more_likely_to_be_touched(near, further, lean, width):
    curve = leaning(lean, width)
    assert distribution.touch_above(curve, near + further) <= distribution.touch_above(curve, near) + 1e-12


@given(z=DISTANCES, lean=LEANS)
def test_a_touch_below_is_a_touch_above_in_the_mirror(z, lean):
    assert distribution.touch_below(leaning(lean), -z) == pytest.approx(distribution.touch_above(leaning(-lean), z))


def test_a_level_that_has_been_reached_is_touched():
    assert distribution.touch_above(PLAIN, 0.0) == 1
    assert distribution.touch_below(PLAIN, 0.3) == 1


def test_between_one_sigma_either_way_lie_68_percent():
    assert distribution.close_between(PLAIN, -1.0, 1.0) == pytest.approx(0.682689, abs=1e-6)


def test_of_two_assets_the_one_with_a_drift_outperforms():
    """Drift .5 sigma at sigma 3%, against none at 4%, uncorrelated: Phi(1.5 / 5) = .617911."""
    curve = leaning(distribution.normal_log_odds(-0.5) - distribution.normal_log_odds(0.0))
    assert distribution.outperforms(curve, 0.03, PLAIN, 0.04, 0.0) == pytest.approx(0.617911, abs=1e-6)


@given(first=LEANS, second=LEANS, correlation=st.floats(-0.99, 0.99))
def test_one_of_two_assets_outperforms_the_other(first, second, correlation):
    forth = distribution.outperforms(leaning(first), 0.03, leaning(second), 0.05, correlation)
    back = distribution.outperforms(leaning(second), 0.05, leaning(first), 0.03, correlation)
    assert forth + back == pytest.approx(1)


def test_two_assets_that_move_as_one_are_a_draw():
    assert distribution.outperforms(leaning(0.5), 0.03, leaning(0.5), 0.03, 1.0) == 0.5
