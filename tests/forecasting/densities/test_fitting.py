"""The views fitted to bars whose distribution is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from service.forecasting.densities.density import density, sigmas
from service.forecasting.densities.features import PERSISTENT, variance_tracks
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.fitting import fit_calendars
from service.forecasting.densities.grid import hour_grid
from service.forecasting.densities.views import VIEWS
from service.forecasting.voters.panel import voters
from service.market.bars import Bars
from service.market.instants import HOUR
from tests.forecasting.made import made_bars

COINS = ("btc", "eth", "sol", "bnb", "xrp")


@pytest.fixture(scope="module")
def bars():
    return {asset: made_bars(asset, 200, seed) for seed, asset in enumerate(COINS)}


@pytest.fixture(scope="module")
def fitted(bars) -> CalendarFit:
    grid = hour_grid(bars)
    return fit_calendars(grid, variance_tracks(grid), len(grid) - 1)["always"]


def test_every_voter_has_a_view():
    assert list(VIEWS) == [voter.name for voter in voters()]


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("hours", [1, 24, 168, 720])
def test_half_of_a_random_walk_lies_in_the_middle_half(fitted, bars, view, hours):
    """Made bars are a random walk of constant variance: the quartiles of each horizon are known."""
    grid = hour_grid(bars)
    track = variance_tracks(grid)["btc"]
    features = {name: float(values[-1]) for name, values in track.features.items()}
    result = density(fitted.views[view], float(track.level[-1]), features, hours, seasonal_hours=hours)
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


def test_with_too_little_history_a_calendar_has_no_views(bars):
    short = {asset: series.until(int(series.time[0]) + 60 * 24 * HOUR) for asset, series in bars.items()}
    grid = hour_grid(short)
    assert fit_calendars(grid, variance_tracks(grid), len(grid) - 1) == {}


@pytest.mark.parametrize("view", ["regime", "trend"])
def test_a_month_is_forecast_near_the_level(view: str):
    """After months in which variance fell it falls for the next day too, but not for ever: a month was seen rarely."""
    grid = hour_grid({asset: _falling(asset, seed) for seed, asset in enumerate(COINS)})
    fit = fit_calendars(grid, variance_tracks(grid), len(grid) - 1)["always"].views[view]
    day, month = (density(fit, 0.0, {}, hours, seasonal_hours=1.0).sigma ** 2 for hours in (24, 720))
    assert (day < 0.95, 0.95 < month < 1) == (True, True)


def test_voters_disagree_how_long_variance_lasts(fitted):
    """Months of one constant variance prove nothing about it: a month's forecast is each voter's expectation."""
    unusual = dict.fromkeys(PERSISTENT, 1.0)
    for voter, view in fitted.views.items():
        usual, raised = (density(view, 0.0, features, 720, 720).sigma for features in ({}, unusual))
        expected = 0.8 if voter in ("momentum", "regime", "trend", "news") else 0.0
        assert 2 * np.log(raised / usual) == pytest.approx(expected, abs=0.1), voter


def test_touches_count_the_highs_within_hours(fitted, bars):
    """Highs and lows a standard deviation of an hour further away move the extremes of a month by as much."""
    reach = 0.005
    wicks = {
        asset: replace(series, high=series.high * np.exp(reach), low=series.low * np.exp(-reach))
        for asset, series in bars.items()
    }
    grid = hour_grid(wicks)
    wicked = fit_calendars(grid, variance_tracks(grid), len(grid) - 1)["always"]
    moved = np.subtract(wicked.views["regime"].maximum[-1], fitted.views["regime"].maximum[-1])
    assert np.median(moved) == pytest.approx(1 / np.sqrt(720), rel=0.3)


@pytest.mark.parametrize("hours", [1, 6, 24, 168])
def test_sigma_is_the_standard_deviation_of_the_return(hours):
    """Of an hour, too, where returns have fat tails: half of the hours move six times as much as the others."""
    bars = {asset: _rough(asset, seed) for seed, asset in enumerate(COINS)}
    grid = hour_grid(bars)
    tracks = variance_tracks(grid)
    view = fit_calendars(grid, tracks, len(grid) - 1)["always"].views["news"]
    ratios = []
    for asset, track in tracks.items():
        close = np.log(bars[asset].close)
        rows = np.arange(60 * 24, len(close) - hours, 7)
        features = track.matrix(view.features, rows)
        sigma = sigmas(view, track.level[rows], features, hours, np.full(len(rows), float(hours)))
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
