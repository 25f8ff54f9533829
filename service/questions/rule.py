"""The rule of a question: a sentence that says which prices resolve it as YES."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from service.market.assets import YEAR_HOURS, asset_of, calendar_of
from service.market.instants import utc
from service.questions.canonical import day_count, price
from service.questions.question import MOVING_AVERAGES, Question, closes_known

LAST = "the last {name} price of this service's feed at or before {deadline} is"
ANY = "{name} price of this service's feed from {asked} to {deadline} is"
EACH = "each from its last price of this service's feed at or before {asked} to its last at or before {deadline}"
SPAN = "of this service's feed from {asked} to {deadline}"
UPPER, LOWER = "{name} price " + SPAN + " at or above {upper} USD", "{name} price " + SPAN + " at or below {level} USD"
EARLIER = "the last one at or before {earlier}"
MOVING_MEAN = "the mean of its last {days_of_mean} daily closes (UTC) by then{known_mean}"
VOLATILITY = (
    "the root of the mean squared log return between the hourly closing prices of {name} " + SPAN + ", times the root "
    "of {year_hours} trading hours of a year, is"
)
AWAY = "% away from {spot} USD, up or down"
HIGHEST = "the highest {name} price " + SPAN + " is"
WIDER = "{pct}% of {spot} USD above the lowest"
DAYS = " {days} (UTC), by the last price of each day of this service's feed from {counted_from} to {deadline}"
DAY_BEFORE = ", each compared with the trading day before it and the first with {first_price}"
MEAN = "the mean of the hourly closing prices of {name} " + SPAN + " is"

BY_HAND = (
    "Resolved by hand by the operator: YES if it has happened by {deadline}, NO if not, void if that cannot be "
    "determined. Only language models vote on it."
)


def _days(side: str, compared: str = "") -> tuple[str, str]:
    """The conditions for YES of a kind that counts days."""
    at_least, fewer = (f"{{name}} closes {side} on {number}{DAYS}{compared}" for number in ("at least", "fewer than"))
    return at_least, fewer


# The condition for YES, and the condition for YES when the question is negated.
CONDITIONS = {
    "close_above": (LAST + " above {level} USD", LAST + " at or below {level} USD"),
    "close_below": (LAST + " below {level} USD", LAST + " at or above {level} USD"),
    "touch_above": ("any " + ANY + " at or above {level} USD", "no " + ANY + " at or above {level} USD"),
    "touch_below": ("any " + ANY + " at or below {level} USD", "no " + ANY + " at or below {level} USD"),
    "between": (LAST + " from {level} to {upper} USD", LAST + " below {level} or above {upper} USD"),
    "up": (LAST + " above {spot} USD", LAST + " at or below {spot} USD"),
    "down": (LAST + " below {spot} USD", LAST + " at or above {spot} USD"),
    "upper_first": (
        "any " + UPPER + " comes before one at or below {level} USD",
        "no " + UPPER + " comes before one at or below {level} USD",
    ),
    "lower_first": (
        "any " + LOWER + " comes before one at or above {upper} USD",
        "no " + LOWER + " comes before one at or above {upper} USD",
    ),
    "move": (LAST + " more than {pct}" + AWAY, LAST + " at most {pct}" + AWAY),
    "range": (HIGHEST + " more than " + WIDER, HIGHEST + " at most " + WIDER),
    "above_earlier": (LAST + " above " + EARLIER, LAST + " at or below " + EARLIER),
    "below_earlier": (LAST + " below " + EARLIER, LAST + " at or above " + EARLIER),
    "above_moving_average": (LAST + " above " + MOVING_MEAN, LAST + " at or below " + MOVING_MEAN),
    "below_moving_average": (LAST + " below " + MOVING_MEAN, LAST + " at or above " + MOVING_MEAN),
    "volatility": (VOLATILITY + " above {pct}%", VOLATILITY + " at most {pct}%"),
    "days_above": _days("above {level} USD"),
    "days_below": _days("below {level} USD"),
    "days_up": _days("higher", DAY_BEFORE),
    "days_down": _days("lower", DAY_BEFORE),
    "average_above": (MEAN + " above {level} USD", MEAN + " at or below {level} USD"),
    "average_below": (MEAN + " below {level} USD", MEAN + " at or above {level} USD"),
    "relative": ("{name} returns more than {other}, " + EACH, "{name} returns no more than {other}, " + EACH),
}


def rule(question: Question, asked_at: int) -> str:
    """The rule of a question that is asked at the unix second `asked_at`; KeyError for an open question."""
    if question.comparator == "topic":
        return BY_HAND.format(deadline=_instant(question.deadline))
    if not question.legs:
        return f"YES if {_condition(question, asked_at)}."
    # By De Morgan's laws: not both is one of the opposites, neither is both of them.
    events = (replace(part, negated=part.negated != question.negated) for part in question.parts)
    first, second = (_condition(event, asked_at) for event in events)
    both = (question.comparator == "both") != question.negated
    return f"YES if {first}, and {second}." if both else f"YES if {first}, or {second}, or both."


def _condition(question: Question, asked_at: int) -> str:
    return CONDITIONS[question.comparator][question.negated].format(
        name=asset_of(question.asset).name,
        other=asset_of(question.other_asset).name if question.other_asset else "",
        level=price(question.level),
        upper=price(question.upper_level),
        spot=price(question.spot),
        pct=price(question.level_pct),
        days=day_count(question),
        days_of_mean=question.days,
        known_mean=_known_mean(question, asked_at),
        year_hours=f"{YEAR_HOURS[calendar_of(question.asset)]:,}",
        asked=_instant(utc(asked_at)),
        counted_from=_instant(utc(question.counted_since(asked_at))),
        first_price=f"{price(question.spot)} USD" if question.earlier is None else "the last price before that time",
        deadline=_instant(question.deadline),
        earlier=_instant(question.earlier) if question.earlier else "",
    )


def _known_mean(question: Question, asked_at: int) -> str:
    """Which closes of a moving average were known, and their mean."""
    if question.level is None or question.comparator not in MOVING_AVERAGES:
        return ""
    stored = closes_known(question, asked_at)
    return f", of which the {stored} known when it was asked have the mean {price(question.level)} USD"


def _instant(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
