"""The event that YES stands for, and the functions that create one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime

from service.questions.canonical import price, rounded
from service.questions.kinds import Comparator
from service.questions.kinds.levels import Close, First, Touch
from service.questions.question import Leg
from service.questions.refusals import invalid

# Words before a deadline up to which a state lasts.
OVER_TIME = ("until", "lasting", "within", "during")
RANGE_AT_END = "For a range, only the price at the deadline counts."
# A level farther from the spot price than this factor is taken for a mistake.
WIDEST = 100.0
# Two levels farther apart than this factor are not taken for a range.
WIDEST_RANGE = 20.0


@dataclass(frozen=True)
class Criterion:
    """What must happen.

    Levels are in USD, `level_pct` is the move from the spot price in percent. `by_spot` means that no word named the
    side of the level: the spot price decided.
    """

    comparator: Comparator
    level: float | None = None
    upper_level: float | None = None
    level_pct: float | None = None
    negated: bool = False
    days: int | None = None
    in_a_row: bool = False
    by_spot: bool = False
    legs: tuple[Leg, ...] = ()
    earlier: datetime | None = None
    notes: tuple[str, ...] = ()

    def noted(self, note: str) -> Criterion:
        """The criterion with a note for the user."""
        return replace(self, notes=(*self.notes, note))


def touch(level: float, upward: bool) -> Criterion:
    """Some price before the deadline is at the level or beyond it."""
    return Criterion(Touch.names[not upward], level)


def close(level: float, upward: bool) -> Criterion:
    """The last price before the deadline is beyond the level."""
    return Criterion(Close.names[not upward], level)


def of_zero(spot: float) -> Criterion:
    """The price falls to a hundredth, the least level that a question may name, rounded up to two digits."""
    least = spot / WIDEST
    step = 10 ** (math.floor(math.log10(least)) - 1)
    level = checked(math.ceil(least / step) * step, spot)
    return touch(level, upward=False).noted(
        f"Zero is understood as {price(level)} USD, about a hundredth of the present price, at any time."
    )


def stay(level: float, below: bool) -> Criterion:
    """No price before the deadline is at the level or beyond it."""
    return replace(touch(level, upward=below), negated=True)


def between(low: float, high: float, spot: float, *, lasting: bool = False) -> Criterion:
    """The last price before the deadline is in the range; `lasting` if the question asked for all prices to be."""
    ends = sorted((checked(low, spot), checked(high, spot)))
    if ends[0] == ends[1]:
        raise invalid("The two ends of the range are the same. Name a lower and an upper level.")
    if ends[1] > ends[0] * WIDEST_RANGE:
        raise invalid("The two levels are too far apart for a range. Ask about one of them.")
    criterion = Criterion("between", ends[0], ends[1])
    return criterion.noted(RANGE_AT_END) if lasting else criterion


def order(first: float, second: float, spot: float) -> Criterion:
    """The first level is reached before the second; they must be on two sides of the spot price."""
    lower, upper = sorted((checked(first, spot), checked(second, spot)))
    if not lower < spot < upper:
        raise invalid("Of two levels, one must be above and one below the present price. Ask about one of them.")
    criterion = Criterion(First.names[first < second], lower, upper)
    return criterion.noted("If neither level is reached by the deadline, neither is reached first: no such event.")


def checked(level: float, spot: float) -> float:
    """The level, rounded; InvalidQuestion if it is too far from the spot price."""
    if level > 0 and spot / WIDEST <= level <= spot * WIDEST:
        return rounded(level)
    limits = f"between {price(spot / WIDEST)} and {price(spot * WIDEST)}"
    hint = f" Did you mean {level * 1000:,.0f}?" if 0.2 < level * 1000 / spot < 5 else ""
    raise invalid(f"The level is implausible at a price of {price(spot)} USD. It must be {limits}.{hint}")
