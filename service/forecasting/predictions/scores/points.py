"""Points of a curve, so few that a document stays small however long the record is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 100


def thinned(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most 100 of the points at about equal steps, always with the first and the last; never an average."""
    if len(points) <= MOST_POINTS:
        return points
    return points[np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(np.int64)]
