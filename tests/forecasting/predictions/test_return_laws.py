"""What the simulated outside market believes: Student's t law, the true law of a world, and a GARCH process."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from service.forecasting.densities.sizes import LEVELS
from service.forecasting.predictions.return_laws import ReturnLaw, StudentBase, believe, garch
from service.forecasting.voters.distribution import close_above, probability, touch_above
from service.forecasting.voters.forecast_inputs import AssetState
from service.market.instants import DAY, HOUR
from tests.forecasting.made import NOW

STATE = AssetState("btc", 100.0, NOW, NOW + 10 * HOUR, 10.0, 0.02, 2e-5, 1e-5, 400.0, {}, math.log(1e-5), {})


@given(z=st.floats(-6, 6), ratio=st.floats(0.5, 2), freedom=st.floats(4.5, 40))
def test_a_close_has_the_odds_of_students_t(z, ratio, freedom):
    """Against scipy, with the scale at which the standard deviation is `ratio`."""
    scale = ratio * math.sqrt((freedom - 2) / freedom)
    assert probability(StudentBase(ratio, freedom).log_odds(z)) == pytest.approx(
        t.sf(z, freedom, scale=scale), abs=0.003
    )


@given(ratio=st.floats(0.5, 2), freedom=st.floats(4.5, 40))
def test_the_sizes_are_the_quantiles_of_the_law(ratio, freedom):
    """A close above a size and one below it have together the rest of the probability."""
    base = StudentBase(ratio, freedom)
    tails = [2 * probability(base.log_odds(size)) for size in base.close_sizes.tolist()]
    assert tails == pytest.approx((1 - LEVELS).tolist(), abs=1e-9)


@given(z=st.floats(0.01, 5), freedom=st.floats(4.5, 40))
def test_a_touch_is_twice_as_likely_as_a_close(z, freedom):
    base = StudentBase(1.0, freedom)
    assert base.touch(z) == pytest.approx(2 * probability(base.log_odds(z)))


@given(z=st.floats(-3, 3), mean=st.floats(-0.02, 0.02))
def test_a_mean_moves_the_distribution(z, mean):
    """A level at z is as likely as one at z less the mean, in units of the distances, without a mean."""
    unit, law = 0.02, ReturnLaw(mean, 0.03, 6.0)
    expected = probability(StudentBase(1.5, 6.0).log_odds(z - mean / unit))
    assert close_above(law.curve(unit), z) == pytest.approx(expected)


def test_a_positive_mean_makes_touches_above_likelier():
    levels = [touch_above(ReturnLaw(mean, 0.02, 8.0).curve(0.02), 1.0) for mean in (-0.005, 0.0, 0.005)]
    assert levels == sorted(levels)
    assert levels[1] == pytest.approx(2 * close_above(ReturnLaw(0.0, 0.02, 8.0).curve(0.02), 1.0))


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_garch_returns_to_the_level_at_its_persistence(ratio):
    """Hour by hour: 0.08 + 0.90 of the excess is left after each; the level is (1 + 1.4) / 2."""
    state = replace(STATE, variance={"garch": math.log(ratio), "variance_720h": math.log(1.4)})
    expected = sum(1e-5 * (1.2 + (ratio - 1.2) * 0.98**hour) for hour in range(10))
    assert garch(state, None).sigma ** 2 == pytest.approx(expected)


def test_garch_counts_seasonal_hours_once_they_are_fitted(fits):
    """A Saturday is shorter than its hours wherever the season says so."""
    season = fits.densities["always"].season
    weights = season.weights
    (hours,) = season.hours("btc", np.array([STATE.now]), np.array([STATE.until])).tolist()
    assert len(set(weights)) > 1
    assert garch(STATE, fits).sigma ** 2 == pytest.approx(1e-5 * hours)


def test_tails_of_garch_are_thinner_over_longer_horizons():
    month = replace(STATE, until=NOW + 30 * DAY, hours=720.0)
    assert 4.5 < garch(STATE, None).freedom < 5 < garch(month, None).freedom


def test_the_true_law_of_a_world_is_believed_where_there_is_one():
    law = believe(STATE, None, lambda asset, since, until: (0.01, (until - since) / HOUR * 1e-4))
    assert (law.mean, law.sigma) == (0.01, pytest.approx(math.sqrt(1e-3)))
    assert believe(STATE, None, None) == garch(STATE, None)
