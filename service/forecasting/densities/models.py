"""The nine models of variance, one a voter, each of which a textbook names.

A model sees the hours of an asset freed of the seasonal clock and says how unusual the present variance is: its terms
are log ratios to the level, the variance of the last 180 days, so 0 says nothing unusual. Its `effect` says how much of
that is left over a horizon, which is what the model itself expects; `fitting` corrects it by the past.

The settings of the models, of their fits and of the pool were chosen on bars of 2024 and are frozen; later months have
chosen nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.grid import (
    HourGrid,
    HourTrack,
    decayed_mean,
    decayed_sum,
    open_gain,
    open_mean,
    trailing_max,
    trailing_mean,
)
from service.forecasting.densities.season import LEAST_WEIGHT, monthly_weights
from service.market.assets import LEADER, calendar_of
from service.scores.proper import Array

Terms = dict[str, Array]
Effect = Callable[[float], tuple[float, ...]]

LEVEL_H = 180 * 24
LEAST_VARIANCE = 1e-10
LEAST_VOLUME = 1e-9  # units of the asset per hour
MOST_VOLUME = 2.0  # a larger log ratio counts as this, as when another exchange answers with its own volume
PARKINSON = 4 * np.log(2)  # squared log range over variance (Parkinson 1980)
LASTING_SHARE = 0.8  # share of the present excess that models without a term structure of their own expect to last


@dataclass(frozen=True)
class HourlyVariance:
    """The hours of one asset, each divided by its weight in the seasonal clock; shape (hours,) each.

    `squares`, `absolutes` and `ranges` are squared and absolute returns and squared ranges in units of variance,
    `volume` is in units of the asset, `level` the log variance per seasonal hour over 180 days, `baseline` the log
    means over 180 days of squares and of absolutes (twice the log, so that it is a log variance too).
    """

    track: HourTrack
    squares: Array
    absolutes: Array
    ranges: Array
    volume: Array
    level: Array
    baseline: tuple[Array, Array]

    @staticmethod
    def of(track: HourTrack, weights: Array) -> HourlyVariance:
        """The hours of a track whose hours have these positive `weights`."""
        squares = track.returns**2 / weights
        absolutes, open_hours = np.sqrt(squares), track.open_hours
        level, baseline = (_log(trailing_mean(values, open_hours, LEVEL_H)) for values in (track.returns**2, squares))
        return HourlyVariance(
            track,
            squares,
            absolutes,
            ranges=np.nan_to_num(track.high - track.low) ** 2 / PARKINSON / weights,
            volume=track.volume / weights,
            level=level,
            baseline=(baseline, _log_of_absolutes(trailing_mean(absolutes, open_hours, LEVEL_H))),
        )

    def mean(self, values: Array, hours: int) -> Array:
        """The log mean of squares or ranges over the last open hours, less the usual one."""
        return _log(open_mean(values, self.track.open_hours, hours)) - self.baseline[0]

    def absolute_mean(self, hours: int) -> Array:
        """The log variance by absolute returns over the last open hours, less the usual one."""
        return _log_of_absolutes(open_mean(self.absolutes, self.track.open_hours, hours)) - self.baseline[1]

    def decayed(self, half_life: float) -> Array:
        """The log variance by exponentially weighted absolute returns, less the usual one."""
        return _log_of_absolutes(decayed_mean(self.absolutes, self.track.open_hours, half_life)) - self.baseline[1]


@dataclass(frozen=True)
class Model:
    """`basis` is what a voter looks at, in words.

    `terms` gives the terms of an asset, which have these `names`, from its hours and those of all assets. `effect`
    gives the coefficient of each term at a horizon of so many hours, as the model expects it.
    """

    basis: str
    terms: Callable[[HourlyVariance, Mapping[str, HourlyVariance]], Terms]
    names: tuple[str, ...]
    effect: Effect


def _log(values: Array, least: float = LEAST_VARIANCE) -> Array:
    return np.log(np.maximum(values, least))


def _log_of_absolutes(values: Array) -> Array:
    return 2 * _log(values, LEAST_VARIANCE**0.5)


MOMENTUM_H = 12  # half-life


def momentum(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """Exponential smoothing (RiskMetrics 1996) of absolute returns, which a jump moves less (Taylor 1986).

    Its variance is a martingale: what it sees is expected to last.
    """
    return {"ewma": history.decayed(MOMENTUM_H)}


HAR_H = {f"har_{hours}h": hours for hours in (6, 24, 168, 720)}


def reversion(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """The heterogeneous autoregression of realised variance over hours, a day, a week and a month (Corsi 2009)."""
    return {name: history.mean(history.squares, hours) for name, hours in HAR_H.items()}


CLASS_H = (2, 24)


def breadth(history: HourlyVariance, hours: Mapping[str, HourlyVariance]) -> Terms:
    """A common factor of volatility (Bollerslev, Hood, Huss and Pedersen 2018): its class, its leader, and itself."""
    leader = hours.get(LEADER, history)
    peers = [peer for peer in hours.values() if calendar_of(peer.track.asset) == calendar_of(history.track.asset)]
    return {
        "own_12h": history.decayed(12),
        **{f"class_{span}h": np.mean([peer.mean(peer.ranges, span) for peer in peers], axis=0) for span in CLASS_H},
        "leader_6h": leader.mean(leader.ranges, 6),
    }


CALM_RATIO, STRESS_RATIO = 0.55, 2.8  # variance over the usual one
CALM_PERSISTENCE, STRESS_PERSISTENCE = 0.96, 0.90  # from one step to the next
STEP_H = 6
STEPS = 60  # of the filter: what was longer ago no longer matters
STEP_WORTH = 1.5  # independent normal returns that the ranges of six hours are worth


def regime(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """Two states of calm and stress between which a Markov chain moves (Hamilton 1989), filtered in steps of hours."""
    ratio = np.exp(history.mean(history.ranges, STEP_H))
    evidence = STEP_WORTH / 2 * (np.log(CALM_RATIO / STRESS_RATIO) + ratio * (1 / CALM_RATIO - 1 / STRESS_RATIO))
    enters = 1 - CALM_PERSISTENCE
    stress = np.full(len(ratio), enters / (enters + 1 - STRESS_PERSISTENCE))
    mean_ratio = CALM_RATIO + (STRESS_RATIO - CALM_RATIO) * stress
    for back in range(STEPS - 1, -1, -1):
        shift = min(back * STEP_H, len(ratio))
        past_evidence = np.concatenate([np.zeros(shift), evidence[: len(ratio) - shift]])
        expected = enters + (STRESS_PERSISTENCE - enters) * stress
        stress = 1 / (1 + (1 - expected) / expected * np.exp(-np.clip(past_evidence, -30, 30)))
    return {"stress": np.log((CALM_RATIO + (STRESS_RATIO - CALM_RATIO) * stress) / mean_ratio)}


MEMORY_H = (6, 24, 96, 384, 1536)
OLDEST_H = 4 * MEMORY_H[-1]
FALLS_H, DRAWDOWN_H = 168, 720


def trend(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """Long memory and leverage.

    Means over spans from hours to months, whose weights fall with the log of the span (Zumbach 2004); falls and
    drawdowns raise the variance to come (Black 1976).
    """
    shares = {span: 1 - np.log(span) / np.log(OLDEST_H) for span in MEMORY_H}
    memory = np.zeros(len(history.squares))
    for span, share in shares.items():
        memory += share / sum(shares.values()) * history.absolute_mean(span)
    falls, close = history.squares * (history.track.returns < 0), history.track.close
    part, total = (
        open_gain(np.cumsum(values), history.track.open_hours, FALLS_H) for values in (falls, history.squares)
    )
    highest = trailing_max(np.where(np.isfinite(close), close, -np.inf), DRAWDOWN_H)
    drawdown = np.where(np.isfinite(close), highest - close, 0.0) / np.sqrt(np.exp(history.level) * DRAWDOWN_H)
    share = np.log((part + LEAST_VARIANCE / 2) / (total + LEAST_VARIANCE) + 0.05)
    return {"memory": memory, "falls": share, "drawdown": drawdown}


MONTH_H, VOLUMES_H = 720, (2, 24)


def news(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """The flow of news moves prices and volume alike (Clark 1973), so volume tells of news that prices go on digesting.

    The seasonal clock holds the scheduled events. Beyond both, the variance of the month.
    """
    baseline = _log(trailing_mean(history.volume, history.track.open_hours, LEVEL_H), LEAST_VOLUME)
    recent = {
        hours: _log(open_mean(history.volume, history.track.open_hours, hours), LEAST_VOLUME) for hours in VOLUMES_H
    }
    volumes = {f"volume_{hours}h": np.clip(log - baseline, -MOST_VOLUME, MOST_VOLUME) for hours, log in recent.items()}
    return {"month": history.mean(history.squares, MONTH_H), **volumes}


RANGES_H = {f"range_{hours}h": hours for hours in (2, 24, 168)}


def vol(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """The ranges of bars, which hold five times as much of the variance as their closes (Parkinson 1980)."""
    return {name: history.mean(history.ranges, hours) for name, hours in RANGES_H.items()}


# Usual for hourly returns. On 2024-08 to 2024-12 four other pairs changed the score of the pool by 0.02% or less.
ALPHA, BETA = 0.08, 0.90


def garch(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """GARCH(1,1) around the level (Bollerslev 1986): the variance that it expects of the next hour."""
    baseline = np.exp(history.baseline[0])
    increments = np.where(history.track.is_open, (1 - ALPHA - BETA) * baseline + ALPHA * history.squares, 0.0)
    return {
        "garch": _log(decayed_sum(increments, history.track.is_open, BETA, start=float(baseline[0])))
        - history.baseline[0]
    }


SV_HALF_LIFE_H = 12
SV_PERSISTENCE = 0.985  # of the log variance, from one hour to the next
SV_LEAST = 2e-6  # variance added to each square, so that hours without a move do not count for too much


def sv(history: HourlyVariance, _: Mapping[str, HourlyVariance]) -> Terms:
    """Stochastic volatility: a hidden autoregression of the log variance (Harvey, Ruiz and Shephard 1994).

    The Kalman filter of log squares, which smooths them exponentially once it is steady.
    """
    logs = np.where(history.track.is_open, np.log(history.squares + SV_LEAST), 0.0)
    baseline = trailing_mean(logs, history.track.open_hours, LEVEL_H)
    return {"sv": decayed_mean(logs, history.track.open_hours, SV_HALF_LIFE_H) - baseline}


def _lasting(*shares: float) -> Effect:
    return lambda _: shares


def _fading(per_hour: float) -> Effect:
    """The mean over the horizon of what is left of an excess of which the share `per_hour` outlives each hour."""
    return lambda hours: ((1 - per_hour**hours) / ((1 - per_hour) * hours),)


def _cascade(*spans_h: int, others: int = 0) -> Effect:
    """Equal parts of spans, each of which outlives horizons of its own length by half; `others` have no effect."""
    spans = np.array(spans_h)
    return lambda hours: (*(LASTING_SHARE * spans / (spans + hours) / len(spans)).tolist(), *[0.0] * others)


MODELS: dict[str, Model] = {
    "momentum": Model("the moves of the last hours", momentum, ("ewma",), _lasting(LASTING_SHARE)),
    "reversion": Model(
        "the variance of the last day, week and month", reversion, tuple(HAR_H), _cascade(*HAR_H.values())
    ),
    "breadth": Model(
        "the moves of its class and leader",
        breadth,
        ("own_12h", "class_2h", "class_24h", "leader_6h"),
        _lasting(0.0, 0.0, 0.0, 0.0),
    ),
    "regime": Model(
        "states of calm and stress",
        regime,
        ("stress",),
        _fading((CALM_PERSISTENCE + STRESS_PERSISTENCE - 1) ** (1 / STEP_H)),
    ),
    "trend": Model(
        "moves of hours to months, falls and drawdowns",
        trend,
        ("memory", "falls", "drawdown"),
        _lasting(LASTING_SHARE, 0.0, 0.0),
    ),
    "news": Model(
        "scheduled events, volume and the last month",
        news,
        ("month", "volume_2h", "volume_24h"),
        _cascade(MONTH_H, others=2),
    ),
    "vol": Model("the ranges of the last bars", vol, tuple(RANGES_H), _cascade(*RANGES_H.values())),
    "garch": Model("a GARCH process", garch, ("garch",), _fading(ALPHA + BETA)),
    "sv": Model("stochastic volatility", sv, ("sv",), _fading(SV_PERSISTENCE)),
}


@dataclass(frozen=True)
class VarianceTrack:
    """`level` is the log variance per seasonal hour over 180 days, `terms` those of all models; shape (hours,) each."""

    level: Array
    terms: Mapping[str, Array]

    def matrix(self, names: tuple[str, ...], rows: NDArray[np.int64]) -> Array:
        """The named terms at some rows, shape (rows, names)."""
        return np.column_stack([self.terms[name][rows] for name in names])


def variance_tracks(grid: HourGrid, since: int = 0) -> dict[str, VarianceTrack]:
    """The terms of every asset in the rows from `since` on; earlier rows count in the seasonal clock alone."""
    weights, tracks = monthly_weights(grid, since), grid.since(since).tracks
    hours = {
        asset: HourlyVariance.of(track, np.maximum(weights[asset], LEAST_WEIGHT)) for asset, track in tracks.items()
    }
    return {
        asset: VarianceTrack(
            history.level,
            {name: values for model in MODELS.values() for name, values in model.terms(history, hours).items()},
        )
        for asset, history in hours.items()
    }
