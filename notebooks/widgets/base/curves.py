"""Curves over time: instants and percentages from points, and labels at the ends of curves that do not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

PADDING = 0.05  # what plotly leaves free at each end of an axis, as a fraction of it

# What an axis has on a narrow page, where the plot takes the width: its labels stand over the plot.
INSIDE = {"ticklabelposition": "inside", "ticklabeloverflow": "allow"}

Points = Sequence[Mapping[str, Any]]


class CurveEnd(NamedTuple):
    """The last value of a curve, with the text and the colour of its label."""

    value: float
    text: str
    colour: str


def instants(points: Points, name: str = "time") -> pd.DatetimeIndex:
    """The instants of points of the API, in UTC without a zone: plotly draws others twelve times slower."""
    # numpy reads them five times faster than pandas.
    return pd.DatetimeIndex(np.array([point[name].removesuffix("Z") for point in points], "datetime64[us]"))


def values(points: Points, name: str = "equity_usd") -> np.ndarray:
    """One field of points as numbers."""
    return np.array([point[name] for point in points], float)


def gains_pct(equity: np.ndarray, initial: float) -> np.ndarray:
    """The gain of each point over the initial capital.

    Parameters
    ----------
    equity : (n,) values in USD
    initial : the initial capital in USD, above 0

    Returns
    -------
    (n,) percentages, -100 or more; empty without points.
    """
    return 100 * (equity / initial - 1)


def drawdowns_pct(equity: np.ndarray) -> np.ndarray:
    """The decline of each point from the highest value up to it, among all points of an account.

    Parameters
    ----------
    equity : (n,) values in USD, above 0, in order of time

    Returns
    -------
    (n,) percentages, -100 to 0; empty without points.
    """
    return 100 * (equity / np.maximum.accumulate(equity) - 1)


def labels(ends: Sequence[CurveEnd], points: np.ndarray, *, gap: float, axes: str = "") -> list[dict[str, Any]]:
    """Annotations to the right of the ends of curves, which stay in place when the reader zooms.

    Parameters
    ----------
    ends : the last values of the curves, in any order
    points : (n,) all values on the vertical axis, which plotly extends by `PADDING` of its length on either side
    gap : least distance of two labels, as a fraction of the axis
    axes : number of the axes of the curves, as plotly names them: "" for the first, "2", "3"

    Returns
    -------
    One plotly annotation per end, the lowest first.
    """
    if not ends:
        return []
    low, high = float(np.min(points)), float(np.max(points))
    scale = (1 - 2 * PADDING) / (high - low) if high > low else 0
    order = sorted(ends, key=lambda end: end.value)
    heights = spread([PADDING + scale * (end.value - low) if scale else 0.5 for end in order], gap)
    # Relative to the paper: an annotation at a point would leave with it, and widen the time axis.
    place = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 6, "yref": f"y{axes} domain", "yanchor": "middle"}
    return [
        {**place, "y": height, "text": end.text, "font": {"color": end.colour}, "showarrow": False}
        for end, height in zip(order, heights, strict=True)
    ]


def heading(axes: str, text: str) -> dict[str, Any]:
    """The annotation above the left end of a chart, whose vertical axis has the number `axes`."""
    place = {"xref": "paper", "x": 0, "yref": f"y{axes} domain", "y": 1, "yanchor": "bottom", "showarrow": False}
    return {**place, "text": text, "font": {"size": 12}}


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move heights apart, as little as possible: each overlapping run is centred on its mean.

    Parameters
    ----------
    heights : (n,) in ascending order
    gap : least distance of two neighbours, above 0, in the same unit

    Returns
    -------
    (n,) ascending heights that are at least `gap` apart.

    >>> spread([0, 0, 10], 2)
    [-1.0, 1.0, 10.0]
    """
    runs: list[list[float]] = []
    for height in heights:
        runs.append([height])
        while len(runs) > 1 and _bottom(runs[-1], gap) - _top(runs[-2], gap) < gap:
            last = runs.pop()
            runs[-1] += last
    return [_bottom(run, gap) + place * gap for run in runs for place in range(len(run))]


def _bottom(run: Sequence[float], gap: float) -> float:
    return sum(run) / len(run) - (len(run) - 1) * gap / 2


def _top(run: Sequence[float], gap: float) -> float:
    return sum(run) / len(run) + (len(run) - 1) * gap / 2
