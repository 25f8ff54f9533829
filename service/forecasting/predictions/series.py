"""The series of prediction markets: a few kinds of question for every asset and every day, week and month.

Every deadline is the last second of a day. If periods of one asset end on the same day, only the longest one has
questions about levels, so that no two markets are nearly identical. Levels are round prices at 0.35 to 2.2 standard
deviations of 180 days from the present price; they differ from period to period and from asset to asset, so that the
open markets ask about likely, uncertain and unlikely events at the same time.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from service.forecasting.predictions import Prediction
from service.forecasting.voters.context import Context
from service.market import months
from service.market.assets import ASSETS, LEADER, is_open, open_hours
from service.market.instants import DAY, HOUR, utc
from service.questions.canonical import canonical, rule
from service.questions.criterion import price
from service.questions.kinds import Comparator
from service.questions.question import Question

DAY_BEGINS_S = 12 * HOUR
MONDAY = 4  # days after 1 January 1970


@dataclass(frozen=True)
class Period:
    """A period of the series of one asset, from the unix second `begins` to the unix second `deadline`.

    `is_overlaid` is true if a longer period of the asset has the same deadline.
    """

    category: Literal["daily", "weekly", "monthly"]
    asset: str
    begins: int
    deadline: int
    is_overlaid: bool


def current(asset: str, now: int) -> Iterator[Period]:
    """The periods of an asset that include the unix second `now`, longest first."""
    month, day = months.month_of(now), now // DAY
    yield Period("monthly", asset, months.begins(month), months.ends(month) - 1, is_overlaid=False)
    week = (day - _weekday(asset, day)) * DAY
    yield Period("weekly", asset, week, week + 7 * DAY - 1, is_overlaid=utc(week + 7 * DAY).day == 1)
    for midnight in ((day - 1) * DAY, day * DAY):
        begins, ends = midnight + DAY_BEGINS_S, midnight + 2 * DAY
        if begins <= now:
            is_overlaid = utc(ends).day == 1 or _weekday(asset, ends // DAY) == 0
            yield Period("daily", asset, begins, ends - 1, is_overlaid=is_overlaid)


def _weekday(asset: str, day: int) -> int:
    """How many days of the asset's week passed before a day, which is counted from 1970."""
    return (day - MONDAY - ASSETS[asset].week_begins) % 7


EVERY_S = 12 * HOUR  # the interval between the beginnings of periods
LEAST_LEFT = 0.25  # the minimum remaining share of a period for its markets to be opened
STEP_SIGMAS = 0.1  # levels are multiples of the largest round step of at most this size
COPY_WITHIN_S = 12 * HOUR
COPY_WITHIN_SIGMAS = 0.25

# Distances of levels in standard deviations of the log return at the 180-day volatility. Between those of EVEN_ODDS a
# touch, or a close on either side, is about as likely as not; no level is placed there.
NEAREST, FURTHEST = 0.35, 2.2
EVEN_ODDS = (0.54, 0.84)
RANGE_SIGMAS = 1.0  # the width of a range
GOLDEN = (math.sqrt(5) - 1) / 2  # multiples of it, modulo 1, are spread evenly

LEVELS: tuple[Comparator, ...] = ("close_above", "close_below", "touch_above", "touch_below")  # of weeks and months
RANGE_OR_ORDER: tuple[Comparator, ...] = ("between", "upper_first")  # of even and odd weeks and months of an asset
DAILY_TOUCH: tuple[Comparator, ...] = ("touch_above", "touch_below")  # of even and odd days, counted from 1970

# Questions that are about as likely as not by nature are few: whether bitcoin rises in a day, and which asset does
# better in a week.
COUNTERPART = {key: asset.counterpart for key, asset in ASSETS.items() if asset.counterpart}

TEXTS: dict[Comparator, str] = {
    "up": "From {spot} USD, will {name} be up at the end of {day}?",
    "close_above": "Will {name} be above {level} USD at the end of {day}?",
    "close_below": "Will {name} be below {level} USD at the end of {day}?",
    "touch_above": "Will {name} reach {level} USD by {day}?",
    "touch_below": "Will {name} fall to {level} USD by {day}?",
    "between": "Will {name} be between {level} and {upper} USD at the end of {day}?",
    "move": "Will {name} move more than {pct}% by the end of {day}?",
    "upper_first": "Will {name} reach {upper} USD before {level} USD by {day}?",
    "relative": "Will {name} outperform {other} until {day}?",
}
LENGTHS_S = {"daily": DAY, "weekly": 7 * DAY, "monthly": 30 * DAY}  # about the interval between deadlines


def opening(now: int, contexts: Mapping[str, Context], stored_ids: Container[str] = ()) -> list[Prediction]:
    """The markets of all periods that include the unix second `now` and have at least a quarter of their time left.

    A market of a period that began earlier is opened at the prices of `now`, with the id that it would have had.
    Markets with an id in `stored_ids` and assets without a context (as of `now`) are left out. The caller marks markets
    as backfilled.
    """
    periods = (period for asset in ASSETS if asset in contexts for period in current(asset, now))
    return [
        _market(period, series, now, contexts[period.asset])
        for period in periods
        if _has_time(period, now)
        for series in _series_of(period)
        if (series != "relative" or COUNTERPART[period.asset] in contexts) and _id(period, series) not in stored_ids
    ]


def near_copy(market: Prediction, other: Prediction, sigma: float) -> bool:
    """Whether two markets are nearly identical: one event, deadlines within 12 h, levels within a quarter sigma.

    `sigma` is the standard deviation of the log return over the horizon. Above and below a level at the deadline count
    as one event, and so do two assets in either order; the level of `up` and `down` is the starting price.
    """
    if abs(market.deadline - other.deadline) > COPY_WITHIN_S:
        return False
    (event, levels), (other_event, other_levels) = (
        prediction.question.kind.identity(prediction.question) for prediction in (market, other)
    )
    if event != other_event:
        return False
    pairs = zip(levels, other_levels, strict=True)
    return all(abs(math.log(level / other_level)) <= COPY_WITHIN_SIGMAS * sigma for level, other_level in pairs)


def _has_time(period: Period, now: int) -> bool:
    """Whether enough of a period is left; a daily market of a metal needs trading hours now and on its last day."""
    ends = period.deadline + 1
    if ends - now < LEAST_LEFT * (ends - period.begins):
        return False
    asset = period.asset
    has_session = open_hours(asset, ends - DAY, ends, is_regular=True) > 0
    return period.category != "daily" or (is_open(asset, now) and has_session)


def _series_of(period: Period) -> Iterator[Comparator]:
    if period.category == "weekly" and period.asset in COUNTERPART:
        yield "relative"
    if period.is_overlaid:
        return
    if period.category != "daily":
        yield from (*LEVELS, RANGE_OR_ORDER[_turn(period) % 2])
        return
    yield "move"
    if period.asset == LEADER:
        yield "up"
    if ASSETS[period.asset].calendar == "always":
        yield DAILY_TOUCH[period.deadline // DAY % 2]


def _id(period: Period, series: Comparator) -> str:
    return f"{period.category}-{period.asset}-{series.replace('_', '-')}-{utc(period.deadline):%Y%m%d}"


def _market(period: Period, series: Comparator, now: int, context: Context) -> Prediction:
    level, upper_level, level_pct = _criterion(period, series, now, context)
    question = Question(
        text="",
        asset=period.asset,
        comparator=series,
        deadline=utc(period.deadline),
        horizon_hours=(period.deadline - now) / HOUR,
        spot=context.spot,
        polarity="none",
        other_asset=COUNTERPART[period.asset] if series == "relative" else None,
        level=level,
        upper_level=upper_level,
        level_pct=level_pct,
    )
    polarity, words = question.kind.polarity(question), canonical(question)
    question = replace(question, text=_text(question), polarity=polarity, canonical=words)
    return Prediction(
        id=_id(period, series),
        category=period.category,
        question=question,
        rule=rule(question, now),
        resolver="bars",
        created_at=now,
        closes_at=period.deadline,
        deadline=period.deadline,
    )


def _criterion(period: Period, series: Comparator, now: int, context: Context) -> tuple[float | None, ...]:
    """The round `level`, `upper_level` and `level_pct` of a question; None for each that it does not name."""
    sigma = math.sqrt(context.slow * open_hours(period.asset, now, period.deadline))
    distances = _distances(period, series)
    if series == "move":
        return None, None, _rounded(100 * math.expm1(distances[0] * sigma), 100 * STEP_SIGMAS * sigma)
    step = STEP_SIGMAS * sigma * context.spot
    levels = (_rounded(context.spot * math.exp(distance * sigma), step) for distance in distances)
    return (*levels, None, None, None)[:3]


def _distances(period: Period, series: Comparator) -> tuple[float, ...]:
    """Signed distances of the levels from the present price, in standard deviations.

    In every second period of an asset both closes are likely (above a lower level, below a higher one), in the others
    both are unlikely; their levels are always on different sides of the price.
    """
    turn = _turn(period)
    share = (turn + list(TEXTS).index(series)) * GOLDEN % 1
    side = 1 if turn % 2 else -1
    low, high = EVEN_ODDS
    distance, uneven = _spread(share), _spread(share, FURTHEST * low / high)
    if uneven >= low:  # the scale continues beyond even odds
        uneven = uneven * high / low
    middle = side * _spread(share, FURTHEST - RANGE_SIGMAS / 2)
    distances: dict[Comparator, tuple[float, ...]] = {
        "close_above": (side * distance,),
        "close_below": (-side * distance,),
        "touch_above": (uneven,),
        "move": (uneven,),
        "touch_below": (-uneven,),
        "between": (middle - RANGE_SIGMAS / 2, middle + RANGE_SIGMAS / 2),
        "upper_first": (-_spread((share + 0.5) % 1), distance),
    }
    return distances.get(series, ())


def _turn(period: Period) -> int:
    """The number of a period of its asset, which differs by one between neighbours."""
    return period.deadline // LENGTHS_S[period.category] + list(ASSETS).index(period.asset)


def _spread(share: float, furthest: float = FURTHEST) -> float:
    """The distance at a share, in [0, 1), of the logarithmic scale from the nearest to the furthest."""
    return NEAREST * (furthest / NEAREST) ** share


def _rounded(value: float, longest: float) -> float:
    """The nearest multiple of the largest round step, 1, 2 or 5 times a power of ten, of at most `longest`."""
    power = math.floor(math.log10(longest))
    step = max(digit for digit in (1, 2, 5) if digit * 10.0**power <= longest) * 10.0**power
    return round(round(value / step) * step, max(0, -power))


def _text(question: Question) -> str:
    day = question.deadline
    return TEXTS[question.comparator].format(
        name=ASSETS[question.asset].name,
        other=ASSETS[question.other_asset].name if question.other_asset else "",
        spot=price(question.spot),
        level=price(question.level),
        upper=price(question.upper_level),
        pct=price(question.level_pct),
        day=f"{day.day} {day:%B} {day.year}",
    )
