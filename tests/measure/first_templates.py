"""The markets as the first edition drew them, kept as a frozen set of questions to measure on.

Levels were at 0.7, 0.9 and 1.2 standard deviations of the present volatility that the voters used themselves.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.periods import Period, current
from service.forecasting.voters import distribution
from service.forecasting.voters.context import Context
from service.market.assets import ASSETS, is_open, open_hours
from service.market.instants import DAY, HOUR, utc
from service.questions.canonical import canonical
from service.questions.question import Comparator, Question
from service.questions.rule import rule

# A kind of question with the distance of its level in standard deviations, 0 where it has none.
Template = tuple[Comparator, float]

UP: Template = ("up", 0.0)
RELATIVE: Template = ("relative", 0.0)
LEVELS: tuple[Template, ...] = (
    ("close_above", 0.7),
    ("close_below", -0.7),
    ("touch_above", 1.2),
    ("touch_below", -1.2),
)
DAILY_TOUCH: tuple[Template, ...] = (("touch_above", 0.9), ("touch_below", -0.9))  # of even and of odd days
COUNTERPART = {
    "btc": "eth",
    "eth": "sol",
    "sol": "bnb",
    "bnb": "xrp",
    "xrp": "btc",
    "gold": "silver",
    "silver": "gold",
}


def opening(now: int, contexts: Mapping[str, Context], stored: Container[str] = ()) -> list[Prediction]:
    """The markets that the first edition opened at the unix second `now`, without those whose id is in `stored`."""
    return [
        market
        for asset, context in contexts.items()
        for period in current(asset, now)
        if _has_time(period, now)
        for template in _templates(period)
        if (template is not RELATIVE or COUNTERPART[asset] in contexts)
        and (market := _market(period, template, now, context)).id not in stored
    ]


def _has_time(period: Period, now: int) -> bool:
    """Whether a quarter of the period is left; a day of a metal needs trading hours now and on its last day."""
    ends = period.deadline + 1
    if ends - now < (ends - period.begins) / 4:
        return False
    return period.category != "daily" or (is_open(period.asset, now) and open_hours(period.asset, ends - DAY, ends) > 0)


def _templates(period: Period) -> Iterator[Template]:
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


def _market(period: Period, template: Template, now: int, context: Context) -> Prediction:
    comparator, sigmas = template
    question = Question(
        text="",
        asset=period.asset,
        comparator=comparator,
        deadline=utc(period.deadline),
        horizon_hours=(period.deadline - now) / HOUR,
        spot=context.spot,
        polarity="bear" if sigmas < 0 else "bull",
        other_asset=COUNTERPART[period.asset] if template is RELATIVE else None,
        level=_level(period, sigmas, now, context) if sigmas else None,
    )
    return Prediction(
        id=f"{period.category}-{period.asset}-{comparator}-{utc(period.deadline):%Y%m%d}",
        category=period.category,
        question=replace(question, canonical=canonical(question)),
        rule=rule(question, now),
        resolver="bars",
        created_at=now,
        closes_at=period.deadline,
        deadline=period.deadline,
        backfilled=True,
    )


def _level(period: Period, sigmas: float, now: int, context: Context) -> float:
    """A price of the largest round step of at most a tenth of a sigma."""
    hours = open_hours(period.asset, now, period.deadline)
    sigma = float(distribution.horizon_sigma(context.fast, context.slow, hours))
    longest = 0.1 * sigma * context.spot
    power = math.floor(math.log10(longest))
    step = max(digit for digit in (1, 2, 5) if digit * 10.0**power <= longest) * 10.0**power
    return round(round(context.spot * math.exp(sigmas * sigma) / step) * step, max(0, -power))
