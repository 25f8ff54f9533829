"""The rule of a question: a sentence that says which prices resolve it as YES."""

from __future__ import annotations

from service.market.assets import ASSETS
from service.market.instants import utc
from service.questions.canonical import price
from service.questions.question import Question

LAST = "the last {name} price of this service's feed at or before {deadline} is"
ANY = "{name} price of this service's feed from {asked} to {deadline} is"
EACH = "each from its last price of this service's feed at or before {asked} to its last at or before {deadline}"

# The condition for YES, and the condition for YES when the question is negated.
CONDITIONS = {
    "close_above": (LAST + " above {level} USD", LAST + " at or below {level} USD"),
    "close_below": (LAST + " below {level} USD", LAST + " at or above {level} USD"),
    "touch_above": ("any " + ANY + " at or above {level} USD", "no " + ANY + " at or above {level} USD"),
    "touch_below": ("any " + ANY + " at or below {level} USD", "no " + ANY + " at or below {level} USD"),
    "between": (LAST + " from {level} to {upper} USD", LAST + " below {level} or above {upper} USD"),
    "up": (LAST + " above {spot} USD", LAST + " at or below {spot} USD"),
    "down": (LAST + " below {spot} USD", LAST + " at or above {spot} USD"),
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
        asked=f"{utc(asked_at):%Y-%m-%d %H:%M:%S} UTC",
        deadline=f"{question.deadline:%Y-%m-%d %H:%M:%S} UTC",
    )
    return f"YES if {condition}."
