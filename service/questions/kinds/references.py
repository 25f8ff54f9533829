"""Kinds that compare with another price or measure: an earlier price, a moving average, the volatility of a year."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.market.assets import trading_days
from service.questions.kinds.kind import Chances, Kind
from service.questions.kinds.levels import LAST, SPAN
from service.questions.kinds.path import Path, RecordedPath, Values
from service.questions.kinds.paths import WidthOf

if TYPE_CHECKING:
    from service.questions.question import Question


class Comparison(Kind):
    """The last price at or before the deadline is beyond the last one at or before `earlier`."""

    names = ("above_earlier", "below_earlier")
    sentence = "Will {asset} {no}be {higher} at {deadline} than at {earlier}?"
    then = "the last one at or before {earlier}"
    condition = (f"{LAST} {{above}} {then}", f"{LAST} at or {{below}} {then}")
    counts_from_now = False
    counts_past = False

    def instants(self, question: Question, path: RecordedPath) -> Sequence[int]:
        return int(question.starts_at.timestamp()), path.until

    def event(self, question: Question, path: Path) -> Values:
        before, after = path.closes((int(question.starts_at.timestamp()) + 1, path.until + 1))
        return self.is_beyond(after, before)

    def probability(self, question: Question, chances: Chances) -> float:
        above = chances.above_earlier(int(question.starts_at.timestamp()))
        return above if self.side > 0 else 1 - above

    def evidence(self, question: Question, path: RecordedPath) -> str:
        return "; ".join(map(path.close_at, self.instants(question, path)))


class MovingAverage(Kind):
    """The last price is beyond the mean of the last `days` daily closes; `level` is the mean of those known before."""

    names = ("above_moving_average", "below_moving_average")
    sentence = "Will {asset} {no}be {above} its {count}-day moving average at {deadline}?"
    mean = "the mean of its last {count} daily closes (UTC) by then{known_mean}"
    condition = (f"{LAST} {{above}} {mean}", f"{LAST} at or {{below}} {mean}")
    uses = frozenset({"average", "stay"})
    counts_from_now = False

    def event(self, question: Question, path: Path) -> Values:
        return self.is_beyond(path.final, self._mean(question, path))

    def _mean(self, question: Question, path: Path) -> Values:
        days = question.least_days
        ends = trading_days(question.asset, path.now, path.until)[-days:]
        return ((days - len(ends)) * (question.level or 0.0) + path.total(ends)) / days

    def evidence(self, question: Question, path: RecordedPath) -> str:
        final, mean = path.final, self._mean(question, path)
        return f"{path.asset} close {final:.10g}, mean {mean:.10g} of the last {question.least_days} daily closes"


class Volatility(WidthOf):
    """The annualised realised volatility until the deadline is above `level_pct` percent."""

    names = ("volatility",)
    sentence = "Will the annualised volatility of {asset} {no}exceed {pct}% by {deadline}?"
    root = (
        "the root of the mean squared log return between the hourly closing prices of {name} "
        + SPAN
        + ", times the root of {year_hours} trading hours of a year, is"
    )
    condition = (root + " above {pct}%", root + " at most {pct}%")

    def event(self, question: Question, path: Path) -> Values:
        return path.volatility > question.size

    def probability(self, question: Question, chances: Chances) -> float:
        return chances.more_volatile(question.size)

    def evidence(self, question: Question, path: RecordedPath) -> str:  # noqa: ARG002
        moves = max(0, len(path.hourly_closes) - 1)
        return f"{path.asset} volatility {100 * path.volatility:.2f}% a year from {moves} hourly returns"
