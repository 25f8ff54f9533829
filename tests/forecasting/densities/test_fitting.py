"""The models fitted to bars whose distribution is known."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from service.forecasting.densities.density import density, sigmas
from service.forecasting.densities.fits import HORIZONS_H, CalendarFit, Fits
from service.forecasting.densities.fitting import LEAST_DAYS, fit, fit_calendars, least_history_h
from service.forecasting.densities.grid import hour_grid
from service.forecasting.densities.models import MODELS, variance_tracks
from service.forecasting.densities.season import Season
from service.forecasting.voters.embedded import voters
from service.market.bars import Bars
from service.market.instants import HOUR
from service.market.scheduled_events import CODES
from tests.forecasting.densities.test_density import MODEL
from tests.forecasting.made import made_bars

COINS = ("btc", "eth", "sol", "bnb", "xrp")


@pytest.fixture(scope="module")
def bars():
    return {asset: made_bars(asset, 200, seed) for seed, asset in enumerate(COINS)}


@pytest.fixture(scope="module")
def fitted(bars) -> CalendarFit:
    grid = hour_grid(bars)
    return fit_calendars(grid, variance_tracks(grid), len(grid) - 1)["always"]


@pytest.mark.slow
@pytest.mark.parametrize("voter", MODELS)
@pytest.mark.parametrize("hours", [1, 24, 168, 720])
def test_half_of_a_random_walk_lies_in_the_middle_half(fitted, bars, voter, hours):
    """Made bars are a random walk of constant variance: the quartiles of each horizon are known."""
    grid = hour_grid(bars)
    track = variance_tracks(grid)["btc"]
    terms = {name: float(values[-1]) for name, values in track.terms.items()}
    result = density(fitted.models[voter], float(track.level[-1]), terms, hours, seasonal_hours=hours)
    returns = np.diff(np.log(bars["btc"].close))
    truth = 0.6745 * returns.std() * np.sqrt(hours)
    assert result.quantiles(np.array([0.75]))[0] == pytest.approx(truth, rel=0.25)


def test_nothing_after_the_row_is_used(bars):
    """The fit to a prefix of the rows is the fit to a shorter history."""
    row = 190 * 24 - 1
    past = {asset: series.until(int(series.time[0]) + (row + 1) * HOUR) for asset, series in bars.items()}
    fits = []
    for hourly in (past, bars):
        grid = hour_grid(hourly)
        fits.append(fit_calendars(grid, variance_tracks(grid), row))
    assert fits[0] == fits[1]


def test_sixteen_days_are_enough_for_models(bars):
    """Before, a calendar has none; from then on horizons that were never seen keep what the model expects."""
    needed = least_history_h(len(bars))
    assert needed <= 24 * LEAST_DAYS
    for hours, calendars in ((needed - 48, set()), (needed, {"always"})):
        until = int(bars["btc"].time[0]) + hours * HOUR
        fits = fit(bars, until)
        assert set(fits.calendars) == calendars
    month = fits.calendars["always"].models["momentum"]
    assert month.coefficients[-1] == (0.0, *MODELS["momentum"].effect(720))
    assert list(fits.calendars["always"].models) == [voter.name for voter in voters()]
    assert fit({}, 5).calendars == {}


@pytest.mark.parametrize("voter", ["garch", "trend"])
def test_a_month_is_forecast_near_the_level(voter: str):
    """After months in which variance fell it falls for the next day too, but not for ever: a month was seen rarely."""
    grid = hour_grid({asset: _falling(asset, seed) for seed, asset in enumerate(COINS)})
    model = fit_calendars(grid, variance_tracks(grid), len(grid) - 1)["always"].models[voter]
    day, month = (density(model, 0.0, {}, hours, seasonal_hours=1.0).sigma ** 2 for hours in (24, 720))
    assert (day < 0.95, 0.95 < month < 1) == (True, True)


def test_voters_disagree_how_long_variance_lasts(fitted):
    """Months of one constant variance prove nothing about it: a month's forecast is each voter's expectation."""
    for voter, model in fitted.models.items():
        expects = [effect > 0 for effect in MODELS[voter].effect(720)]
        unusual = {name: float(lasts) for name, lasts in zip(model.terms, expects, strict=True)}
        usual, raised = (density(model, 0.0, terms, 720, 720).sigma for terms in ({}, unusual))
        assert 2 * np.log(raised / usual) == pytest.approx(sum(MODELS[voter].effect(720)), abs=0.15), voter


def test_touches_count_the_highs_within_hours(fitted, bars):
    """Highs and lows a standard deviation of an hour further away move the extremes of a month by as much."""
    reach = 0.005
    wicks = {
        asset: replace(series, high=series.high * np.exp(reach), low=series.low * np.exp(-reach))
        for asset, series in bars.items()
    }
    grid = hour_grid(wicks)
    wicked = fit_calendars(grid, variance_tracks(grid), len(grid) - 1)["always"]
    moved = np.subtract(wicked.models["regime"].maximum[-1], fitted.models["regime"].maximum[-1])
    assert np.median(moved) == pytest.approx(1 / np.sqrt(720), rel=0.3)


@pytest.mark.parametrize("hours", [1, 6, 24, 168])
def test_sigma_is_the_standard_deviation_of_the_return(hours):
    """Of an hour, too, where returns have fat tails: half of the hours move six times as much as the others."""
    bars = {asset: _rough(asset, seed) for seed, asset in enumerate(COINS)}
    grid = hour_grid(bars)
    tracks = variance_tracks(grid)
    model = fit_calendars(grid, tracks, len(grid) - 1)["always"].models["news"]
    ratios = []
    for asset, track in tracks.items():
        close = np.log(bars[asset].close)
        rows = np.arange(60 * 24, len(close) - hours, 7)
        terms = track.matrix(model.terms, rows)
        sigma = sigmas(model, track.level[rows], terms, hours, np.full(len(rows), float(hours)))
        ratios.append((close[rows + hours] - close[rows]) / sigma)
    assert np.sqrt(np.mean(np.square(np.concatenate(ratios)))) == pytest.approx(1, abs=0.15)


def _rough(asset: str, seed: int) -> Bars:
    bars = made_bars(asset, 200, seed)
    generator = np.random.default_rng(seed + 100)
    return _with_returns(
        bars, generator.normal(0, 0.002, len(bars)) * np.where(generator.random(len(bars)) < 0.5, 6, 1)
    )


def _falling(asset: str, seed: int) -> Bars:
    """Bars whose variance falls to a seventh in 200 days."""
    bars = made_bars(asset, 200, seed)
    sizes = 0.01 * np.exp(-np.arange(len(bars)) / len(bars))
    return _with_returns(bars, np.random.default_rng(seed + 100).normal(0, sizes))


def _with_returns(bars: Bars, returns: NDArray[np.float64]) -> Bars:
    close = 100 * np.exp(np.cumsum(returns))
    opens = np.concatenate([[100.0], close[:-1]])
    return replace(bars, open=opens, high=np.maximum(opens, close), low=np.minimum(opens, close), close=close)


def test_a_fit_survives_json_without_loss():
    fit = CalendarFit(Season((1.0,) * 168, (2.0,) * CODES), {"vol": MODEL})
    fits = Fits("fits/0", 7, {"always": fit})
    again = Fits.from_plain(json.loads(json.dumps(fits.to_plain())))
    assert again == fits
    assert (again.of("btc"), again.of("gold")) == (fit, None)


def test_a_model_has_a_row_for_each_horizon():
    coefficients, close, maximum, realised = MODEL.arrays
    assert coefficients.shape == (len(HORIZONS_H), 2)
    assert coefficients[0].tolist() == [0.0, 1.0]
    assert close.shape == maximum.shape == realised.shape == (len(HORIZONS_H), len(MODEL.close[0]))
