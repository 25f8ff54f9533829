"""The rule of a question: a sentence that says which prices resolve it as YES."""

from __future__ import annotations

from service.market.assets import ASSETS
from service.market.instants import utc
from service.questions.canonical import day_count, price
from service.questions.question import Question

LAST = "the last {name} price of this service's feed at or before {deadline} is"
ANY = "{name} price of this service's feed from {asked} to {deadline} is"
EACH = "each from its last price of this service's feed at or before {asked} to its last at or before {deadline}"
SPAN = "of this service's feed from {asked} to {deadline}"
UPPER, LOWER = "{name} price " + SPAN + " at or above {upper} USD", "{name} price " + SPAN + " at or below {level} USD"
AWAY = "% away from {spot} USD, up or down"
HIGHEST = "the highest {name} price " + SPAN + " is"
WIDER = "{pct}% of {spot} USD above the lowest"
DAYS = " {days} (UTC), by the last price of each day " + SPAN
DAY_BEFORE = ", each compared with the trading day before it and the first with {spot} USD"
MEAN = "the mean of the hourly closing prices of {name} " + SPAN + " is"


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
    condition = CONDITIONS[question.comparator][question.negated].format(
        name=ASSETS[question.asset].name,
        other=ASSETS[question.other_asset].name if question.other_asset else "",
        level=price(question.level),
        upper=price(question.upper_level),
        spot=price(question.spot),
        pct=price(question.level_pct),
        days=day_count(question),
        asked=f"{utc(asked_at):%Y-%m-%d %H:%M:%S} UTC",
        deadline=f"{question.deadline:%Y-%m-%d %H:%M:%S} UTC",
    )
    return f"YES if {condition}."
