"""Planted data: values that depend on each other as scores of markets do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def weekly_values(
    dice: np.random.Generator, weeks: int, a_week: int, correlation: float, memory: float
) -> NDArray[np.float64]:
    """Standard normal values, `a_week` in each of so many weeks, shape (n,).

    Two of one week correlate by `correlation`, those of weeks that are k apart by `memory` to the power of k less.
    """
    factor = np.empty(weeks)
    factor[0] = dice.normal()
    for week in range(1, weeks):
        factor[week] = memory * factor[week - 1] + np.sqrt(1 - memory**2) * dice.normal()
    common = np.sqrt(correlation) * np.repeat(factor, a_week)
    return common + np.sqrt(1 - correlation) * dice.normal(size=weeks * a_week)
