"""What curves over time need: instants and changes out of points, and labels at their ends that do not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

Points = Sequence[Mapping[str, Any]]


class End(NamedTuple):
    """How high a curve ends, what is written beside it and in which colour."""

    value: float
    text: str
    colour: str


def instants(points: Points, name: str = "time") -> pd.DatetimeIndex:
    """The instants of points, in UTC."""
    return pd.to_datetime([point[name] for point in points], utc=True)


def gains_pct(points: Points, initial: float) -> np.ndarray:
    """What each point is above `initial`, in percent."""
    return 100 * (np.array([point["equity_usd"] for point in points], float) / initial - 1)


def drawdowns_pct(points: Points, initial: float) -> np.ndarray:
    """How far each point is below the highest before it within these points, in percent, at most 0."""
    worth = np.array([point["equity_usd"] for point in points], float)
    highest = np.maximum.accumulate(np.maximum(worth, worth[0] if len(worth) else initial))
    return 100 * (worth / highest - 1)


def labels(ends: Sequence[End], *, apart: float, axes: str = "") -> list[dict[str, Any]]:
    """Annotations right of the curves' ends, at least `apart` of the axis' unit from each other.

    `axes` is the number of the axis that the curves lie on, as plotly names it: "" for the first, "2", "3".
    """
    ordered = sorted(ends, key=lambda end: end.value)
    placed = spread([end.value for end in ordered], apart)
    # On the paper: beside a point they would widen the axis of time.
    common = {"xref": "paper", "x": 1, "yref": f"y{axes}", "xanchor": "left", "xshift": 6, "showarrow": False}
    return [
        {**common, "y": place, "text": end.text, "font": {"color": end.colour}}
        for end, place in zip(ordered, placed, strict=True)
    ]


def spread(values: Sequence[float], apart: float) -> list[float]:
    """Rising values moved as little as it takes to lie `apart`: runs that overlap are centred where they were.

    >>> spread([0, 0, 10], 2)
    [-1.0, 1.0, 10.0]
    """
    runs: list[list[float]] = []
    for value in values:
        runs.append([value])
        while len(runs) > 1 and _bottom(runs[-1], apart) - _top(runs[-2], apart) < apart:
            last = runs.pop()
            runs[-1] += last
    return [_bottom(run, apart) + place * apart for run in runs for place in range(len(run))]


def _bottom(run: Sequence[float], apart: float) -> float:
    return sum(run) / len(run) - (len(run) - 1) * apart / 2


def _top(run: Sequence[float], apart: float) -> float:
    return sum(run) / len(run) + (len(run) - 1) * apart / 2
