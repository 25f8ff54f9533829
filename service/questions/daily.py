"""The criterion of a question that counts days."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from service.questions.criterion import RANGE_AT_END, Criterion
from service.questions.day_counts import HOW, MOST_DAYS, DayCount
from service.questions.question import Comparator
from service.questions.refusals import invalid

KINDS: dict[str, Comparator] = {
    "close_above": "days_above",
    "close_below": "days_below",
    "up": "days_up",
    "down": "days_down",
}
# A price that stays above a level, which is written as one that never touches it, closes above it on each of the days.
STAYING: dict[str, Comparator] = {"touch_below": "days_above", "touch_above": "days_below"}

# A price that is not above a level on any of the days is below it on all of them.
DENIED: dict[Comparator, Comparator] = {"days_above": "days_below", "days_below": "days_above"}


def counted(
    criterion: Criterion, count: DayCount, trading_days: int, begin: datetime | None = None, *, stays: bool = False
) -> Criterion:
    """The criterion for each day as one for a number of days, of which there are `trading_days` until the deadline.

    They are counted from `begin`, or from now. `stays` if the price is to stay on one side of a level.
    """
    if count == DayCount(None) and criterion.comparator.startswith("touch") and criterion.negated:
        return criterion  # "stay above 90k every day" is to stay above it
    if count == DayCount(None) and criterion.comparator == "between":
        notes = dict.fromkeys((*criterion.notes, RANGE_AT_END))  # "between 90k and 95k all week"
        return replace(criterion, notes=tuple(notes))
    daily = _daily(criterion, stays=stays)
    if count == DayCount(None) and daily.negated and daily.comparator in DENIED:
        daily = replace(daily, comparator=DENIED[daily.comparator], negated=False)  # "no higher than 2.4 all week"
    days = _days(count, trading_days)
    if trading_days > MOST_DAYS:
        raise invalid(f"Days are counted over at most {MOST_DAYS} days. Name an earlier deadline.")
    if not 1 <= days <= trading_days:
        raise invalid(f"Only {trading_days} trading days end by the deadline. Name a later deadline or fewer days.")
    negated = daily.negated != count.negated
    noted = replace(daily, level_pct=None, days=days, in_a_row=count.in_a_row, negated=negated, earlier=begin)
    share = {"": "", "most": "Most days", "half": "Half of the days"}[count.share]
    noted = noted.noted(f"{share} are understood as at least {days} of {trading_days}.") if share else noted
    return noted.noted(_note(noted.comparator, begin))


def _daily(criterion: Criterion, *, stays: bool) -> Criterion:
    """The criterion of one day, by its closing price."""
    if stays and (comparator := STAYING.get(criterion.comparator)):
        return replace(criterion, comparator=comparator, negated=not criterion.negated)
    comparator = KINDS.get(criterion.comparator)
    if comparator is None:
        raise invalid(f"Days are counted by their closing prices, above or below a level, up or down. {HOW}")
    return replace(criterion, comparator=comparator)


def _days(count: DayCount, trading_days: int) -> int:
    if count.days is not None:
        return count.days
    shares = {"": trading_days, "most": trading_days // 2 + 1, "half": (trading_days + 1) // 2}
    return shares[count.share]


def _note(comparator: Comparator, begin: datetime | None) -> str:
    start = f"{begin:%Y-%m-%d}" if begin else "now"
    last_price = "by the last price of each trading day that ends by then."
    each = f"Days are counted in UTC from {start} to the deadline, {last_price}"
    if comparator in ("days_up", "days_down"):
        return f"{each} Each is compared with the one before it{'' if begin else ', the first with the present price'}."
    return each
