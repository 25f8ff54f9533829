"""The fitted models: plain numbers that JSON carries without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from service.documents import JsonRecord
from service.forecasting.densities.season import Season
from service.market.assets import Calendar, calendar_of

Array = NDArray[np.float64]

VERSION = "fits/8"  # changes with the models or their arithmetic; the next refit replaces fits of another version
MATRICES = ("coefficients", "close", "maximum", "realised")
HORIZONS_H = (1, 3, 6, 12, 24, 48, 72, 168, 336, 720)


@dataclass(frozen=True)
class ModelFit:
    """One model of the assets of one calendar.

    The log ratio of the variance per seasonal hour to the asset's level is `coefficients[horizon] @ (1, *terms)`.
    `close`, `maximum` and `realised` are quantiles of |return|, of the running maximum and of the realised volatility,
    in standard deviations. The first axis of all four is HORIZONS_H.
    """

    terms: tuple[str, ...]
    coefficients: tuple[tuple[float, ...], ...]
    close: tuple[tuple[float, ...], ...]
    maximum: tuple[tuple[float, ...], ...]
    realised: tuple[tuple[float, ...], ...]

    @cached_property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """`coefficients`, `close`, `maximum` and `realised` as matrices, one row for each horizon."""
        coefficients, close, maximum, volatility = (np.array(getattr(self, name)) for name in MATRICES)
        return coefficients, close, maximum, volatility


@dataclass(frozen=True)
class CalendarFit:
    """The seasonal clock and the models, by voter, of the assets with one calendar."""

    season: Season
    models: Mapping[str, ModelFit]


@dataclass(frozen=True)
class Fits(JsonRecord):
    """The models fitted to the bars before the unix second `slot`; a calendar with too little history has none.

    Reading them takes milliseconds, so keep the result while the slot lasts.
    """

    version: str
    slot: int
    calendars: Mapping[Calendar, CalendarFit]

    def of(self, asset: str) -> CalendarFit | None:
        """The models of the assets with this one's trading hours."""
        return self.calendars.get(calendar_of(asset))
