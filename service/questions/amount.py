"""A number of the question with its possible values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Amount:
    """A number with the words around it that belong to it.

    It covers the tokens from `first` up to but not including `after`. `values` are its possible values, the most likely
    first: "100.000" has two. `is_marked` means that a currency, a magnitude or thousands make it a price rather than a
    count; `is_or_more` marks "100k+", `is_at_most` "100k tops". `upper` are the possible values of the other end of a
    range. `currency` is the code of a currency other than the dollar. `digits` is the number of digits in "six
    figures", whose value is the least such number.
    """

    first: int
    after: int
    values: tuple[float, ...]
    sign: int = 0
    is_money: bool = False
    is_percent: bool = False
    is_multiple: bool = False
    currency: str = ""
    digits: int = 0
    is_marked: bool = False
    is_or_more: bool = False
    is_at_most: bool = False
    upper: tuple[float, ...] | None = None

    def value(self, spot: float) -> float:
        """The value nearest to the spot price by ratio; this decides what the separators mean."""
        return nearest(self.values, spot)

    def upper_value(self, spot: float) -> float | None:
        return nearest(self.upper, spot) if self.upper else None


def nearest(values: Sequence[float], spot: float) -> float:
    return min(values, key=lambda value: abs(math.log(value / spot)) if 0 < value < math.inf else math.inf)


def scaled(lower: tuple[float, ...], upper: tuple[float, ...]) -> tuple[float, ...]:
    """The lower end in the upper end's thousands or millions if it is far too small otherwise."""
    for factor in (1e3, 1e6, 1e9):
        if 0 < max(lower) < min(upper) / 50 <= max(lower) * factor <= max(upper):
            return tuple(value * factor for value in lower)
    return lower
