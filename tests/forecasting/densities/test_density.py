"""The distribution of a return over one horizon, and the mixture of several."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from service.forecasting.densities.density import (
    density,
    horizon_sigma,
    mixture_sizes,
    normal,
    outperforms,
    signed,
    student,
)
from service.forecasting.densities.fits import HORIZONS_H, ModelFit
from tests.forecasting.densities.test_sizes import NORMAL_SIZES, PHI

SIZES = tuple(NORMAL_SIZES.tolist())
SIZES_BY_HORIZON = (SIZES,) * len(HORIZONS_H)
MODEL = ModelFit(("garch",), tuple((0.0, 1.0 / hours) for hours in HORIZONS_H), *(SIZES_BY_HORIZON,) * 3)
NORMAL = normal(0.05)
LEVELS = np.array([0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99])
SIGMAS = st.lists(st.floats(0.01, 0.2), min_size=1, max_size=9)


@given(distance=st.floats(-0.3, 0.3), drift=st.sampled_from([0.0, 0.02]))
def test_above_and_below_add_up_to_one(distance, drift):
    """The mirrored distribution is above the mirrored level as often as this one is below it."""
    moved, mirrored = replace(NORMAL, drift=drift), replace(NORMAL, drift=-drift)
    assert moved.above(distance) + mirrored.above(-distance) == pytest.approx(1, abs=1e-12)


def test_a_normal_density_by_hand():
    """Sigma 5%: P(above +5%) = .1587, P(touch +5%) = .3173."""
    assert NORMAL.above(0.05) == pytest.approx(1 - PHI(1), abs=0.001)
    assert NORMAL.touch(0.05) == pytest.approx(2 * (1 - PHI(1)), abs=0.001)
    assert NORMAL.between(-0.05, 0.1) == pytest.approx(PHI(2) - PHI(-1), abs=0.001)
    assert (NORMAL.above(0.0), NORMAL.touch(0.0)) == (0.5, 1.0)
    still = normal(0.0)
    assert (still.above(0.01), still.above(-0.01), still.above(0.0)) == (0.0, 1.0, 0.5), "a closed market"


@pytest.mark.parametrize("freedom", [3.0, 5.0, 16.0])
@pytest.mark.parametrize("distance", [0.01, 0.05, 0.1])
def test_student_tails_are_those_of_scipy(freedom, distance):
    scale = 0.05 * np.sqrt((freedom - 2) / freedom)
    assert student(0.05, freedom).above(distance) == pytest.approx(stats.t(freedom, 0, scale).sf(distance), abs=0.004)


@pytest.mark.parametrize("times", [0.5, 1.0, 2.0])
def test_an_unknown_volatility_is_known_to_a_quarter(times):
    """Log-normal with mean square 1: P(above x) = Phi(-ln(x) / .25 - .25), at one sigma .40."""
    expected = PHI(-np.log(times) / 0.25 - 0.25)
    assert NORMAL.more_volatile(times * NORMAL.sigma) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("lean", [-0.03, 0.0, 0.04])
@pytest.mark.parametrize("level", [0.01, 0.05, 0.12])
def test_a_touch_with_drift_is_that_of_a_brownian_motion(lean, level):
    """Against the formula of the first passage of a motion with drift (Borodin and Salminen 2002)."""
    moved = replace(NORMAL, drift=lean)
    m, d = lean / 0.05, level / 0.05
    expected = PHI(m - d) + np.exp(2 * m * d) * PHI(-m - d)
    assert moved.touch(level) == pytest.approx(expected, abs=0.002)
    assert replace(NORMAL, drift=-lean).touch(-level) == pytest.approx(moved.touch(level), abs=1e-9)


@given(level=st.floats(0.01, 0.3), lean=st.floats(-0.1, 0.1))
def test_a_touch_is_at_least_as_likely_as_a_close(level, lean):
    moved = replace(NORMAL, drift=lean)
    assert 1 >= moved.touch(level) >= moved.above(level)
    assert moved.touch(-level) >= 1 - moved.above(-level)


@given(p_up=st.floats(0.05, 0.95))
def test_leaning_gives_the_wanted_probability_of_a_rise(p_up):
    assert NORMAL.leaning(p_up).above(0.0) == pytest.approx(p_up, abs=1e-9)


@given(level=st.floats(0.0005, 0.9995))
def test_quantiles_are_the_inverse_of_the_tail(level):
    (quantile,) = NORMAL.quantiles(np.array([level])).tolist()
    assert 1 - NORMAL.above(quantile) == pytest.approx(level, abs=1e-9)


@given(SIGMAS, st.lists(st.floats(3, 30), min_size=9, max_size=9))
def test_quantiles_of_a_mixture_have_their_probability(sigmas, freedoms):
    """To 1e-9, from which follows that levels and quantiles add up."""
    parts = [student(sigma, freedom) for sigma, freedom in zip(sigmas, freedoms, strict=False)]
    sizes = mixture_sizes(np.array([[sigma] for sigma in sigmas]), [part.close for part in parts], abs(2 * LEVELS - 1))
    for level, quantile in zip(LEVELS, signed(LEVELS, sizes[0]), strict=True):
        assert 1 - np.mean([part.above(float(quantile)) for part in parts]) == pytest.approx(level, abs=1e-9)


@given(SIGMAS)
def test_a_mixture_lies_between_its_parts(sigmas):
    each = [normal(sigma).quantiles(LEVELS) for sigma in sigmas]
    pooled = signed(
        LEVELS, mixture_sizes(np.array(sigmas)[:, None], [NORMAL_SIZES] * len(sigmas), abs(2 * LEVELS - 1))[0]
    )
    assert (np.min(each, axis=0) - 1e-12 <= pooled).all()
    assert (pooled <= np.max(each, axis=0) + 1e-12).all()


def test_sigma_follows_level_term_and_clock():
    """Level ln 4e-5, term .4 at an hour: sqrt(4e-5 e^.4 * 2 seasonal hours)."""
    result = density(MODEL, np.log(4e-5), {"garch": 0.4}, hours=1.0, seasonal_hours=2.0)
    assert result.sigma == pytest.approx((4e-5 * np.exp(0.4) * 2) ** 0.5)


def test_a_term_that_a_stored_context_lacks_is_not_unusual():
    """During an upgrade new fits meet contexts of the version before, which must not fail an answer."""
    without, usual = (density(MODEL, -9.0, terms, 1.0, 2.0) for terms in ({}, {"garch": 0.0}))
    assert without.sigma == usual.sigma != density(MODEL, -9.0, {"garch": 0.4}, 1.0, 2.0).sigma


def test_beyond_thirty_days_the_variance_returns_to_the_level():
    ratios = [
        np.log(density(MODEL, 0.0, {"garch": 72.0}, hours=hours, seasonal_hours=1.0).sigma ** 2)
        for hours in (720, 1440, 7200)
    ]
    assert ratios == pytest.approx([0.1, 0.05, 0.01])


def test_plain_volatility_fades_from_the_present_to_the_usual():
    """exp(-720 / 720) of a month's variance is the present one."""
    share = np.exp(-1)
    assert horizon_sigma(4e-5, 1e-5, 720.0) == pytest.approx(np.sqrt((share * 4e-5 + (1 - share) * 1e-5) * 720))
    assert horizon_sigma(4e-5, 1e-5, 0.0) == 0


@pytest.mark.parametrize(("correlation", "lead", "p"), [(0.5, 0.0, 0.5), (0.5, 0.05, PHI(1)), (-1.0, 0.05, PHI(0.5))])
def test_outperforming_by_hand(correlation, lead, p):
    """Two sigmas of 5%: their difference has 5% with a correlation of one half, and 10% with -1."""
    assert outperforms(NORMAL, NORMAL, correlation, lead) == pytest.approx(p)
    assert outperforms(NORMAL, NORMAL, correlation, -lead) == pytest.approx(1 - p)
    assert outperforms(NORMAL, NORMAL, 1.0, lead) == (1.0 if lead else 0.5), "returns that cannot differ"
