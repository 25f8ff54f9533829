"""Kinds that the whole path of the price decides: its range, the days it closes beyond a level, its average."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from service.market.assets import trading_days
from service.market.instants import utc
from service.questions.kinds.kind import Kind
from service.questions.kinds.levels import SPAN
from service.questions.kinds.path import Path, RecordedPath, Values

if TYPE_CHECKING:
    from service.questions.question import Question


class Width(Kind):
    """The highest price until the deadline is more than `level_pct` percent of `spot` above the lowest."""

    names = ("range",)
    sentence = "Will the price range of {asset}, now at {spot} USD, {no}exceed {pct}% by {deadline}?"
    highest, wider = "the highest {asset} price " + SPAN + " is", "{pct}% of {spot} USD above the lowest"
    condition = (f"{highest} more than {wider}", f"{highest} at most {wider}")
    uses = frozenset({"metric", "width", "swing", "stay"})
    is_sided = False

    def event(self, question: Question, path: Path) -> Values:
        return path.width > question.size

    def evidence(self, question: Question, path: RecordedPath) -> str:  # noqa: ARG002
        width = f"{100 * path.width:.2f}%"
        return f"{path.asset} from {path.low:.10g} to {path.high:.10g}, {width} of {path.spot:.10g}"


def _days(side: str, comparison: str = "") -> tuple[str, ...]:
    """The conditions for YES of a kind that counts days."""
    days = " {days} (UTC), by the last price of each day of this service's feed from {counted_from} to {deadline}"
    return tuple(f"{{asset}} closes {side} on {number}{days}{comparison}" for number in ("at least", "fewer than"))


class DaysBeyond(Kind):
    """At least `days` trading days until the deadline close beyond `level`, in a row if `in_a_row`."""

    names = ("days_above", "days_below")
    sentence = "Will {asset} {no}close {above} {level} USD on at least {days} {span}?"
    condition = _days("{above} {level} USD")
    uses = frozenset({"stay"})
    counts_from_now = False

    def event(self, question: Question, path: Path) -> Values:
        days = self._counting(question, path)
        count = longest_run(days) if question.in_a_row else days.sum(axis=0)
        return count >= question.least_days

    def _counting(self, question: Question, path: Path) -> Values:
        """Which days count, shape (days, …)."""
        since = question.counted_since(path.now)
        return self._counted(question, path, path.closes((since, *_ends(question, path))))

    def _counted(self, question: Question, path: Path, closes: Values) -> Values:
        """Which days count; the first of the closes is that before them."""
        return self.is_beyond(closes[1:], path.level(question.threshold))

    def evidence(self, question: Question, path: RecordedPath) -> str:
        ends, days = _ends(question, path), self._counting(question, path)
        dates = ", ".join(f"{utc(end - 1):%Y-%m-%d}" for end, counts in zip(ends, days, strict=True) if counts)
        summary = f"{path.asset}: {days.sum()} of {len(ends)} days, at most {longest_run(days)} in a row"
        return f"{summary}: {dates}" if dates else summary


class DaysMoving(DaysBeyond):
    """They close beyond the day before; the first day is compared with `spot`."""

    names = ("days_up", "days_down")
    sentence = "Will {asset} {no}close {higher} on at least {days} {span}?"
    condition = _days("{higher}", ", each compared with the trading day before it and the first with {first_price}")

    def _counted(self, question: Question, path: Path, closes: Values) -> Values:  # noqa: ARG002
        return self.is_beyond(np.diff(closes, axis=0), 0)


def _ends(question: Question, path: Path) -> list[int]:
    """The ends of the trading days that are counted."""
    return trading_days(question.asset, question.counted_since(path.now), path.until)


def longest_run(days: Values) -> Values:
    """The longest run of days in a row, along the first axis of shape (days, …)."""
    run = longest = np.zeros(days.shape[1:], dtype=np.int64)
    for day in days:
        run = (run + 1) * day
        longest = np.maximum(longest, run)
    return longest


class Average(Kind):
    """The mean of the hourly closing prices until the deadline is beyond `level`."""

    names = ("average_above", "average_below")
    sentence = "Will the average price of {asset} {no}be {above} {level} USD by {deadline}?"
    mean = "the mean of the hourly closing prices of {asset} " + SPAN + " is"
    condition = (mean + " {above} {level} USD", mean + " at or {below} {level} USD")
    uses = frozenset({"average", "stay"})

    def event(self, question: Question, path: Path) -> Values:
        return self.is_beyond(path.average, path.level(question.threshold))

    def evidence(self, question: Question, path: RecordedPath) -> str:  # noqa: ARG002
        return f"{path.asset} mean {path.average:.10g} of {len(path.hourly_closes)} hourly closes"
