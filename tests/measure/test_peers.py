"""The peers: textbook models whose answers rest on the past alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from service.forecasting.densities.grid import hour_grid
from service.market.bars import Bars
from service.market.instants import DAY
from tests.forecasting.made import made_bars
from tests.measure.peers import GARCH_T, HAR, HAR_GARCH, PEERS, PLAIN, Garch, forecast
from tests.measure.price_questions import QUANTILES, ask

DAYS = 186
SIGMA = 0.005  # of an hour of the made bars


def typical(returns: np.ndarray) -> Garch:
    """Usual parameters around the variance of the returns, in place of those of the arch package."""
    return Garch(0.05 * float(returns.var()), 0.05, 0.9, 6.0)


@pytest.fixture(scope="module")
def bars() -> dict[str, Bars]:
    return {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}


@pytest.fixture(scope="module")
def laws(bars) -> dict[str, np.ndarray]:
    return forecast(hour_grid(bars), typical)


def test_every_peer_answers_every_question(bars, laws):
    questions = ask(hour_grid(bars))
    assert tuple(laws) == PEERS
    for returns in laws.values():
        assert returns.shape == (len(questions), 99)
        assert (np.diff(returns, axis=1) >= 0).all()
        np.testing.assert_allclose(returns, -returns[:, ::-1], atol=1e-12)


@pytest.mark.parametrize(("name", "tolerance"), [(PLAIN, 0.15), (GARCH_T, 0.35), (HAR, 0.35)])
def test_a_peer_finds_the_volatility_of_a_random_walk(bars, laws, name, tolerance):
    """The central half of a walk of 0.5% an hour, over the horizons of a coin up to a week."""
    questions = ask(hour_grid(bars))
    chosen = (questions["asset"] == "btc") & (questions["horizon_h"] <= 168)
    width = laws[name][chosen][:, 74] / np.sqrt(questions["horizon_h"][chosen])
    assert width.mean() == pytest.approx(SIGMA * stats.norm.ppf(0.75), rel=tolerance)


def test_the_mean_is_of_har_and_garch(laws):
    np.testing.assert_allclose(laws[HAR_GARCH], (laws[HAR] + laws[GARCH_T]) / 2)


def test_no_peer_depends_on_later_bars(bars, laws):
    """The answers made without the last two days are the same."""
    until = int(bars["btc"].time[0]) + (DAYS - 2) * DAY
    questions = ask(hour_grid(bars))
    shorter = forecast(hour_grid({asset: series.until(until) for asset, series in bars.items()}), typical)
    for name in PEERS:
        np.testing.assert_allclose(laws[name][questions["asked_at"] <= until], shorter[name], rtol=1e-12)


def test_the_variance_follows_its_recursion():
    model, returns = Garch(0.1, 0.2, 0.7, 5.0), np.array([1.0, -2.0, 0.5])
    expected, variance = [], 3.0
    for value in returns:
        variance = 0.1 + 0.2 * value**2 + 0.7 * variance
        expected.append(variance)
    assert model.variances(returns, 3.0) == pytest.approx(expected)


def test_a_closed_market_has_no_steps():
    assert Garch(0.1, 0.1, 0.8, 5.0).simulate(np.array([4.0]), set(), 10) == {}


def test_the_first_simulated_step_has_the_law_of_the_shocks():
    """Student's t of variance 1, times the standard deviation of the start; within the noise of 200,000 draws."""
    law = Garch(0.1, 0.1, 0.8, 5.0).simulate(np.array([4.0]), {1, 3}, 200_000)[1][0]
    exact = 2 * stats.t.ppf(QUANTILES, 5) * np.sqrt(3 / 5)
    np.testing.assert_allclose(law, exact, atol=0.07)
