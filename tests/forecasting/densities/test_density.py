"""One view's distribution over one horizon."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.densities.density import Density, density
from service.forecasting.densities.fits import HORIZONS_H, ViewFit
from tests.forecasting.densities.test_sizes import NORMAL_SIZES, PHI

SIZES = tuple(NORMAL_SIZES.tolist())
SIZES_BY_HORIZON = (SIZES,) * len(HORIZONS_H)
VIEW = ViewFit(("garch",), tuple((0.0, 1.0 / hours) for hours in HORIZONS_H), SIZES_BY_HORIZON, SIZES_BY_HORIZON)
NORMAL = Density(0.05, NORMAL_SIZES, NORMAL_SIZES)


def above(distance: float) -> float:
    """P(the log return is above `distance`) under NORMAL."""
    return 1 / (1 + np.exp(-NORMAL.log_odds_above(distance)))


@given(distance=st.floats(-0.2, 0.2))
def test_above_and_below_add_up_to_one(distance):
    assert above(distance) + above(-distance) == pytest.approx(1)


def test_a_normal_density_by_hand():
    """Sigma 5%: P(above +5%) = .1587, P(touch +5%) = .3173."""
    assert above(0.05) == pytest.approx(1 - PHI(1), abs=0.001)
    assert NORMAL.touch(0.05) == pytest.approx(2 * (1 - PHI(1)), abs=0.001)
    assert (above(0.0), NORMAL.touch(0.0)) == (0.5, 1.0)


@given(level=st.floats(0.01, 0.99))
def test_quantiles_are_the_inverse_of_the_tail(level):
    (quantile,) = NORMAL.quantiles(np.array([level])).tolist()
    assert 1 - above(quantile) == pytest.approx(level, abs=0.002)


def test_sigma_follows_level_feature_and_clock():
    """Level ln 4e-5, feature .4 at an hour: sqrt(4e-5 e^.4 * 2 seasonal hours)."""
    result = density(VIEW, np.log(4e-5), {"garch": 0.4}, hours=1.0, seasonal_hours=2.0)
    assert result.sigma == pytest.approx((4e-5 * np.exp(0.4) * 2) ** 0.5)


def test_a_feature_that_a_stored_context_lacks_is_not_unusual():
    """During an upgrade new fits meet contexts of the version before, which must not fail an answer."""
    without, usual = (density(VIEW, -9.0, features, 1.0, 2.0) for features in ({}, {"garch": 0.0}))
    assert without.sigma == usual.sigma != density(VIEW, -9.0, {"garch": 0.4}, 1.0, 2.0).sigma


def test_beyond_thirty_days_the_variance_returns_to_the_level():
    ratios = [
        np.log(density(VIEW, 0.0, {"garch": 72.0}, hours=hours, seasonal_hours=1.0).sigma ** 2)
        for hours in (720, 1440, 7200)
    ]
    assert ratios == pytest.approx([0.1, 0.05, 0.01])
