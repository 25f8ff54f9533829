"""The terms of the models: causal, 0 where nothing is unusual, and what each model is named for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.densities.grid import hour_grid
from service.forecasting.densities.models import (
    ALPHA,
    BETA,
    CALM,
    MODELS,
    MOST_VOLUME,
    STRESS,
    HourlyVariance,
    variance_tracks,
)
from service.market.instants import HOUR

# The least horizon, in hours, at which a model expects less than half of an excess to be left, where it says so itself.
FADES = {"regime": 96, "garch": 100, "sv": 150}


def test_no_term_depends_on_a_later_bar(hourly):
    """The prefix test over every term of every asset."""
    past = {asset: bars.until(int(hourly["btc"].time[0]) + 95 * 24 * HOUR) for asset, bars in hourly.items()}
    shorter, longer = variance_tracks(hour_grid(past)), variance_tracks(hour_grid(hourly))
    for asset, track in shorter.items():
        rows = len(track.level)
        np.testing.assert_array_equal(track.level, longer[asset].level[:rows])
        for name, values in track.terms.items():
            np.testing.assert_array_equal(values, longer[asset].terms[name][:rows], err_msg=f"{asset} {name}")


def test_every_model_names_the_terms_that_it_gives(hourly):
    """And as many effects, of which none is negative or raises an excess."""
    grid = hour_grid(hourly)
    terms = variance_tracks(grid)["btc"].terms
    assert set(terms) == {name for model in MODELS.values() for name in model.names}
    for model in MODELS.values():
        for hours in (1.0, 24.0, 720.0):
            effect = model.effect(hours)
            assert len(effect) == len(model.names)
            assert all(0 <= each <= 1 for each in effect)


@pytest.mark.parametrize(("voter", "hours"), FADES.items())
def test_a_model_expects_an_excess_to_fade(voter, hours):
    """At its own pace: the mean over the horizon of what is left falls below one half."""
    (short,), (long,) = MODELS[voter].effect(1.0), MODELS[voter].effect(hours)
    assert short > 0.9
    assert long < 0.5


def test_a_constant_variance_is_nothing_unusual(hourly):
    """Made bars have one variance: what is left over a horizon is near 0 on average."""
    track = variance_tracks(hour_grid(hourly))["btc"]
    for voter, model in MODELS.items():
        terms = track.matrix(model.names, np.arange(60 * 24, len(track.level)))
        if voter not in ("vol", "regime"):  # whose ranges are narrow on made bars
            assert abs((terms @ model.effect(24.0)).mean()) < 0.35, voter


def with_last_day(bars, factor: float):
    """The bars with the returns of the last day so many times as large."""
    returns = np.diff(np.log(bars.close), prepend=np.log(bars.close[0]))
    returns[-24:] *= factor
    close = bars.close[0] * np.exp(np.cumsum(returns))
    opens = np.concatenate([close[:1], close[:-1]])
    return replace(bars, open=opens, high=np.maximum(opens, close), low=np.minimum(opens, close), close=close)


@pytest.mark.parametrize("voter", MODELS)
def test_every_model_sees_a_stormy_day(hourly, voter):
    """It forecasts more variance for the next hours than after a calm day."""
    model = MODELS[voter]
    changes = []
    for factor in (0.3, 4.0):
        track = variance_tracks(hour_grid(hourly | {"btc": with_last_day(hourly["btc"], factor)}))["btc"]
        changes.append(track.matrix(model.names, np.array([len(track.level) - 1]))[0])
    assert (changes[1] - changes[0]).max() > 0.3


def test_a_stormy_class_is_seen_by_breadth_alone(hourly):
    """The other coins move four times as much; bitcoin does not."""
    stormy = {
        asset: with_last_day(bars, 4.0) if asset in ("eth", "sol", "bnb") else bars for asset, bars in hourly.items()
    }
    calm, moved = (variance_tracks(hour_grid(bars))["btc"].terms for bars in (hourly, stormy))
    changed = {name for name, values in moved.items() if abs(values[-1] - calm[name][-1]) > 1e-9}
    assert changed == {"class_2h", "class_24h"}


def test_a_storm_raises_the_fast_terms_first(hourly):
    terms = variance_tracks(hour_grid({"btc": with_last_day(hourly["btc"], 4.0)}))["btc"].terms
    assert terms["har_24h"][-1] > terms["har_168h"][-1] > terms["har_720h"][-1]


def test_the_garch_term_is_its_recursion(hourly):
    """Hour by hour: omega + alpha r^2 + beta v, with the usual variance as the level."""
    grid = hour_grid({"btc": hourly["btc"]})
    own = HourlyVariance.of(grid.tracks["btc"], np.ones(len(grid)))
    usual = np.exp(own.usual[0])
    variance, expected = usual[0], []
    for square, level in zip(own.squares.tolist(), usual.tolist(), strict=True):
        variance = (1 - ALPHA - BETA) * level + ALPHA * square + BETA * variance
        expected.append(np.log(variance / level))
    assert MODELS["garch"].terms(own, {})["garch"][1:] == pytest.approx(expected[1:], abs=1e-9)


def test_the_regime_filter_is_bayes_rule(hourly):
    """After six calm hours stress is less likely than always, after six stormy ones more."""
    calm, stormy = (
        variance_tracks(hour_grid({"btc": with_last_day(hourly["btc"], factor)}))["btc"].terms["stress"][-1]
        for factor in (0.3, 4.0)
    )
    assert calm < 0 < stormy < np.log(STRESS / CALM)


def test_falls_and_drawdowns_are_seen_by_trend(hourly):
    """The same squares as falls or as rises: only the sign differs."""
    bars = hourly["btc"]
    terms = []
    for sign in (-1, 1):
        returns = sign * np.abs(np.diff(np.log(bars.close), prepend=np.log(bars.close[0])))
        close = 100 * np.exp(np.cumsum(returns))
        terms.append(
            variance_tracks(hour_grid({"btc": replace(bars, close=close, high=close, low=close)}))["btc"].terms
        )
    assert terms[0]["falls"][-1] > terms[1]["falls"][-1]
    assert terms[0]["drawdown"][-1] > 1 > terms[1]["drawdown"][-1] == 0
    assert terms[0]["memory"][-1] == pytest.approx(terms[1]["memory"][-1])


def test_a_weekend_changes_no_term_of_a_metal(hourly):
    """From the last open hour of Friday to the first of Sunday nothing is measured, so nothing may look calm."""
    grid = hour_grid(hourly)
    track = variance_tracks(grid)["gold"]
    closed = np.flatnonzero(~grid.tracks["gold"].is_open)
    closed = closed[closed > 60 * 24]
    assert len(closed) > 24
    for name, values in track.terms.items():
        if not name.startswith(("drawdown", "class", "leader", "stress")):
            np.testing.assert_allclose(values[closed], values[closed - 1], atol=0.05, err_msg=name)


def test_news_alone_sees_the_volume(hourly):
    bars = hourly["btc"]
    volume = bars.volume.copy()
    volume[-24:] *= 3
    calm, busy = (
        variance_tracks(hour_grid({"btc": each}))["btc"].terms for each in (bars, replace(bars, volume=volume))
    )
    assert {name for name in calm if busy[name][-1] - calm[name][-1] > 0.5} == {"volume_2h", "volume_24h"}


@pytest.mark.parametrize(("factor", "expected"), [(1e-3, -MOST_VOLUME), (0.0, -MOST_VOLUME), (1e3, MOST_VOLUME)])
def test_the_volume_of_another_exchange_is_bounded(hourly, factor, expected):
    """A source that trades a thousandth, or nothing at all, says no more than the bound."""
    bars = hourly["btc"]
    volume = bars.volume.copy()
    volume[-24:] *= factor
    assert variance_tracks(hour_grid({"btc": replace(bars, volume=volume)}))["btc"].terms["volume_24h"][-1] == expected
    silent = replace(bars, volume=np.zeros(len(bars)))
    assert not variance_tracks(hour_grid({"btc": silent}))["btc"].terms["volume_2h"].any()
