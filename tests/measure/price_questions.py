"""The questions on which forecasters of prices are compared, and what came of them.

Every 12 hours, at 00 and 12 UTC from six months after the first bar on: the price of each asset after seven horizons
and, from a day on, whether it closes above a level and whether it touches another. Levels lie where those of the
product's markets lie, at 0.35 to 2.2 standard deviations of 180 days on either side. All is in log returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from service.bar_files import read_bars as read_file
from service.forecasting.densities.grid import HourGrid, HourTrack, gain, trailing_max
from service.market.bars import Bars, from_rows
from service.market.instants import DAY, HOUR
from service.market.months import month_starts

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

BARS = Path(__file__).parents[3] / "shared" / "data" / "candles" / "1h"
HORIZONS_H = (1, 6, 24, 72, 168, 336, 720)
LEVELS_FROM_H = 24  # the shortest horizon with questions on levels
# Distances of levels in standard deviations. They stay as they are where the product's change, so that figures compare.
NEAREST, FURTHEST = 0.35, 2.2
EVEN_ODDS = (0.54, 0.84)  # a touch between them is about as likely as not; none is asked
GOLDEN = (np.sqrt(5) - 1) / 2  # multiples of it, modulo 1, are spread evenly
QUANTILES = np.arange(1, 100) / 100
ASKED_EVERY_S = 12 * HOUR
LEARNT_FIRST_S = 182 * DAY
SCALE_H = 180 * 24
KEY = ["asset", "asked_at", "horizon_h"]
COLUMNS = [f"q{percent:02d}" for percent in range(1, 100)]
GZIP = {"method": "gzip", "compresslevel": 1}


def read_bars(folder: Path) -> dict[str, Bars]:
    """Hourly bars of a folder; one that opens off the hour, as on holidays of the metals, counts as the next hour's."""
    return {file.stem: _bars(file) for file in sorted(folder.glob("*.csv"))}


def _bars(file: Path) -> Bars:
    rows = read_file(file.name, file.read_bytes()).rows
    rows[:, 0] = np.ceil(rows[:, 0] / HOUR) * HOUR
    is_last = np.append(np.diff(rows[:, 0]) > 0, True)
    return from_rows(rows[is_last], HOUR)


def months(grid: HourGrid) -> Iterator[Rows]:
    """The rows of the grid at whose ends questions are asked, by month; fits of a month know its first row."""
    first = -(-(grid.time_of(-1) + LEARNT_FIRST_S) // ASKED_EVERY_S) * ASKED_EVERY_S
    end = grid.time_of(len(grid) - 1) + 1
    rows = (np.arange(first, end, ASKED_EVERY_S) - grid.origin) // HOUR
    begins = [grid.row_at(month) for month in month_starts(first + 1, end)]
    yield from (month for month in np.split(rows, np.searchsorted(rows, begins)) if len(month))


def ask(grid: HourGrid) -> pd.DataFrame:
    """The questions by asset, horizon and instant (`asked_at`, a unix second), with what came of them.

    `spot` is the log price; `returned` the log return, NaN where it is not known yet or no bar closes until then;
    `scale` the standard deviation of 180 days over the horizon, in which assets, times and horizons are alike. `level`
    and `touch` are the distances of two levels; `closed` and `touched` are 1.0 where the price closed above the first
    and reached the second, else 0.0, and NaN where `returned` is or under a day.
    """
    rows = np.concatenate(list(months(grid)))
    return pd.concat(
        [
            _questions_of(grid, track, rows, hours, turn=len(HORIZONS_H) * place + step)
            for place, track in enumerate(grid.tracks.values())
            for step, hours in enumerate(HORIZONS_H)
        ],
        ignore_index=True,
    )


def _questions_of(grid: HourGrid, track: HourTrack, rows: Rows, hours: int, turn: int) -> pd.DataFrame:
    target_rows, trades = np.minimum(rows + hours, len(grid) - 1), np.cumsum(track.has_bar)
    is_decided = (rows + hours < len(grid)) & (trades[target_rows] > trades[rows])
    spot, asked_at = track.close[rows], grid.origin + rows * HOUR
    returns = np.where(is_decided, track.close[target_rows] - spot, np.nan)
    variance = np.maximum(gain(np.cumsum(track.returns**2), SCALE_H)[rows], 1e-16)
    scale = np.sqrt(variance * hours / SCALE_H)
    level, touch = (scale * distance for distance in _distances(asked_at // ASKED_EVERY_S * 49 + turn))
    rise, fall = (trailing_max(side, hours)[target_rows] for side in (track.high, -track.low))
    has_levels = is_decided & (hours >= LEVELS_FROM_H)
    return pd.DataFrame(
        {
            "asset": track.asset,
            "asked_at": asked_at,
            "horizon_h": hours,
            "spot": spot,
            "scale": scale,
            "returned": returns,
            "level": level,
            "closed": np.where(has_levels, returns > level, np.nan),
            "touch": touch,
            "touched": np.where(has_levels, np.where(touch > 0, rise - spot >= touch, fall + spot >= -touch), np.nan),
        }
    )


def _distances(numbers: Rows) -> tuple[Array, Array]:
    """Signed distances of levels and of touches, spread as those of the product's markets, by number of question."""
    shares, sides = numbers * GOLDEN % 1, np.where(numbers * np.sqrt(2) % 1 < 0.5, 1, -1)
    low, high = EVEN_ODDS
    uneven = NEAREST * (FURTHEST * low / high / NEAREST) ** shares
    return sides * NEAREST * (FURTHEST / NEAREST) ** shares, sides * np.where(uneven < low, 1, high / low) * uneven


def write(folder: Path, name: str, questions: pd.DataFrame, returns: Array, **arrays: Array) -> None:
    """Write a forecaster's file: prices at QUANTILES, from log returns of shape (questions, 99), and more columns.

    A file with `above` and `touch` states its P(close above `level`) and P(`touch` is reached) itself.
    """
    prices = np.exp(questions["spot"].to_numpy()[:, None] + returns)
    instants = pd.to_datetime(questions["asked_at"], unit="s", utc=True).dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    table = pd.concat([questions[KEY].assign(asked_at=instants), pd.DataFrame(prices, columns=COLUMNS)], axis=1)
    folder.mkdir(parents=True, exist_ok=True)
    table.assign(**arrays).to_csv(folder / f"{name}.csv.gz", index=False, float_format="%.9g", compression=GZIP)


def read(folder: Path, name: str, questions: pd.DataFrame) -> pd.DataFrame:
    """A forecaster's file as log returns, a row for each of `questions`; KeyError where one is not answered."""
    table = pd.read_csv(folder / f"{name}.csv.gz")
    table["asked_at"] = pd.to_datetime(table["asked_at"]).astype("datetime64[s, UTC]").astype(np.int64)
    table = table.set_index(KEY).loc[pd.MultiIndex.from_frame(questions[KEY])].reset_index(drop=True)
    table[COLUMNS] = np.log(table[COLUMNS].to_numpy()) - questions["spot"].to_numpy()[:, None]
    return table
