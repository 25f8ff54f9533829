"""The series of prediction markets: a few kinds of question for every asset and every period.

Every deadline is the last second of a day. If periods of one asset end on the same day, only the longest one has
questions about levels, so that no two markets are nearly identical.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.periods import Period, current
from service.forecasting.voters import distribution
from service.forecasting.voters.context import Context
from service.market.assets import ASSETS, is_open, open_hours
from service.market.instants import DAY, HOUR, utc
from service.questions.canonical import canonical, price
from service.questions.question import Comparator, Question
from service.questions.rule import rule

EVERY_S = 12 * HOUR  # the interval between the beginnings of periods
LEAST_LEFT = 0.25  # the minimum remaining share of a period for its markets to be opened
STEP_SIGMAS = 0.1  # levels are multiples of the largest round step of at most this size
COPY_WITHIN_S = 12 * HOUR
COPY_WITHIN_SIGMAS = 0.25


@dataclass(frozen=True)
class Series:
    """One kind of question; its level is `sigmas` standard deviations above the price, 0 if it has no level."""

    comparator: Comparator
    sigmas: float = 0.0


UP = Series("up")
LEVELS = (
    Series("close_above", 0.7),
    Series("close_below", -0.7),
    Series("touch_above", 1.2),
    Series("touch_below", -1.2),
)
RELATIVE = Series("relative")
# The series of even and of odd days, counted from 1970.
DAILY_TOUCH = (Series("touch_above", 0.9), Series("touch_below", -0.9))

# The asset with which each asset is compared; both have the same trading hours.
COUNTERPART = {
    "btc": "eth",
    "eth": "sol",
    "sol": "bnb",
    "bnb": "xrp",
    "xrp": "btc",
    "gold": "silver",
    "silver": "gold",
}

TEXTS: dict[Comparator, str] = {
    "up": "From {level} USD, will {name} be up at the end of {day}?",
    "close_above": "Will {name} be above {level} USD at the end of {day}?",
    "close_below": "Will {name} be below {level} USD at the end of {day}?",
    "touch_above": "Will {name} reach {level} USD by {day}?",
    "touch_below": "Will {name} fall to {level} USD by {day}?",
    "relative": "Will {name} outperform {other} until {day}?",
}


def opening(now: int, contexts: Mapping[str, Context], stored: Container[str] = ()) -> list[Prediction]:
    """The markets of all periods that include the unix second `now` and have at least a quarter of their time left.

    A market of a period that began earlier is opened at the prices of `now`, with the id that it would have had.
    Markets with an id in `stored` and assets without a context (as of `now`) are left out. The caller marks markets as
    backfilled.
    """
    periods = (period for asset in ASSETS if asset in contexts for period in current(asset, now))
    return [
        _market(period, series, now, contexts[period.asset])
        for period in periods
        if _has_time(period, now)
        for series in _series_of(period)
        if (series is not RELATIVE or COUNTERPART[period.asset] in contexts) and _id(period, series) not in stored
    ]


def near_copy(market: Prediction, other: Prediction, sigma: float) -> bool:
    """Whether two markets are nearly identical: one event, deadlines within 12 h, levels within a quarter sigma.

    `sigma` is the standard deviation of the log return over the horizon. Above and below a level at the deadline count
    as one event, and so do two assets in either order; the level of `up` and `down` is the starting price.
    """
    if abs(market.deadline - other.deadline) > COPY_WITHIN_S:
        return False
    (event, levels), (other_event, other_levels) = _event(market.question), _event(other.question)
    if event != other_event:
        return False
    pairs = zip(levels, other_levels, strict=True)
    return all(abs(math.log(level / other_level)) <= COPY_WITHIN_SIGMAS * sigma for level, other_level in pairs)


def _event(question: Question) -> tuple[tuple[object, ...], tuple[float, ...]]:
    """The event regardless of its levels, and the levels."""
    match question.comparator:
        case "relative":
            return ("relative", frozenset(question.assets)), ()
        case "between":
            return ("between", question.asset), question.bounds
        case "touch_above" | "touch_below":
            return (question.comparator, question.asset), (question.threshold,)
    return ("close", question.asset), question.levels or (question.spot,)


def _has_time(period: Period, now: int) -> bool:
    """Whether enough of a period is left; a daily market of a metal needs trading hours now and on its last day."""
    ends = period.deadline + 1
    if ends - now < LEAST_LEFT * (ends - period.begins):
        return False
    asset = period.asset
    return period.category != "daily" or (is_open(asset, now) and open_hours(asset, ends - DAY, ends) > 0)


def _series_of(period: Period) -> Iterator[Series]:
    if period.category == "weekly":
        yield RELATIVE
    if period.is_overlaid:
        return
    if period.category != "monthly":
        yield UP
    if period.category != "daily":
        yield from LEVELS
    elif ASSETS[period.asset].calendar == "always":
        yield DAILY_TOUCH[period.deadline // DAY % 2]


def _id(period: Period, series: Series) -> str:
    return f"{period.category}-{period.asset}-{series.comparator.replace('_', '-')}-{utc(period.deadline):%Y%m%d}"


def _market(period: Period, series: Series, now: int, context: Context) -> Prediction:
    question = _question(period, series, now, context)
    return Prediction(
        id=_id(period, series),
        category=period.category,
        question=question,
        rule=rule(question, now),
        resolver="bars",
        created_at=now,
        closes_at=period.deadline,
        deadline=period.deadline,
        backfilled=False,
    )


def _question(period: Period, series: Series, now: int, context: Context) -> Question:
    question = Question(
        text="",
        asset=period.asset,
        comparator=series.comparator,
        deadline=utc(period.deadline),
        horizon_hours=(period.deadline - now) / HOUR,
        spot=context.spot,
        polarity="bear" if series.sigmas < 0 else "bull",
        other_asset=COUNTERPART[period.asset] if series is RELATIVE else None,
        level=_level(period, series.sigmas, now, context) if series.sigmas else None,
    )
    return replace(question, text=_text(question), canonical=canonical(question))


def _level(period: Period, sigmas: float, now: int, context: Context) -> float:
    """A round price, about `sigmas` standard deviations above the present price."""
    hours = open_hours(period.asset, now, period.deadline)
    sigma = float(distribution.horizon_sigma(context.fast, context.slow, hours))
    longest = STEP_SIGMAS * sigma * context.spot
    power = math.floor(math.log10(longest))
    step = max(digit for digit in (1, 2, 5) if digit * 10.0**power <= longest) * 10.0**power
    return round(round(context.spot * math.exp(sigmas * sigma) / step) * step, max(0, -power))


def _text(question: Question) -> str:
    day = question.deadline
    return TEXTS[question.comparator].format(
        name=ASSETS[question.asset].name,
        other=ASSETS[question.other_asset].name if question.other_asset else "",
        level=price(question.spot if question.level is None else question.level),
        day=f"{day.day} {day:%B} {day.year}",
    )
