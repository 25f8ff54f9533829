"""The outcomes of questions that the whole path of a price decides, from the bars after the question."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from service.forecasting.voters.path_events import longest_run
from service.market.assets import YEAR_HOURS, calendar_of, trading_days
from service.market.bars import Bars
from service.market.instants import HOUR, iso, utc
from service.questions.question import DAY_COUNTS, MOVING_AVERAGES, ORDERS, Question, closes_known, happened

# Whether the event took place, and the evidence.
Outcome = tuple[bool, str]


class SameBar(Exception):
    """Both levels were reached in one bar, which does not tell which was first; the message names the bar."""


def first_reached(question: Question, bars: Bars) -> int | None:
    """The index of the first bar that decides a question decided early: a touch, or the order of two levels."""
    places = [place for place in _reached(question, bars) if place is not None]
    return min(places, default=None)


def _reached(question: Question, bars: Bars) -> tuple[int | None, int | None]:
    """The indices of the first bars at or above the level above, and at or below the level below."""
    lower, upper = question.bounds if question.comparator in ORDERS else (question.threshold, question.threshold)
    rises = None if question.comparator == "touch_below" else _index(bars.high >= upper)
    falls = None if question.comparator == "touch_above" else _index(bars.low <= lower)
    return rises, falls


def _index(flags: np.ndarray) -> int | None:
    places = np.flatnonzero(flags)
    return int(places[0]) if len(places) else None


def order(question: Question, bars: Bars) -> Outcome | None:
    """Which of two levels was reached first; None before either was. Raises SameBar where that cannot be told."""
    rises, falls = _reached(question, bars)
    if rises is None and falls is None:
        return None
    place = first_reached(question, bars)
    opened = iso(int(bars.time[place]))
    if rises == falls:
        raise SameBar(f"{question.asset} reached both levels in the bar of {opened}")
    is_rise = place == rises
    side, price = ("high", bars.high[place]) if is_rise else ("low", bars.low[place])
    evidence = f"{question.asset} {side} {price:.10g} in the bar of {opened}, before the other level"
    return is_rise == (question.comparator == "upper_first"), evidence


def of_path(question: Question, asked_at: int, bars: Bars) -> Outcome:
    """The outcome after the deadline, from whole `bars`, the last of which is complete at the deadline."""
    since = bars.since(asked_at)
    if question.comparator in ORDERS:
        return order(question, since) or (False, _unreached(question, since))
    return OUTCOMES[question.comparator](question, asked_at, bars)


def _unreached(question: Question, bars: Bars) -> str:
    if not len(bars):
        return f"{question.asset} did not trade until the deadline"
    return f"{question.asset} reached neither level, from {bars.low.min():.10g} to {bars.high.max():.10g}"


def _range(question: Question, asked_at: int, bars: Bars) -> Outcome:
    since, spot = bars.since(asked_at), question.spot
    high, low = max([spot, *since.high.tolist()]), min([spot, *since.low.tolist()])
    width = f"{100 * (high - low) / spot:.2f}%"
    evidence = f"{question.asset} from {low:.10g} to {high:.10g}, {width} of {spot:.10g}"
    return happened(question, final=spot, high=high, low=low), evidence


def _average(question: Question, asked_at: int, bars: Bars) -> Outcome:
    since = bars.since(asked_at)
    closes = since.close[(since.time + since.step) % HOUR == 0]
    mean = float(closes.mean()) if len(closes) else question.spot
    evidence = f"{question.asset} mean {mean:.10g} of {len(closes)} hourly closes"
    return happened(question, final=mean, high=mean, low=mean), evidence


def _volatility(question: Question, asked_at: int, bars: Bars) -> Outcome:
    since = bars.since(asked_at)
    closes = since.close[(since.time + since.step) % HOUR == 0]
    moves = np.diff(np.log(closes))
    yearly = YEAR_HOURS[calendar_of(question.asset)]
    volatility = float(np.sqrt(np.square(moves).mean() * yearly)) if len(moves) else 0.0
    evidence = f"{question.asset} volatility {100 * volatility:.2f}% a year from {len(moves)} hourly returns"
    return volatility > question.size, evidence


def _moving_average(question: Question, asked_at: int, bars: Bars) -> Outcome:
    ends = trading_days(question.asset, asked_at, int(question.deadline.timestamp()))[-question.least_days :]
    closes = [_close_at(question, asked_at, bars.until(end)) for end in ends]
    stored = closes_known(question, asked_at)
    mean = (stored * (question.level or 0.0) + sum(closes)) / question.least_days
    final = _close_at(question, asked_at, bars)
    evidence = f"{question.asset} close {final:.10g}, mean {mean:.10g} of the last {question.least_days} daily closes"
    return (final > mean) if question.comparator == "above_moving_average" else (final < mean), evidence


def _days(question: Question, asked_at: int, bars: Bars) -> Outcome:
    since = question.counted_since(asked_at)
    ends = trading_days(question.asset, since, int(question.deadline.timestamp()))
    first, *closes = [_close_at(question, asked_at, bars.until(end)) for end in (since, *ends)]
    days = _counting(question, np.array(closes), first)
    longest = int(longest_run(days))
    most = longest if question.in_a_row else int(days.sum())
    dates = ", ".join(f"{utc(end - 1):%Y-%m-%d}" for end, counts in zip(ends, days, strict=True) if counts)
    counted = f"{question.asset}: {days.sum()} of {len(ends)} days, at most {longest} in a row"
    return most >= question.least_days, f"{counted}: {dates}" if dates else counted


def _close_at(question: Question, asked_at: int, bars: Bars) -> float:
    """The last close of the bars, or the price of the question where they end before it."""
    return float(bars.close[-1]) if len(bars) and bars.as_of > asked_at else question.spot


def _counting(question: Question, closes: np.ndarray, first: float) -> np.ndarray:
    """Which days count, shape (days,); `first` is the price that the first of them is compared with."""
    moves = np.diff(closes, prepend=first)
    match question.comparator:
        case "days_above":
            return closes > question.threshold
        case "days_below":
            return closes < question.threshold
        case "days_up":
            return moves > 0
    return moves < 0


OUTCOMES: dict[str, Callable[[Question, int, Bars], Outcome]] = {
    "range": _range,
    "average_above": _average,
    "average_below": _average,
    "volatility": _volatility,
    **dict.fromkeys(MOVING_AVERAGES, _moving_average),
    **dict.fromkeys(DAY_COUNTS, _days),
}
