"""What the simulated outside market believes: Student's t law, the true law of a world, and a GARCH process."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from service.forecasting.densities.density import student
from service.forecasting.predictions.return_laws import believe, garch
from service.forecasting.voters.forecast_inputs import AssetState
from service.market.instants import DAY, HOUR
from tests.forecasting.made import NOW

STATE = AssetState("btc", 100.0, NOW, NOW + 10 * HOUR, 10.0, 0.02, 2e-5, 1e-5, 400.0, {}, math.log(1e-5), {})


@given(z=st.floats(-6, 6), sigma=st.floats(0.01, 0.2), freedom=st.floats(4.5, 40), mean=st.floats(-0.02, 0.02))
def test_a_close_has_the_odds_of_students_t(z, sigma, freedom, mean):
    """Against scipy, with the scale at which the standard deviation is `sigma`; a mean moves the distribution."""
    scale = sigma * math.sqrt((freedom - 2) / freedom)
    law = student(sigma, freedom, mean)
    assert law.above(mean + z * sigma) == pytest.approx(t.sf(z * sigma, freedom, scale=scale), abs=0.003)


@given(z=st.floats(0.01, 5), freedom=st.floats(4.5, 40))
def test_a_touch_is_twice_as_likely_as_a_close(z, freedom):
    law = student(0.02, freedom)
    assert law.touch(0.02 * z) == pytest.approx(2 * law.above(0.02 * z))


def test_a_positive_mean_makes_touches_above_likelier():
    touches = [student(0.02, 8.0, mean).touch(0.02) for mean in (-0.005, 0.0, 0.005)]
    assert touches == sorted(set(touches))


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_garch_returns_to_the_level_at_its_persistence(ratio):
    """Hour by hour: 0.08 + 0.90 of the excess is left after each; the level is (1 + 1.4) / 2."""
    state = replace(STATE, variance={"garch": math.log(ratio), "month": math.log(1.4)})
    expected = sum(1e-5 * (1.2 + (ratio - 1.2) * 0.98**hour) for hour in range(10))
    assert garch(state, None).sigma ** 2 == pytest.approx(expected)


def test_garch_counts_seasonal_hours_once_they_are_fitted(fits):
    """A Saturday is shorter than its hours wherever the season says so."""
    season = fits.of("btc").season
    (hours,) = season.hours("btc", np.array([STATE.now]), np.array([STATE.until])).tolist()
    assert len(set(season.weights)) > 1
    assert garch(STATE, fits).sigma ** 2 == pytest.approx(1e-5 * hours)


def test_tails_of_garch_are_thinner_over_longer_horizons():
    """Beyond four sigmas; a normal return is there once in 15,787."""
    month = replace(STATE, until=NOW + 30 * DAY, hours=720.0)
    short, long = (2 * law.above(4 * law.sigma) for law in (garch(STATE, None), garch(month, None)))
    assert 0.004 > short > 10 * long > 10 / 15_787


def test_the_true_law_of_a_world_is_believed_where_there_is_one():
    law = believe(STATE, None, lambda asset, since, until: (0.01, (until - since) / HOUR * 1e-4))
    assert (law.drift, law.sigma) == (0.01, pytest.approx(math.sqrt(1e-3)))
    assert believe(STATE, None, None).sigma == garch(STATE, None).sigma
