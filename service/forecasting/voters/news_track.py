"""The inputs that come from headlines, hour by hour, as the caller hands them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.market.instants import HOUR

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NewsTrack:
    """The news inputs of one asset: value i of each was available at the unix second `since` + i hours."""

    since: int
    inputs: Mapping[str, Array]

    def at(self, times: NDArray[np.int64]) -> dict[str, Array]:
        """The inputs at whole hours, in unix seconds; NaN where there are none."""
        return {name: self._at(values, (times - self.since) // HOUR) for name, values in self.inputs.items()}

    def _at(self, values: Array, places: NDArray[np.int64]) -> Array:
        is_inside = (places >= 0) & (places < len(values))
        return np.where(is_inside, values[np.clip(places, 0, len(values) - 1)], np.nan)
