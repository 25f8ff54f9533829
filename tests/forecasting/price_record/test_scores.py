"""The scores of committed forecasts: against numbers by hand and the closed form of a normal law."""

from __future__ import annotations

from math import exp, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.price_record.committed import SHARES
from service.forecasting.price_record.scores import LEVELS, NORMAL, WEIGHTS, pinball, score
from service.forecasting.voters.price_forecasts import PERCENTS
from tests.forecasting.price_record.made import HALF_WIDTHS, price_forecast

UNIT = NormalDist()


def price_after(percent: float) -> float:
    """100 USD after a log return in percent."""
    return 100 * exp(percent / 100)


def crps_of_normal(sigma: float, outcome: float) -> float:
    """The closed form (Gneiting and Raftery 2007, equation 21)."""
    z = outcome / sigma
    return sigma * (z * (2 * UNIT.cdf(z) - 1) + 2 * UNIT.pdf(z) - 1 / sqrt(np.pi))


def test_a_normal_law_is_exact():
    assert np.array(HALF_WIDTHS) @ WEIGHTS == pytest.approx(NORMAL)


@pytest.mark.parametrize("outcome", [0.0, 0.4, -1.3, 2.1])
def test_the_crps_is_that_of_the_law(outcome):
    """Within 2% of the integral, for the forecast (2%) and for plain volatility (1%), in units of 180 days (1.5%)."""
    scores = score([price_forecast(sigma=2, vol=1, usual=1.5)], [price_after(outcome)])
    assert scores.crps == pytest.approx([crps_of_normal(2, outcome) / 1.5], rel=0.025)
    assert scores.vol_crps == pytest.approx([crps_of_normal(1, outcome) / 1.5], rel=0.025)


def test_the_pinball_loss_by_hand():
    """An outcome of +1 under a law of 1: 0.25 of the distance above the quantile 25%, 1% of that to the last."""
    losses = score([price_forecast()], [price_after(1)]).pinball[0]
    by_percent = dict(zip(PERCENTS, losses.tolist(), strict=True))
    assert by_percent[50] == pytest.approx(0.5)
    assert by_percent[25] == pytest.approx(0.25 * (1 + 0.67449), abs=1e-5)
    assert by_percent[90] == pytest.approx(0.1 * (1.28155 - 1), abs=1e-5)
    assert by_percent[99] == pytest.approx(0.01 * (2.32635 - 1), abs=1e-5)


def test_coverage_and_pit_by_hand():
    """+1 lies in the intervals of 80% on and below 84%; -3 in none and in the lowest tenth; 0 in the fifth."""
    scores = score([price_forecast()] * 3, [price_after(1), price_after(-3), 100.0])
    assert scores.inside.tolist() == [[0, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]]
    assert scores.pit.argmax(axis=1).tolist() == [8, 0, 4]
    assert scores.pit.sum(axis=1).tolist() == [1, 1, 1]
    assert SHARES == (50, 80, 90, 98)


@given(st.floats(-20, 20), st.floats(0.1, 5), st.floats(0.1, 5))
def test_a_forecast_as_wide_as_plain_volatility_scores_alike(outcome, sigma, usual):
    scores = score([price_forecast(sigma=sigma, vol=sigma, usual=usual)], [price_after(outcome)])
    assert scores.crps == pytest.approx(scores.vol_crps)
    assert scores.crps[0] > 0


def test_the_right_width_scores_best():
    """Over normal outcomes a law of their size beats narrower and wider ones."""
    outcomes = [price_after(float(z)) for z in np.random.default_rng(1).normal(0, 1, 4000)]
    means = {
        sigma: score([price_forecast(sigma=sigma)] * 4000, outcomes).crps.mean() for sigma in (0.6, 0.8, 1, 1.25, 1.6)
    }
    assert min(means, key=means.__getitem__) == 1
    assert means[1] == pytest.approx(1 / sqrt(np.pi), rel=0.03)


def test_pinball_is_the_definition():
    """Level times the error above a quantile, one minus the level times the error below it."""
    losses = pinball(np.zeros((2, 99)), np.array([1.0, -1.0]))
    assert losses[0] == pytest.approx(LEVELS)
    assert losses[1] == pytest.approx(1 - LEVELS)


def test_no_forecasts_have_no_scores():
    assert score([], []).crps.shape == (0,)
