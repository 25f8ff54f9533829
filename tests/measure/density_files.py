"""Forecast files for a scorer of densities: `python -m tests.measure.density_files OUT [BARS]`.

One file for the pool, one for each voter's view, and `baseline`, the frozen volatility of the first edition: quantiles
01 to 99 of the price at `asked_at` + `horizon_h`, asked every 12 hours at 00 and 12 UTC from six months after the first
bar. At the start of each month everything is fitted to what was known then; nothing later is used.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from service.forecasting.densities.density import sigmas, signed, size_quantiles
from service.forecasting.densities.features import VarianceTrack
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.fitting import fit_calendars
from service.forecasting.densities.grid import HourGrid
from service.forecasting.densities.views import VIEWS
from service.forecasting.voters.distribution import NORMAL, horizon_sigma
from service.forecasting.voters.input_history import InputHistory, survey
from service.market.assets import Calendar, calendar_of, open_hours_between
from service.market.bars import Bars, from_rows
from service.market.instants import DAY, HOUR
from service.market.months import month_starts
from service.sources.feeds.csv_bars import read_rows
from tests.measure.evaluate import BARS

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

HORIZONS_H = (1, 6, 24, 72, 168, 336, 720)
QUANTILES = np.arange(1, 100) / 100
ASKED_EVERY_S = 12 * HOUR
LEARNT_FIRST_S = 182 * DAY
POOL, BASELINE = "pool", "baseline"
GZIP = {"method": "gzip", "compresslevel": 1}


def main() -> None:
    """Write one file for each forecaster into the folder OUT."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="folder of the files")
    parser.add_argument(
        "bars", type=Path, metavar="BARS", nargs="?", default=BARS, help="hourly CSV files, one an asset"
    )
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    tables = forecast(read_bars(arguments.bars))
    for name, table in tables.items():
        table.to_csv(arguments.out / f"{name}.csv.gz", index=False, float_format="%.7g", compression=GZIP)
        print(f"{name}: {len(table):,} forecasts")


def read_bars(folder: Path) -> dict[str, Bars]:
    """Hourly bars of a folder; one that opens off the hour, as on holidays of the metals, counts as the next hour's."""
    return {file.stem: _bars(file) for file in sorted(folder.glob("*.csv"))}


def _bars(file: Path) -> Bars:
    rows = np.array(read_rows(file.name, file.read_bytes()), dtype=float)
    rows[:, 0] = np.ceil(rows[:, 0] / HOUR) * HOUR
    is_last = np.append(np.diff(rows[:, 0]) > 0, True)
    return from_rows(rows[is_last], HOUR)


def forecast(hourly: Mapping[str, Bars]) -> dict[str, pd.DataFrame]:
    """The tables of all forecasters."""
    history = survey(hourly)
    grid, tracks = history.grid, {asset: track.variance for asset, track in history.tracks.items()}
    first = -(-(grid.origin + LEARNT_FIRST_S) // ASKED_EVERY_S) * ASKED_EVERY_S
    schedule = np.arange(first, grid.time_of(len(grid) - 1) + 1, ASKED_EVERY_S)
    parts: dict[str, list[pd.DataFrame]] = {}
    for month, instants in _by_month(schedule):
        fits = fit_calendars(grid, tracks, grid.row_at(month))
        for asset in grid.tracks:
            for hours in HORIZONS_H:
                for name, returns in _returns(history, tracks, fits, asset, instants, hours).items():
                    parts.setdefault(name, []).append(_table(grid, asset, instants, hours, returns))
    return {name: pd.concat(tables, ignore_index=True) for name, tables in parts.items()}


def _by_month(schedule: Rows) -> Iterator[tuple[int, Rows]]:
    """The instants of each month with the instant of its fits, which is the first of them."""
    first, last = int(schedule[0]), int(schedule[-1])
    edges = sorted({first, *month_starts(first, last + 1)})
    for begins, ends in zip(edges, [*edges[1:], last + 1], strict=True):
        instants = schedule[(schedule >= begins) & (schedule < ends)]
        if len(instants):
            yield begins, instants


def _returns(
    history: InputHistory,
    tracks: Mapping[str, VarianceTrack],
    fits: Mapping[Calendar, CalendarFit],
    asset: str,
    instants: Rows,
    hours: int,
) -> dict[str, Array]:
    """Quantiles of the log return by forecaster, shape (instants, 99)."""
    rows = (instants - history.origin) // HOUR
    fit, track = fits[calendar_of(asset)], tracks[asset]
    seasonal_hours = fit.season.hours(asset, instants, instants + hours * HOUR)
    views = {}
    for name, view in fit.views.items():
        features = track.matrix(VIEWS[name].features, rows)
        sigma = sigmas(view, track.level[rows], features, hours, seasonal_hours)
        views[name] = sigma[:, None] * signed(size_quantiles(view, hours)[0], QUANTILES)
    baseline = _baseline(history, asset, instants, rows, hours)
    return {POOL: np.mean(list(views.values()), axis=0), BASELINE: baseline, **views}


def _baseline(history: InputHistory, asset: str, instants: Rows, rows: Rows, hours: int) -> Array:
    track = history.tracks[asset]
    open_h = open_hours_between(asset, instants, instants + hours * HOUR)
    sigma = horizon_sigma(track.fast[rows], track.slow[rows], open_h)
    return sigma[:, None] * np.array([NORMAL.inv_cdf(level) for level in QUANTILES.tolist()])


def _table(grid: HourGrid, asset: str, instants: Rows, hours: int, returns: Array) -> pd.DataFrame:
    spot = np.exp(grid.tracks[asset].close[(instants - grid.origin) // HOUR])
    prices = pd.DataFrame(spot[:, None] * np.exp(returns), columns=[f"q{level:02d}" for level in range(1, 100)])
    prices.insert(0, "asset", asset)
    prices.insert(1, "asked_at", pd.to_datetime(instants, unit="s", utc=True).strftime("%Y-%m-%dT%H:%M:%SZ"))
    prices.insert(2, "horizon_h", hours)
    return prices


if __name__ == "__main__":
    main()
