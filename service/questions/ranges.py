"""Levels that stand for a range: "leave 90k to 100k", "around 90k", "six figures"."""

from __future__ import annotations

from dataclasses import replace

from service.questions.amount import Amount
from service.questions.clause import OVER_TIME, RANGES, Clause
from service.questions.criterion import Criterion, checked, invalid, price
from service.questions.kinds.levels import between, close, touch

# "Around 90k" means at most this share above or below it.
AROUND = 0.02


def of_range(clause: Clause, low: float, high: float, spot: float, preposition: str) -> Criterion:
    """The price is in the range at the deadline, or outside it for "leave the range"."""
    is_noun = any(token.text in RANGES for token in clause.tokens)
    lasting = (
        "stay" in clause.kinds or preposition in OVER_TIME or ((clause.is_left or is_noun) and preposition != "on")
    )
    return replace(between(low, high, spot, lasting=lasting), negated=clause.is_left)


def around(nearness: str, level: float, spot: float) -> Criterion:
    """ "Around 90k" at the deadline; "exactly 90k" is refused."""
    if nearness == "exact":
        raise invalid("No price is met exactly. Ask about above or below a level, or between two levels.")
    near = between(level * (1 - AROUND), level * (1 + AROUND), spot)
    return near.noted(f"Around {price(level)} USD is understood as within {100 * AROUND:.0f}% of it, at the deadline.")


def of_digits(clause: Clause, amount: Amount, spot: float, preposition: str) -> Criterion:
    """ "Six figures": at least 100,000, or below a million where the price has more digits now."""
    least = amount.value(spot)
    if least <= spot < 10 * least:
        raise invalid(f"The price has {amount.digits} digits now. Name a level in USD: for example, above 120,000.")
    level = checked(least if spot < least else 10 * least, spot)
    if clause.direction_at(amount) * (level - spot) < 0:
        raise invalid(
            f"A move to {amount.digits} digits is implausible at a price of {price(spot)} USD. Name a level in USD."
        )
    at_deadline = preposition == "on" or "close" in clause.kinds
    criterion = close(level, level > spot) if at_deadline else touch(level, level > spot)
    side = "at least" if level > spot else "less than"
    return criterion.noted(f"A price of {amount.digits} digits is understood as {side} {price(level)} USD.")
