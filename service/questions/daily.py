"""The criterion of a question that counts days."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from service.questions.criterion import Criterion, invalid
from service.questions.day_counts import HOW, MOST_DAYS, DayCount
from service.questions.kinds import KINDS, Comparator
from service.questions.kinds.levels import RANGE_AT_END, Close, Direction, Touch
from service.questions.kinds.paths import DaysBeyond, DaysMoving


def counted(
    criterion: Criterion, count: DayCount, trading_days: int, begin: datetime | None = None, *, stays: bool = False
) -> Criterion:
    """The criterion for each day as one for a number of days, of which there are `trading_days` until the deadline.

    They are counted from `begin`, or from now. `stays` if the price is to stay on one side of a level.
    """
    if count == DayCount(None) and isinstance(KINDS[criterion.comparator], Touch) and criterion.negated:
        return criterion  # "stay above 90k every day" is to stay above it
    if count == DayCount(None) and criterion.comparator == "between":
        notes = dict.fromkeys((*criterion.notes, RANGE_AT_END))  # "between 90k and 95k all week"
        return replace(criterion, notes=tuple(notes))
    daily = _daily(criterion, stays=stays)
    if count == DayCount(None) and daily.negated and daily.comparator in DaysBeyond.names:
        opposite = DaysBeyond.of(-KINDS[daily.comparator].side)
        daily = replace(daily, comparator=opposite, negated=False)  # "no higher than 2.4 all week"
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
    kind = KINDS[criterion.comparator]
    if stays and isinstance(kind, Touch):  # a price that stays above a level is written as one that never touches it
        return replace(criterion, comparator=DaysBeyond.of(-kind.side), negated=not criterion.negated)
    if not isinstance(kind, Close | Direction) or criterion.comparator == "open":
        raise invalid(f"Days are counted by their closing prices, above or below a level, up or down. {HOW}")
    days = DaysBeyond if isinstance(kind, Close) else DaysMoving
    return replace(criterion, comparator=days.of(kind.side))


def _days(count: DayCount, trading_days: int) -> int:
    if count.days is not None:
        return count.days
    shares = {"": trading_days, "most": trading_days // 2 + 1, "half": (trading_days + 1) // 2}
    return shares[count.share]


def _note(comparator: Comparator, begin: datetime | None) -> str:
    start = f"{begin:%Y-%m-%d}" if begin else "now"
    last_price = "by the last price of each trading day that ends by then."
    each = f"Days are counted in UTC from {start} to the deadline, {last_price}"
    if comparator in DaysMoving.names:
        return f"{each} Each is compared with the one before it{'' if begin else ', the first with the present price'}."
    return each
