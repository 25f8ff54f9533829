"""The fitted views: plain numbers that JSON carries without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.season import Season

Array = NDArray[np.float64]

HORIZONS_H = (1, 3, 6, 12, 24, 48, 72, 168, 336, 720)


@dataclass(frozen=True)
class ViewFit:
    """One view of the assets of one calendar.

    The log ratio of the variance per seasonal hour to the asset's level is `coefficients[horizon] @ (1, *features)`.
    `close` and `maximum` are quantiles of |return| and of the running maximum in standard deviations. The first axis
    of all three is HORIZONS_H.
    """

    features: tuple[str, ...]
    coefficients: tuple[tuple[float, ...], ...]
    close: tuple[tuple[float, ...], ...]
    maximum: tuple[tuple[float, ...], ...]

    @cached_property
    def arrays(self) -> tuple[Array, Array, Array]:
        """`coefficients`, `close` and `maximum` as matrices, one row for each horizon."""
        return np.array(self.coefficients), np.array(self.close), np.array(self.maximum)


@dataclass(frozen=True)
class CalendarFit:
    """The seasonal clock and the views of the assets with one calendar."""

    season: Season
    views: Mapping[str, ViewFit]

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return {"season": asdict(self.season), "views": {name: asdict(view) for name, view in self.views.items()}}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> CalendarFit:
        """The fit that `to_plain` was called on."""
        views = {name: _view_from(view) for name, view in plain["views"].items()}
        return CalendarFit(Season(**{name: tuple(values) for name, values in plain["season"].items()}), views)


def _view_from(plain: Mapping[str, Any]) -> ViewFit:
    matrices = {name: tuple(map(tuple, plain[name])) for name in ("coefficients", "close", "maximum")}
    return ViewFit(tuple(plain["features"]), **matrices)
