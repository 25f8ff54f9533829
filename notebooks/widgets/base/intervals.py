"""Intervals of measured proportions."""

from __future__ import annotations

from math import sqrt

NORMAL_95 = 1.959964  # two-sided 95% of a normal distribution


def wilson(share: float, n: float, z: float = NORMAL_95) -> tuple[float, float]:
    """The interval of a proportion of `n` independent cases (Wilson 1927).

    >>> [round(bound, 3) for bound in wilson(0.5, 10)]
    [0.237, 0.763]
    """
    weight = z**2 / n
    center = (share + weight / 2) / (1 + weight)
    half = z * sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight)
    return max(0.0, center - half), min(1.0, center + half)
