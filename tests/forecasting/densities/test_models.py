"""The models: their terms are causal, and their fits right on bars whose distribution is known."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.densities.density import HORIZONS_H, CalendarFit, Fits, density, sigmas
from service.forecasting.densities.fitting import LEAST_DAYS, fit, fit_calendars, least_history_h
from service.forecasting.densities.grid import hour_grid
from service.forecasting.densities.models import (
    ALPHA,
    BETA,
    CALM_RATIO,
    MODELS,
    MOST_VOLUME,
    STRESS_RATIO,
    HourlyVariance,
    VarianceTrack,
    variance_tracks,
)
from service.forecasting.densities.season import Season
from service.forecasting.voters.panel import VOTERS
from service.market.bars import Bars
from service.market.instants import HOUR
from service.market.scheduled_events import CODES
from tests.forecasting.densities.test_density import MODEL
from tests.forecasting.made import made_bars, moved, returns_of

COINS = ("btc", "eth", "sol", "bnb", "xrp")


@pytest.fixture(scope="module")
def bars():
    return {asset: made_bars(asset, 200, seed) for seed, asset in enumerate(COINS)}


def tracks_of(hourly: Mapping[str, Bars]) -> dict[str, VarianceTrack]:
    return variance_tracks(hour_grid(hourly))


def fitted(hourly: Mapping[str, Bars], row: int = -1) -> dict[str, CalendarFit]:
    """The fits by calendar at a row, the last one if none is named."""
    grid = hour_grid(hourly)
    return fit_calendars(grid, variance_tracks(grid), row % len(grid))


@pytest.fixture(scope="module")
def calendar_fit(bars) -> CalendarFit:
    return fitted(bars)["always"]


@pytest.mark.slow
@pytest.mark.parametrize("voter", MODELS)
@pytest.mark.parametrize("hours", [1, 24, 168, 720])
def test_half_of_a_random_walk_lies_in_the_middle_half(calendar_fit, bars, voter, hours):
    """Made bars are a random walk of constant variance: the quartiles of each horizon are known."""
    track = tracks_of(bars)["btc"]
    terms = {name: float(values[-1]) for name, values in track.terms.items()}
    result = density(calendar_fit.models[voter], float(track.level[-1]), terms, hours, seasonal_hours=hours)
    returns = np.diff(np.log(bars["btc"].close))
    truth = 0.6745 * returns.std() * np.sqrt(hours)
    assert result.quantiles(np.array([0.75]))[0] == pytest.approx(truth, rel=0.25)


def test_nothing_after_the_row_is_used(bars):
    """The fit to a prefix of the rows is the fit to a shorter history, of coins and of a metal."""
    row = 190 * 24 - 1
    longer = bars | {"gold": made_bars("gold", 200, 7)}
    until = int(bars["btc"].time[0]) + (row + 1) * HOUR
    past = {asset: series.until(until) for asset, series in longer.items()}
    fits = fitted(past, row)
    assert fits == fitted(longer, row)
    assert set(fits) == {"always", "comex"}


def test_sixteen_days_are_enough_for_models(bars):
    """Before, a calendar has none; from then on horizons that were never seen keep what the model expects."""
    minimum = least_history_h(len(bars))
    assert minimum <= 24 * LEAST_DAYS
    for hours, calendars in ((minimum - 48, set()), (minimum, {"always"})):
        until = int(bars["btc"].time[0]) + hours * HOUR
        fits = fit(bars, until)
        assert set(fits.calendars) == calendars
    month = fits.calendars["always"].models["momentum"]
    assert month.coefficients[-1] == (0.0, *MODELS["momentum"].effect(720))
    assert list(fits.calendars["always"].models) == [voter.name for voter in VOTERS]
    assert fit({}, 5).calendars == {}


def drawn(bars: Mapping[str, Bars], sizes: np.ndarray) -> dict[str, Bars]:
    """The bars with normal returns of these standard deviations, shape (hours,) or (assets, hours)."""
    returns = np.random.default_rng(100).normal(0, np.broadcast_to(sizes, (len(bars), sizes.shape[-1])))
    return {asset: moved(series, row) for (asset, series), row in zip(bars.items(), returns, strict=True)}


@pytest.mark.parametrize("voter", ["garch", "trend"])
def test_a_month_is_forecast_near_the_level(bars, voter: str):
    """After months in which variance fell it falls for the next day too, but not for ever: a month was seen rarely."""
    hours = len(bars["btc"])
    model = fitted(drawn(bars, 0.01 * np.exp(-np.arange(hours) / hours)))["always"].models[voter]
    day, month = (density(model, 0.0, {}, hours, seasonal_hours=1.0).sigma ** 2 for hours in (24, 720))
    assert (day < 0.95, 0.95 < month < 1) == (True, True)


def test_touches_count_the_highs_within_hours(calendar_fit, bars):
    """Highs and lows a standard deviation of an hour further away move the extremes of a month by as much."""
    reach = 0.005
    wicks = {
        asset: replace(series, high=series.high * np.exp(reach), low=series.low * np.exp(-reach))
        for asset, series in bars.items()
    }
    shift = np.subtract(*(fits.models["regime"].maximum[-1] for fits in (fitted(wicks)["always"], calendar_fit)))
    assert np.median(shift) == pytest.approx(1 / np.sqrt(720), rel=0.3)


@pytest.mark.parametrize("hours", [1, 6, 24, 168])
def test_sigma_is_the_standard_deviation_of_the_return(bars, hours):
    """Of an hour, too, where returns have fat tails: half of the hours move six times as much as the others."""
    bars = drawn(bars, np.random.default_rng(7).choice([0.002, 0.012], (len(COINS), len(bars["btc"]))))
    model = fitted(bars)["always"].models["news"]
    ratios = []
    for asset, track in tracks_of(bars).items():
        close = np.log(bars[asset].close)
        rows = np.arange(60 * 24, len(close) - hours, 7)
        terms = track.matrix(model.terms, rows)
        sigma = sigmas(model, track.level[rows], terms, hours, np.full(len(rows), float(hours)))
        ratios.append((close[rows + hours] - close[rows]) / sigma)
    assert np.sqrt(np.mean(np.square(np.concatenate(ratios)))) == pytest.approx(1, abs=0.15)


def test_a_fit_survives_json_without_loss():
    """A model has a row for each horizon."""
    fit = CalendarFit(Season((1.0,) * 168, (2.0,) * CODES), {"vol": MODEL})
    fits = Fits("fits/0", 7, {"always": fit})
    copy = Fits.from_plain(json.loads(json.dumps(fits.to_plain())))
    assert copy == fits
    assert (copy.of("btc"), copy.of("gold")) == (fit, None)
    coefficients, close, maximum, variance = MODEL.arrays
    assert coefficients.shape == (len(HORIZONS_H), 2)
    assert coefficients[0].tolist() == [0.0, 1.0]
    assert close.shape == maximum.shape == variance.shape == (len(HORIZONS_H), len(MODEL.close[0]))


def test_every_model_names_the_terms_that_it_gives(hourly):
    """And as many effects, of which none is negative or raises an excess."""
    assert set(tracks_of(hourly)["btc"].terms) == {name for model in MODELS.values() for name in model.names}
    for model in MODELS.values():
        for hours in (1.0, 24.0, 720.0):
            assert len(model.effect(hours)) == len(model.names)
            assert all(0 <= share <= 1 for share in model.effect(hours))


def test_a_constant_variance_is_nothing_unusual(hourly):
    """Made bars have one variance: what is left over a horizon is near 0 on average."""
    track = tracks_of(hourly)["btc"]
    for voter, model in MODELS.items():
        terms = track.matrix(model.names, np.arange(60 * 24, len(track.level)))
        if voter not in ("vol", "regime"):  # whose ranges are narrow on made bars
            assert abs((terms @ model.effect(24.0)).mean()) < 0.35, voter


def terms_of(bars: Bars) -> dict[str, np.ndarray]:
    """The terms of bitcoin alone."""
    return tracks_of({"btc": bars})["btc"].terms


def with_last_day(bars, factor: float):
    """The bars with the returns of the last day so many times as large."""
    returns = returns_of(bars)
    returns[-24:] *= factor
    return moved(bars, returns)


@pytest.mark.parametrize("voter", MODELS)
def test_every_model_sees_a_stormy_day(hourly, voter):
    """It forecasts more variance for the next hours than after a calm day."""
    days = (hourly | {"btc": with_last_day(hourly["btc"], factor)} for factor in (0.3, 4.0))
    calmness, storm = (tracks_of(day)["btc"].terms for day in days)
    assert max(storm[name][-1] - calmness[name][-1] for name in MODELS[voter].names) > 0.3


def test_a_stormy_class_is_seen_by_breadth_alone(hourly):
    """The other coins move four times as much; bitcoin does not."""
    stormy = hourly | {asset: with_last_day(hourly[asset], 4.0) for asset in ("eth", "sol", "bnb")}
    reference, response = (tracks_of(bars)["btc"].terms for bars in (hourly, stormy))
    changes = {name for name, values in response.items() if abs(values[-1] - reference[name][-1]) > 1e-9}
    assert changes == {"class_2h", "class_24h"}


def test_a_storm_raises_the_fast_terms_first(hourly):
    """By Bayes's rule stress is less likely than always after six calm hours, and more likely after six stormy ones."""
    calmness, storm = (terms_of(with_last_day(hourly["btc"], factor)) for factor in (0.3, 4.0))
    assert storm["har_24h"][-1] > storm["har_168h"][-1] > storm["har_720h"][-1]
    assert calmness["stress"][-1] < 0 < storm["stress"][-1] < np.log(STRESS_RATIO / CALM_RATIO)


def test_the_garch_term_is_its_recursion(hourly):
    """Hour by hour: omega + alpha r^2 + beta v, with the usual variance as the level."""
    grid = hour_grid({"btc": hourly["btc"]})
    hourly_variance = HourlyVariance.of(grid.tracks["btc"], np.ones(len(grid)))
    levels = np.exp(hourly_variance.baseline[0])
    variance, expected = levels[0], []
    for square, level in zip(hourly_variance.squares.tolist(), levels.tolist(), strict=True):
        variance = (1 - ALPHA - BETA) * level + ALPHA * square + BETA * variance
        expected.append(np.log(variance / level))
    assert MODELS["garch"].terms(hourly_variance, {})["garch"][1:] == pytest.approx(expected[1:], abs=1e-9)


def test_falls_and_drawdowns_are_seen_by_trend(hourly):
    """The same squares as falls or as rises: only the sign differs."""
    bars, sizes = hourly["btc"], np.abs(returns_of(hourly["btc"]))
    terms = [terms_of(moved(bars, sign * sizes)) for sign in (-1, 1)]
    assert terms[0]["falls"][-1] > terms[1]["falls"][-1]
    assert terms[0]["drawdown"][-1] > 1 > terms[1]["drawdown"][-1] == 0
    assert terms[0]["memory"][-1] == pytest.approx(terms[1]["memory"][-1])


def test_a_weekend_changes_no_term_of_a_metal(hourly):
    """From the last open hour of Friday to the first of Sunday nothing is measured, so nothing may look calm."""
    grid = hour_grid(hourly)
    track = variance_tracks(grid)["gold"]
    closures = np.flatnonzero(~grid.tracks["gold"].is_open)
    closures = closures[closures > 60 * 24]
    assert len(closures) > 24
    for name, values in track.terms.items():
        if not name.startswith(("drawdown", "class", "leader", "stress")):
            np.testing.assert_allclose(values[closures], values[closures - 1], atol=0.05, err_msg=name)


@pytest.mark.parametrize(("factor", "bound"), [(1e-3, -MOST_VOLUME), (0.0, -MOST_VOLUME), (1e3, MOST_VOLUME)])
def test_news_alone_sees_the_volume(hourly, factor, bound):
    """A source that trades a thousandth, or nothing at all, says no more than the bound."""

    def times(last_day: float, before: float = 1.0) -> dict[str, np.ndarray]:
        bars = hourly["btc"]
        return terms_of(replace(bars, volume=bars.volume * np.where(bars.time < bars.time[-24], before, last_day)))

    base, busy = times(1), times(3)
    assert {name for name in base if busy[name][-1] - base[name][-1] > 0.5} == {"volume_2h", "volume_24h"}
    assert times(factor)["volume_24h"][-1] == bound
    assert not times(0, before=0)["volume_2h"].any()
