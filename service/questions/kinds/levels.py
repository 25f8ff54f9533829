"""Kinds about a level: the last price beyond it or between two, any price beyond it, one of two levels first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from service.questions.criterion import WIDEST, Criterion, checked, invalid, price
from service.questions.kinds.kind import COMPARISONS, Chances, Identity, Kind, Polarity, polarity_of
from service.questions.kinds.path import NO_TRADE, Path, RecordedPath, Values

if TYPE_CHECKING:
    from service.questions.question import Question

# Two levels farther apart than this factor are not taken for a range.
WIDEST_RANGE = 20.0
# A level at this share of the present price counts as zero: a hundredth, rounded up to two digits.
ZERO_SHARE = 0.011

LAST = "the last {asset} price of this service's feed at or before {deadline} is"
ANY_PRICE = "{asset} price of this service's feed from {asked} to {deadline} is"
SPAN = "of this service's feed from {asked} to {deadline}"


class LastPrice(Kind):
    """The last price at or before the deadline decides."""

    counts_from_now = False
    counts_past = False

    def instants(self, question: Question, path: RecordedPath) -> Sequence[int]:  # noqa: ARG002
        return (path.until,)

    def evidence(self, question: Question, path: RecordedPath) -> str:  # noqa: ARG002
        return path.close_at(path.until)


class Close(LastPrice):
    """The last price is beyond `level`."""

    names = ("close_above", "close_below")
    sentence = "Will {asset} {no}be {above} {level} USD at {deadline}?"
    condition = (LAST + " {above} {level} USD", LAST + " at or {below} {level} USD")
    leg = ("{asset} be {above} {level} USD",)
    theme = "{above}"

    def event(self, question: Question, path: Path) -> Values:
        return self.is_beyond(path.last, path.level(question.threshold))

    def probability(self, question: Question, chances: Chances) -> float:
        above = chances.own.above(chances.distance(question.threshold))
        return above if self.side > 0 else 1 - above

    def identity(self, question: Question) -> Identity:
        return ("close", question.asset), question.levels


class Touch(Kind):
    """Some price until the deadline is at `level` or beyond it."""

    names = ("touch_above", "touch_below")
    sentence = (
        "Will {asset} trade at or {above} {level} USD at any time until {deadline}?",
        "Will {asset} stay {below} {level} USD at all times until {deadline}?",
    )
    condition = ("any " + ANY_PRICE + " at or {above} {level} USD", "no " + ANY_PRICE + " at or {above} {level} USD")
    leg = ("{asset} trade at or {above} {level} USD at any time", "{asset} stay {below} {level} USD")
    uses = frozenset({"stay"})
    counts_past = False
    may_end_early = True
    theme = "{above}"

    def event(self, question: Question, path: Path) -> Values:
        return path.reaches(question.threshold, self.side)

    def decided_at(self, question: Question, path: RecordedPath) -> int:
        return path.step(question.threshold, self.side)

    def probability(self, question: Question, chances: Chances) -> float:
        if self.side < 0 and question.threshold <= ZERO_SHARE * question.spot:
            return 0.0
        distance = chances.distance(question.threshold)
        return 1.0 if self.side * distance <= 0 else chances.own.touch(distance)

    def evidence(self, question: Question, path: RecordedPath) -> str:
        if self.side * path.spot >= self.side * question.threshold:
            return f"{path.asset} was at {path.spot:.10g} when it was asked"
        if not path.steps:
            return f"{path.asset} {NO_TRADE}"
        place = self.decided_at(question, path)
        if place < path.steps:
            return path.bar_extreme(place, self.side)
        if self.side > 0:
            return f"{path.asset} never rose above {path.since.high.max():.10g}"
        return f"{path.asset} never fell below {path.since.low.min():.10g}"


class Between(LastPrice):
    """The last price is in [`level`, `upper_level`]."""

    names = ("between",)
    sentence = (
        "Will {asset} be between {level} and {upper} USD at {deadline}?",
        "Will {asset} be outside {level} to {upper} USD at {deadline}?",
    )
    condition = (LAST + " from {level} to {upper} USD", LAST + " below {level} or above {upper} USD")
    uses = frozenset({"swing", "leave", "stay"})

    def event(self, question: Question, path: Path) -> Values:
        lower, upper = question.bounds
        return (path.final >= lower) & (path.final <= upper)

    def probability(self, question: Question, chances: Chances) -> float:
        return chances.own.between(*map(chances.distance, question.bounds))

    def polarity(self, question: Question) -> Polarity:
        return polarity_of(1 if sum(question.bounds) / 2 >= question.spot else -1, question)


class Leave(Kind):
    """Some price until the deadline is at `level` or below it, or at `upper_level` or above it."""

    names = ("leave",)
    sentence = (
        "Will {asset} leave the range between {level} and {upper} USD at any time until {deadline}?",
        "Will {asset} stay between {level} and {upper} USD at all times until {deadline}?",
    )
    condition = (
        "any " + ANY_PRICE + " at or below {level} or at or above {upper} USD",
        "every " + ANY_PRICE + " above {level} and below {upper} USD",
    )
    uses = frozenset({"leave", "stay", "swing", "neither_of"})
    is_sided = False
    counts_past = False
    may_end_early = True

    def event(self, question: Question, path: Path) -> Values:
        lower, upper = question.bounds
        return np.logical_or(path.reaches(lower, -1), path.reaches(upper, 1))

    def decided_at(self, question: Question, path: RecordedPath) -> int:
        lower, upper = question.bounds
        return min(path.step(lower, -1), path.step(upper, 1))

    def evidence(self, question: Question, path: RecordedPath) -> str:  # noqa: ARG002
        return f"{path.asset} was from {path.low:.10g} to {path.high:.10g}"


class Direction(LastPrice):
    """The last price is beyond the present one."""

    names = ("up", "down")
    sentence = "Will {asset} {no}be {above} its present price of {spot} USD at {deadline}?"
    condition = (LAST + " {above} {spot} USD", LAST + " at or {below} {spot} USD")
    leg = ("{asset} be {above} its present price of {spot} USD",)
    uses = frozenset({"stay"})
    counts_from_now = True
    asks_rise = True
    theme = "direction"

    def event(self, question: Question, path: Path) -> Values:  # noqa: ARG002
        return self.is_beyond(path.last, path.start)

    def probability(self, question: Question, chances: Chances) -> float:  # noqa: ARG002
        return chances.own.above(0.0) if self.side > 0 else 1 - chances.own.above(0.0)

    def level(self, question: Question) -> float | None:
        return question.spot

    def asked_again(self, question: Question) -> Question:
        return replace(question, comparator=Close.of(self.side), level=question.spot)

    def identity(self, question: Question) -> Identity:
        return ("close", question.asset), question.levels or (question.spot,)


class Relative(Kind):
    """`asset` returns more than `other_asset` until the deadline, each from its last price when it was asked."""

    names = ("relative",)
    sentence = (
        "Will {asset} return more than {other} until {deadline}?",
        "Will {asset} return no more than {other} until {deadline}?",
    )
    period = "each from its last price of this service's feed at or before {asked} to its last at or before {deadline}"
    condition = ("{asset} returns more than {other}, " + period, "{asset} returns no more than {other}, " + period)
    counts_past = False
    asks_rise = True

    def event(self, question: Question, path: Path) -> Values:  # noqa: ARG002
        return path.lead > 0

    def probability(self, question: Question, chances: Chances) -> float:  # noqa: ARG002
        return chances.outperforms()

    def instants(self, question: Question, path: RecordedPath) -> Sequence[int]:  # noqa: ARG002
        return (path.until,)

    def evidence(self, question: Question, path: RecordedPath) -> str:  # noqa: ARG002
        paths = [path, *([path.other] if path.other else [])]
        return "; ".join(f"{leg.close_of(leg.bars)}, {100 * leg.growth:+.2f}%" for leg in paths)

    def identity(self, question: Question) -> Identity:
        return ("relative", frozenset(question.assets)), ()


class First(Kind):
    """Of two levels, one is reached before the other: `upper_level`, or on the lower side `level`."""

    names = ("upper_first", "lower_first")
    sentence = (
        "Will {asset} {reach} {near} USD before {far} USD by {deadline}?",
        "Will {asset} fail to {reach} {near} USD before {far} USD by {deadline}?",
    )
    crossing = "{asset} price " + SPAN + " at or {above} {near} USD comes before one at or {below} {far} USD"
    condition = ("any " + crossing, "no " + crossing)
    uses = COMPARISONS
    counts_past = False
    may_end_early = True
    compares_steps = True

    def _steps(self, question: Question, path: Path) -> tuple[Values, Values]:
        goal, rival = question.bounds[:: -self.side]
        return path.step(goal, self.side), path.step(rival, -self.side)

    def event(self, question: Question, path: Path) -> Values:
        goal, rival = self._steps(question, path)
        return (goal < rival) + 0.5 * ((goal == rival) & (goal < path.steps))

    def decided_at(self, question: Question, path: RecordedPath) -> int:
        return min(self._steps(question, path))

    def evidence(self, question: Question, path: RecordedPath) -> str:
        goal, rival = self._steps(question, path)
        place, since = min(goal, rival), path.since
        if not path.steps:
            return f"{path.asset} {NO_TRADE}"
        if place == path.steps:
            return f"{path.asset} reached neither level, from {since.low.min():.10g} to {since.high.max():.10g}"
        if goal == rival:
            return f"{path.asset} reached both levels in the bar of {path.opened(place)}"
        side = self.side if goal < rival else -self.side
        return f"{path.bar_extreme(place, side)}, before the other level"


class Move(LastPrice):
    """The last price is more than `level_pct` percent away from `spot`, up or down."""

    names = ("move",)
    sentence = "Will {asset} {no}move more than {pct}%, up or down, from {spot} USD by {deadline}?"
    distance = "% away from {spot} USD, up or down"
    condition = (LAST + " more than {pct}" + distance, LAST + " at most {pct}" + distance)
    uses = frozenset({"neither_of", "swing", "stay"})
    is_sided = False
    counts_from_now = True

    def event(self, question: Question, path: Path) -> Values:
        return np.abs(path.final / question.spot - 1) > question.size

    def probability(self, question: Question, chances: Chances) -> float:
        return 1 - chances.own.between(math.log(1 - question.size), math.log(1 + question.size))

    def asked_again(self, question: Question) -> Question:
        lower, upper = (question.spot * (1 + side * question.size) for side in (-1, 1))
        return replace(question, comparator="between", negated=not question.negated, level=lower, upper_level=upper)


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


def between(low: float, high: float, spot: float, *, is_lasting: bool = False) -> Criterion:
    """The last price before the deadline is in the range; if it `is_lasting`, no price is outside."""
    ends = sorted((checked(low, spot), checked(high, spot)))
    if ends[0] == ends[1]:
        raise invalid("The two ends of the range are the same. Name a lower and an upper level.")
    if ends[1] > ends[0] * WIDEST_RANGE:
        raise invalid("The two levels are too far apart for a range. Ask about one of them.")
    return Criterion("leave" if is_lasting else "between", ends[0], ends[1], negated=is_lasting)


def order(first: float, second: float, spot: float) -> Criterion:
    """The first level is reached before the second; they must be on two sides of the spot price."""
    lower, upper = sorted((checked(first, spot), checked(second, spot)))
    if not lower < spot < upper:
        raise invalid(
            "Of two levels, one must be above and one below the present price. Ask about one of them.", "level"
        )
    criterion = Criterion(First.names[first < second], lower, upper)
    return criterion.noted("If neither level is reached by the deadline, neither is reached first: no such event.")
