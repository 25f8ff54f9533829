"""Past questions with their outcomes: a grid of instants, horizons and levels over the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting.voters import distribution
from service.forecasting.voters.input_history import InputHistory, InputTrack
from service.forecasting.voters.inputs import HEADLINES, INPUTS, WINDOW, is_metal, of_window
from service.market.instants import HOUR

Array = NDArray[np.float64]

# The share of a question's information that no other question holds [assumed]: seven assets move like about three, and
# all levels on one outcome carry about as much information as two.
OWN_BY_ASSET = 3 / 7
OWN_LEVELS = 2


@dataclass(frozen=True)
class QuestionSample:
    """Questions "does it close above the level", with their outcomes; every array has shape (n,).

    They are asked every `every_h` hours. `asset` is the index in `assets`, `asked_at` and `deadline` are unix seconds,
    `hours` the open hours between them, `z` the distance of the level in standard deviations of the horizon by plain
    volatility, each of which is a log return of `unit`, and `happened` 1 or 0. `inputs` holds every input and what the
    views of volatility see at the time of asking, NaN where history is too short. `levels` are asked at each instant.
    """

    assets: tuple[str, ...]
    every_h: int
    levels: int
    asset: NDArray[np.int64]
    asked_at: NDArray[np.int64]
    deadline: NDArray[np.int64]
    hours: Array
    unit: Array
    z: Array
    happened: Array
    inputs: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.z)

    def where(self, chosen: NDArray[np.bool_]) -> QuestionSample:
        """The questions that are chosen."""
        columns = ("asset", "asked_at", "deadline", "hours", "unit", "z", "happened")
        return QuestionSample(
            assets=self.assets,
            every_h=self.every_h,
            levels=self.levels,
            **{name: getattr(self, name)[chosen] for name in columns},
            inputs={name: values[chosen] for name, values in self.inputs.items()},
        )

    def having(self, names: Sequence[str]) -> QuestionSample:
        """The questions for which all these inputs are finite."""
        is_complete: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(self.values(names)), axis=1)
        return self if is_complete.all() else self.where(is_complete)

    @property
    def metal(self) -> Array:
        """1 for questions about metals, 0 for those about coins."""
        return np.array([float(is_metal(asset)) for asset in self.assets])[self.asset]

    def values(self, names: Sequence[str]) -> Array:
        """Inputs as a matrix, shape (n, names)."""
        return np.column_stack([self.inputs[name] for name in names])

    def worth(self) -> Array:
        """The number of independent questions that each one is worth; overlapping horizons count spacing / horizon."""
        overlap = np.minimum(1.0, self.every_h / np.maximum(self.hours, 1.0))
        return overlap * OWN_BY_ASSET * min(1.0, OWN_LEVELS / self.levels)


def ask_past(
    history: InputHistory,
    since: int,
    until: int,
    *,
    every_h: int,
    horizons_h: Sequence[int],
    levels: Sequence[float],
) -> QuestionSample:
    """Every question of the grid that was asked at or after `since` and decided by `until` (unix seconds).

    A question is asked where the asset has a bar and 50 days of history, every `every_h` hours of unix time. Its
    outcome compares the last close known at the deadline with the level; the horizon must hold at least one open hour.
    """
    parts = [_ask(history, asset, since, until, every_h, horizon) for asset in history.tracks for horizon in horizons_h]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    moved = columns.pop("moved")
    repeated = {name: np.tile(column, len(levels)) for name, column in columns.items()}
    z = np.repeat(np.array(levels), len(moved))
    fixed = {name: repeated.pop(name) for name in ("asset", "asked_at", "deadline", "hours", "unit")}
    return QuestionSample(
        assets=tuple(history.tracks),
        every_h=every_h,
        levels=len(levels),
        **fixed,
        z=z,
        happened=(np.tile(moved, len(levels)) > z).astype(float),
        inputs=repeated,
    )


def _ask(
    history: InputHistory, asset: str, since: int, until: int, every_h: int, horizon: int
) -> dict[str, NDArray[Any]]:
    """The columns of one asset and horizon; `moved` is the return in standard deviations."""
    track = history.tracks[asset]
    rows = np.arange(max(0, history.row_at(since - 1) + 1), history.row_at(until) - horizon + 1)
    asked_at = history.origin + rows * HOUR
    has_inputs = np.isfinite(track.inputs["mean_50d"][rows])
    hours = track.opened[rows + horizon] - track.opened[rows]
    chosen = (asked_at // HOUR % every_h == 0) & track.traded[rows] & has_inputs & (hours > 0)
    rows, asked_at, hours = rows[chosen], asked_at[chosen], hours[chosen]
    sigma = distribution.horizon_sigma(track.fast[rows], track.slow[rows], hours)
    return {
        "asset": np.full(len(rows), list(history.tracks).index(asset)),
        "asked_at": asked_at,
        "deadline": asked_at + horizon * HOUR,
        "hours": hours,
        "unit": sigma,
        "level": track.variance.level[rows],
        "moved": (track.log_price[rows + horizon] - track.log_price[rows]) / sigma,
        **{name: track.inputs[name][rows] for name in INPUTS if name not in (*WINDOW, *HEADLINES)},
        **{name: _of_headlines(track, name, rows) for name in HEADLINES},
        **{name: values[rows] for name, values in track.variance.features.items()},
        **of_window(asset, asked_at, asked_at + horizon * HOUR, hours),
    }


def _of_headlines(track: InputTrack, name: str, rows: NDArray[np.int64]) -> Array:
    """An input of headlines; 0, which carries no information, where too few were stored."""
    return np.nan_to_num(track.inputs[name][rows]) if name in track.inputs else np.zeros(len(rows))
