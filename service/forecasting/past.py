"""Past questions with known answers: a grid of instants, horizons and levels over the panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting import law
from service.forecasting.inputs import INPUTS, WINDOW, is_metal, of_window
from service.forecasting.panel import Panel
from service.market.instants import HOUR

Array = NDArray[np.float64]

# How much of a question's information is its own [assumed]: seven assets move like about three, and all the
# levels on one outcome tell about as much as two.
OWN_BY_ASSET = 3 / 7
OWN_LEVELS = 2


@dataclass(frozen=True)
class Sample:
    """Questions "does it close above the level", with their outcomes; every array has shape (n,).

    They were asked every `every_h` hours. `asset` is the place in `assets`, `asked` and `deadline` unix seconds,
    `hours` open hours between them, `z` the distance of the level in standard deviations of the horizon,
    `happened` 1 or 0. `inputs` holds every input as it was known when the question was asked, NaN where it was not.
    """

    assets: tuple[str, ...]
    every_h: int
    asset: NDArray[np.int64]
    asked: NDArray[np.int64]
    deadline: NDArray[np.int64]
    hours: Array
    z: Array
    happened: Array
    inputs: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.z)

    def where(self, chosen: NDArray[np.bool_]) -> Sample:
        """The questions that are chosen."""
        columns = ("asset", "asked", "deadline", "hours", "z", "happened")
        return Sample(
            assets=self.assets,
            every_h=self.every_h,
            **{name: getattr(self, name)[chosen] for name in columns},
            inputs={name: values[chosen] for name, values in self.inputs.items()},
        )

    def having(self, names: Sequence[str]) -> Sample:
        """The questions for which all these inputs were known."""
        known = np.isfinite(self.values(names)).all(axis=1)
        return self if known.all() else self.where(known)

    @property
    def metal(self) -> Array:
        """1 for questions about metals, 0 for those about coins."""
        return np.array([float(is_metal(asset)) for asset in self.assets])[self.asset]

    def values(self, names: Sequence[str]) -> Array:
        """Inputs as a matrix, shape (n, names)."""
        return np.column_stack([self.inputs[name] for name in names])

    def worth(self) -> Array:
        """How many independent questions each one is worth: overlapping horizons count by spacing / horizon."""
        overlap = np.minimum(1.0, self.every_h / np.maximum(self.hours, 1.0))
        return overlap * OWN_BY_ASSET * min(1.0, OWN_LEVELS / len(np.unique(self.z)))


def ask_past(
    panel: Panel,
    since: int,
    until: int,
    *,
    every_h: int,
    horizons_h: Sequence[int],
    levels: Sequence[float],
) -> Sample:
    """Every question of the grid that was asked at or after `since` and decided by `until` (unix seconds).

    A question is asked where the asset had a bar and 50 days of history, on the grid of `every_h` hours of
    unix time. Its outcome compares the last close known at the deadline with the level;
    the horizon must hold at least one open hour.
    """
    parts = [_ask(panel, asset, since, until, every_h, horizon) for asset in panel.tracks for horizon in horizons_h]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    moved = columns.pop("moved")
    repeated = {name: np.tile(column, len(levels)) for name, column in columns.items()}
    z = np.repeat(np.array(levels), len(moved))
    fixed = {name: repeated.pop(name) for name in ("asset", "asked", "deadline", "hours")}
    return Sample(
        assets=tuple(panel.tracks),
        every_h=every_h,
        **fixed,
        z=z,
        happened=(np.tile(moved, len(levels)) > z).astype(float),
        inputs=repeated,
    )


def _ask(panel: Panel, asset: str, since: int, until: int, every_h: int, horizon: int) -> dict:
    """One asset and horizon: where, when, and how far it moved in standard deviations."""
    track = panel.tracks[asset]
    rows = np.arange(max(0, panel.row_at(since - 1) + 1), panel.row_at(until) - horizon + 1)
    asked = panel.origin + rows * HOUR
    known = np.isfinite(track.inputs["mean_50d"][rows])
    hours = track.opened[rows + horizon] - track.opened[rows]
    chosen = (asked // HOUR % every_h == 0) & track.traded[rows] & known & (hours > 0)
    rows, asked, hours = rows[chosen], asked[chosen], hours[chosen]
    sigma = law.horizon_sigma(track.fast[rows], track.slow[rows], hours)
    return {
        "asset": np.full(len(rows), list(panel.tracks).index(asset)),
        "asked": asked,
        "deadline": asked + horizon * HOUR,
        "hours": hours,
        "moved": (track.log_price[rows + horizon] - track.log_price[rows]) / sigma,
        **{name: track.inputs[name][rows] for name in INPUTS if name not in WINDOW},
        **of_window(asset, asked, asked + horizon * HOUR, hours),
    }
