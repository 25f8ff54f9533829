"""The event that YES stands for, and the few ways to make one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.forecasting.questions.question import Comparator
from service.forecasting.questions.refusals import invalid

# A level further from the spot price than this factor is a slip of the pen.
WIDEST = 100.0
# A range whose ends are further apart than this factor was not meant as one.
WIDEST_RANGE = 20.0


@dataclass(frozen=True)
class Criterion:
    """What must happen. Levels are USD, `level_pct` the move from the spot price in percent."""

    comparator: Comparator
    level: float | None = None
    upper_level: float | None = None
    level_pct: float | None = None
    negated: bool = False
    notes: tuple[str, ...] = ()

    def noted(self, note: str) -> Criterion:
        return replace(self, notes=(*self.notes, note))


def touch(level: float, upward: bool) -> Criterion:
    """Some price until the deadline is at the level or beyond it."""
    return Criterion("touch_above" if upward else "touch_below", level)


def close(level: float, upward: bool) -> Criterion:
    """The last price before the deadline is beyond the level."""
    return Criterion("close_above" if upward else "close_below", level)


def stay(level: float, below: bool) -> Criterion:
    """Staying above a level is never touching it from above, all the way to the deadline."""
    return replace(touch(level, upward=below), negated=True)


def between(low: float, high: float, spot: float, *, lasting: bool = False) -> Criterion:
    """The last price before the deadline lies in the range; `lasting` asked for more than that."""
    ends = sorted((checked(low, spot), checked(high, spot)))
    if ends[0] == ends[1]:
        raise invalid("The two ends of the range are the same. Name a lower and an upper level.")
    if ends[1] > ends[0] * WIDEST_RANGE:
        raise invalid("The two levels are too far apart for a range. Ask about one of them.")
    criterion = Criterion("between", ends[0], ends[1])
    return (
        criterion.noted("Only the price at the deadline counts for a range, not the way there.")
        if lasting
        else criterion
    )


def checked(level: float, spot: float) -> float:
    """The level, rounded to ten digits, if it is a price that can be meant at this spot price."""
    if level > 0 and spot / WIDEST <= level <= spot * WIDEST:
        return float(f"{level:.10g}")
    low, high = f"{spot / WIDEST:,.6g}", f"{spot * WIDEST:,.6g}"
    hint = f" Did you mean {level * 1000:,.0f}?" if 0.2 < level * 1000 / spot < 5 else ""
    detail = f"That level makes no sense at a price of {spot:,.6g} USD; it must lie between {low} and {high}."
    raise invalid(detail + hint)
