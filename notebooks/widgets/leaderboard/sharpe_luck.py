"""How much of a Sharpe ratio is luck: its sampling error, and the ratios of traders who toss a coin.

With independent daily returns of mean zero, an annual Sharpe ratio measured over `years` is normal with mean 0 and
standard deviation 1 / sqrt(years). Strategies that trade the same assets depend on each other, so that the best of them
is less extreme than the best of as many independent coin flippers, and costs lower the ratio of a coin flipper.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Any

from notebooks.widgets.base.intervals import NORMAL_95
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import Document, moment

DAYS_A_YEAR = 365  # as in the Sharpe ratios of the service
METRIC = "sharpe"


def years_of(strategy: Document) -> float:
    """The length of a strategy's record in years, at least a day."""
    days = (moment(strategy["as_of"]) - moment(strategy["started_at"])).total_seconds() / 86_400
    return max(days, 1.0) / DAYS_A_YEAR


def best_by_luck(count: int, years: float) -> float:
    """The median of the best Sharpe ratio among `count` coin flippers: all are below it in half of all histories."""
    return NormalDist().inv_cdf(0.5 ** (1 / count)) / sqrt(years)


def whiskers(rows: list[Document], palette: Palette) -> dict[str, Any]:
    """The error bars of rows with a Sharpe ratio, which may be missing: half of its 95% interval."""
    halves = [0.0 if row[METRIC] is None else row["sharpe_high"] - row[METRIC] for row in rows]
    return {"visible": True, "array": halves, "color": palette.ink, "thickness": 1.2, "width": 0}


def coin_flippers(count: int, years: float) -> dict[str, Any]:
    """The best of `count` coin flippers, as a row beside the ghosts of the leaderboard."""
    return {"name": f"Best of {count} coin flippers", METRIC: best_by_luck(count, years)}


def usual_range(years: float, palette: Palette) -> dict[str, Any]:
    """The shape behind the bars in which 95% of coin flippers lie."""
    half = NORMAL_95 / sqrt(years)
    place = {"type": "rect", "xref": "x", "x0": -half, "x1": half, "yref": "y domain", "y0": 0, "y1": 1}
    return {**place, "layer": "below", "fillcolor": palette.grid, "line": {"width": 0}}
