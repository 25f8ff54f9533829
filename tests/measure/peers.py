"""What others would have forecast: `python -m tests.measure.peers OUT [BARS]`, also by `make evaluate`.

Three models of textbooks and a mean, walked forward as ours are: at the start of each month everything is fitted to
what was known then. Their files are kept in OUT and written anew only for other bars. The arch package is in the
environment of the referees alone.

plain      one exponentially weighted volatility that fades to that of 180 days, a normal distribution
garch_t    GARCH(1,1) with t shocks (Bollerslev 1987) of hourly returns up to a day, of daily ones beyond, simulated
har        log-linear regression on variances of six hours to 180 days (Corsi 2009), ranges and the class, on a weekly
           clock, with the distribution of past errors
har_garch  the mean of the quantiles of the last two
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal, stats

from service.forecasting.densities.density import horizon_sigma
from service.forecasting.densities.grid import HourGrid, HourTrack, decayed_mean, hour_grid, trailing_mean
from service.market.assets import WEEK, calendar_of, open_at, week_hours
from service.market.instants import HOUR
from tests.measure.price_questions import BARS, HORIZONS_H, QUANTILES, ask, months, read_bars, write
from tests.trading.markets import digest

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

PLAIN, GARCH_T, HAR, HAR_GARCH = PEERS = ("plain", "garch_t", "har", "har_garch")
LEAST = 1e-10  # of a variance per hour
YEAR_H = 365 * 24
HALF = QUANTILES[50:]

HAR_SPANS_H = (6, 24, 72, 168, 720, 4320)
HAR_PAST_H = 600 * 24
HAR_WARM_UP_H = 1299
HAR_EVERY_H = 3
HAR_RIDGE = 0.02
MOST_RATIO = 30.0  # a larger square over the week's variance counts as this in the clock

HOURLY_UP_TO_H = 24
HOURLY_PATHS, DAILY_PATHS = 3000, 2000
LEAST_FREEDOM = 2.6
LEAST_DAY_H = 12  # a UTC day with fewer open hours is no day
DAY_H = {"always": 24, "comex": 23}  # open hours of a whole day


@dataclass(frozen=True)
class _Series:
    """One asset: its track, and the hours of its calendar from the first row to a month after the last."""

    track: HourTrack
    is_open: NDArray[np.bool_]
    week_hour: Rows
    opened: Rows
    fast: Array
    slow: Array

    def open_ahead(self, rows: Rows, hours: int) -> Rows:
        return self.opened[rows + hours] - self.opened[rows]


def _series(grid: HourGrid, track: HourTrack) -> _Series:
    begins = grid.origin - HOUR + np.arange(len(grid) + HORIZONS_H[-1]) * HOUR
    is_open, squares = open_at(track.asset, begins), track.returns**2
    fast, slow = decayed_mean(squares, track.open_hours, 72), trailing_mean(squares, track.open_hours, 4320)
    return _Series(track, is_open, week_hours(track.asset, begins), np.cumsum(is_open), fast, slow)


def forecast(grid: HourGrid, fit: Callable[[Array], Garch] | None = None) -> dict[str, Array]:
    """Quantiles of the log return of every peer, shape (questions, 99), in the order of `price_questions.ask`."""
    series = {asset: _series(grid, track) for asset, track in grid.tracks.items()}
    by_month = list(months(grid))
    first = by_month[0][0]
    laws = {name: np.empty((len(series), len(HORIZONS_H), sum(map(len, by_month)), 99)) for name in PEERS}
    for rows in by_month:
        places = slice((rows[0] - first) // 12, (rows[-1] - first) // 12 + 1)
        for asset, each in enumerate(series.values()):
            laws[PLAIN][asset, :, places] = _plain(each, rows)
            laws[GARCH_T][asset, :, places] = _garch_t(grid, each, rows, fit or fit_by_arch)
        for asset, law in _har(series, rows):
            laws[HAR][list(series).index(asset), :, places] = law
    laws[HAR_GARCH] = (laws[HAR] + laws[GARCH_T]) / 2
    return {name: law.reshape(-1, 99) for name, law in laws.items()}


def _plain(series: _Series, rows: Rows) -> Array:
    normal = stats.norm.ppf(QUANTILES)
    spans = (series.open_ahead(rows, hours).astype(float) for hours in HORIZONS_H)
    return np.array([horizon_sigma(series.fast[rows], series.slow[rows], hours)[:, None] * normal for hours in spans])


# HAR: the log of the realised variance, freed of the weekly clock


def _har(series: Mapping[str, _Series], rows: Rows) -> Iterator[tuple[str, Array]]:
    """Quantiles of each asset, shape (horizons, rows, 99); the assets of a calendar are fitted as one."""
    features = _har_features(series)
    for calendar in DAY_H:
        alike = {asset: each for asset, each in series.items() if calendar_of(asset) == calendar}
        weights = _clock(list(alike.values()), int(rows[0])) if alike else np.empty(0)
        clocks = {asset: np.cumsum(weights[each.week_hour] * each.is_open) for asset, each in alike.items()}
        fits = [_har_fit(alike, features, clocks, int(rows[0]), hours) for hours in HORIZONS_H] if alike else []
        for asset, each in alike.items():
            laws = []
            for hours, (coefficients, sizes) in zip(HORIZONS_H, fits, strict=True):
                sigma = np.exp(
                    (_with_one(features[asset][rows]) @ coefficients + _log_gain(clocks[asset], rows, hours)) / 2
                )
                laws.append((sigma * (each.open_ahead(rows, hours) > 0))[:, None] * _mirrored(sizes))
            yield asset, np.array(laws)


def _har_features(series: Mapping[str, _Series]) -> dict[str, Array]:
    """Logs of variances per open hour, shape (hours, features): the asset's own, its class's and bitcoin's."""
    clocks, excess = {}, {}
    for asset, each in series.items():
        track = each.track
        squares, ranges = track.returns**2, np.nan_to_num(track.high - track.low) ** 2 / (4 * np.log(2))
        means = [trailing_mean(squares, track.open_hours, span) for span in HAR_SPANS_H]
        means += [trailing_mean(ranges, track.open_hours, span) for span in (24, 168)]
        means += [decayed_mean(squares, track.open_hours, 12), each.fast, each.slow]
        clocks[asset] = np.log(np.maximum(np.column_stack(means), LEAST))
        excess[asset] = clocks[asset][:, [1, 3]] - clocks[asset][:, [10]]
    return {
        asset: np.column_stack(
            [
                clocks[asset],
                np.mean([excess[other][:, 0] for other in series if calendar_of(other) == calendar_of(asset)], axis=0),
                excess.get("btc", excess[asset]),
            ]
        )
        for asset in series
    }


def _clock(alike: list[_Series], row: int) -> Array:
    """The variance of each hour of the week over the last year: half its own mean, half the product of day and hour."""
    sums, counts = np.zeros(WEEK), np.zeros(WEEK)
    for hours in alike:
        rows = np.arange(max(719, row - YEAR_H), row + 1)
        week = trailing_mean(hours.track.returns**2, hours.track.open_hours, 168)[rows - 1]
        ratio = np.minimum(hours.track.returns[rows] ** 2 / np.maximum(week, LEAST), MOST_RATIO)
        np.add.at(sums, hours.week_hour[rows], ratio * hours.is_open[rows])
        np.add.at(counts, hours.week_hour[rows], hours.is_open[rows])
    shape, is_open = (sums / np.maximum(counts, 1)).reshape(7, 24), counts.reshape(7, 24) > 0
    by_day, by_hour = (shape.sum(axis) / np.maximum(is_open.sum(axis), 1) for axis in (1, 0))
    weights = (np.outer(by_day, by_hour) / shape[is_open].mean() * is_open + shape) / 2
    return (weights / weights[is_open].mean()).ravel()


def _har_fit(
    alike: Mapping[str, _Series], features: Mapping[str, Array], clocks: Mapping[str, Array], row: int, hours: int
) -> tuple[Array, Array]:
    """The coefficients by ridge regression, the constant first, and the quantiles at HALF of |return| over sigma."""
    x, y, returns, seasons = [], [], [], []
    for asset, each in alike.items():
        past = np.arange(max(HAR_WARM_UP_H, row - HAR_PAST_H), row - hours + 1, HAR_EVERY_H)
        past = past[each.track.has_bar[past] & (each.open_ahead(past, hours) > 0)]
        variance = np.cumsum(each.track.returns**2)
        x.append(features[asset][past])
        y.append(np.log(np.maximum(variance[past + hours] - variance[past], LEAST * hours)))
        returns.append(each.track.close[past + hours] - each.track.close[past])
        seasons.append(_log_gain(clocks[asset], past, hours))
    inputs, seasonal = np.concatenate(x), np.concatenate(seasons)
    center, spread = inputs.mean(0), inputs.std(0) + 1e-9
    design = _with_one((inputs - center) / spread)
    ridge = np.diag(np.append(0, np.full(len(center), HAR_RIDGE * len(inputs))))
    slopes = np.linalg.solve(design.T @ design + ridge, design.T @ (np.concatenate(y) - seasonal))
    sizes = np.abs(np.concatenate(returns)) / np.exp((design @ slopes + seasonal) / 2)
    coefficients = np.append(slopes[0] - center / spread @ slopes[1:], slopes[1:] / spread)
    return coefficients, np.quantile(sizes, 2 * HALF - 1)


def _log_gain(clock: Array, rows: Rows, hours: int) -> Array:
    return np.log(np.maximum(clock[rows + hours] - clock[rows], 1e-3))


def _with_one(values: Array) -> Array:
    return np.column_stack([np.ones(len(values)), values])


def _mirrored(sizes: Array) -> Array:
    """The quantiles of a symmetric value from those of its size at HALF, along the last axis."""
    return np.concatenate([-sizes[..., ::-1], np.zeros_like(sizes[..., :1]), sizes], axis=-1)


# GARCH(1,1) with t shocks


class Garch(NamedTuple):
    """variance = omega + alpha return^2 + beta variance, of returns in percent; `nu` degrees of freedom."""

    omega: float
    alpha: float
    beta: float
    nu: float

    def variances(self, returns: Array, start: float) -> Array:
        """The variance of the next return after each of `returns`."""
        steps = self.omega + self.alpha * returns**2
        return signal.lfilter([1.0], [1.0, -self.beta], steps, zi=[self.beta * start])[0]

    def simulate(self, variance: Array, steps: set[int], paths: int) -> dict[int, Array]:
        """Quantiles, shape (n, 99), of the return over each number of steps from n variances on."""
        shape = (max(steps, default=0), paths)
        shocks = np.random.default_rng(0).standard_t(self.nu, shape) * np.sqrt((self.nu - 2) / self.nu)
        path = np.repeat(variance[:, None], paths, axis=1).astype(np.float32)
        total, laws = np.zeros_like(path), {}
        for step, shock in enumerate(shocks.astype(np.float32), 1):
            total += np.sqrt(path) * shock
            path = np.float32(self.omega) + np.float32(self.alpha) * (path * shock**2) + np.float32(self.beta) * path
            if step in steps:
                laws[step] = _mirrored(np.quantile(np.abs(total), 2 * HALF - 1, axis=1).T)
        return laws


def fit_by_arch(returns: Array) -> Garch:
    """The most likely parameters for `returns` in percent; hourly ones are integrated, alpha + beta = 1."""
    from arch import arch_model

    with warnings.catch_warnings(action="ignore"):
        model = arch_model(returns, mean="Zero", vol="GARCH", p=1, q=1, dist="t", rescale=False)
        values = model.fit(disp="off", show_warning=False).params
    alpha, beta = values["alpha[1]"], values["beta[1]"]
    return Garch(values["omega"], alpha, min(beta, 1 - alpha), max(values["nu"], LEAST_FREEDOM))


def _garch_t(grid: HourGrid, series: _Series, rows: Rows, fit: Callable[[Array], Garch]) -> Array:
    """Quantiles of the log return, shape (horizons, rows, 99)."""
    laws = np.zeros((len(HORIZONS_H), len(rows), 99))
    short = np.array(HORIZONS_H) <= HOURLY_UP_TO_H
    laws[short] = _garch_hourly(series, rows, fit)
    model = None
    for phase in (0, 12):  # days that end when the questions are asked
        chosen = (grid.origin // HOUR + rows) % 24 == phase
        days = _days(grid, series, phase, int(rows[-1]))
        before = np.concatenate([[max(days[0] - 24, series.track.first, 0)], days[:-1]])
        returns = 100 * (series.track.close[days] - series.track.close[before])
        past = returns[days <= rows[0]]
        model = model or fit(past)
        if chosen.any():
            state = model.variances(returns, float(np.var(past)))[np.searchsorted(days, rows[chosen], side="right") - 1]
            laws[np.ix_(~short, chosen)] = _garch_daily(series, rows[chosen], model, state)
    return laws


def _garch_hourly(series: _Series, rows: Rows, fit: Callable[[Array], Garch]) -> Array:
    live = np.flatnonzero(series.is_open[: rows[-1] + 1])
    returns = 100 * series.track.returns[live]
    past = returns[(live <= rows[0]) & (live > rows[0] - YEAR_H)]
    model = fit(past)
    state = model.variances(returns, float(np.var(past)))[np.searchsorted(live, rows, side="right") - 1]
    spans = np.array([series.open_ahead(rows, hours) for hours in HORIZONS_H if hours <= HOURLY_UP_TO_H])
    laws = model.simulate(state, set(np.unique(spans[spans > 0]).tolist()), HOURLY_PATHS)
    laws |= {0: np.zeros((len(rows), 99)), 1: np.sqrt(state)[:, None] * _unit_t(model.nu)}
    return np.array([[laws[steps][place] for place, steps in enumerate(row)] for row in spans.tolist()]) / 100


def _unit_t(nu: float) -> Array:
    return stats.t.ppf(QUANTILES, nu) * np.sqrt((nu - 2) / nu)


def _days(grid: HourGrid, series: _Series, phase: int, last: int) -> Rows:
    """The rows up to `last` at whose ends a day ends, counted from the hour `phase` of UTC, without closed days."""
    ends = np.arange((phase - grid.origin // HOUR) % 24 + 24, last + 1, 24)
    return ends[series.opened[ends] - series.opened[ends - 24] >= LEAST_DAY_H]


def _garch_daily(series: _Series, rows: Rows, model: Garch, state: Array) -> Array:
    day_h = DAY_H[calendar_of(series.track.asset)]
    days = np.array([series.open_ahead(rows, hours) for hours in HORIZONS_H if hours > HOURLY_UP_TO_H]) / day_h
    steps = np.maximum(np.rint(days), 1).astype(int)
    laws = model.simulate(state, set(np.unique(steps).tolist()), DAILY_PATHS)
    laws_of_rows = np.array([[laws[count][place] for place, count in enumerate(row)] for row in steps.tolist()])
    return laws_of_rows * np.sqrt(days / steps)[..., None] / 100


def main() -> None:
    """Write the peers' files into OUT, unless those of the same bars are there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="folder of the files")
    parser.add_argument("bars", type=Path, nargs="?", default=BARS, help="hourly CSV files, one an asset")
    options = parser.parse_args()
    hourly = read_bars(options.bars)
    stamp, bars = options.out / "peers-of.txt", digest(hourly)
    if stamp.is_file() and stamp.read_text() == bars:
        return
    grid = hour_grid(hourly)
    questions = ask(grid)
    for name, returns in forecast(grid).items():
        write(options.out, name, questions, returns)
        print(f"{name}: {len(returns):,} forecasts", flush=True)
    stamp.write_text(bars)


if __name__ == "__main__":
    main()
