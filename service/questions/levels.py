"""Questions with a level: on which side of it, and at the deadline or at any time before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.errors import InvalidQuestion
from service.questions.amounts import Amount, scaled
from service.questions.clause import Clause
from service.questions.criterion import Criterion, between, checked, close, order, stay, touch
from service.questions.kinds import BEAR, BULL, MOTIONS
from service.questions.refusals import invalid

# A bare amount of money after "drop" is a distance, not a level, if it is less than this share of the spot price.
STEP = 0.4
DISTANT = {"more than", "at least", "over"}
AIMED = {"to", "until", "above", "below", "reach", "break", "exceed", "meet"}
# Kinds that ask for any moment before the deadline, even without a verb of movement.
SOMETIME = {"reach", "break", "meet", "until", "ever", "target", "when"}
# Kinds that may separate a verb of state from the price.
BESIDE = {"the", "a", "approx", "on", "price", "filler"}


def of_levels(clause: Clause, levels: Sequence[Amount], spot: float, preposition: str) -> Criterion:
    """The criterion for these levels; `preposition` is the kind of the word at the deadline, such as "on"."""
    if len(levels) > 2:
        raise invalid("Ask about one level, or about the range between two.")
    if clause.has_order:
        return _of_order(clause, levels, spot)
    if len(levels) == 2:
        return _of_two(clause, levels[0], levels[1], spot, preposition)
    amount = levels[0]
    upper = amount.upper_value(spot)
    if upper is not None:
        return between(amount.value(spot), upper, spot, lasting="stay" in clause.kinds)
    step = _step(clause, amount, spot)
    if step:
        return touch(checked(spot + step, spot), upward=step > 0)
    return _of_one(clause, amount, spot, preposition)


def _of_order(clause: Clause, levels: Sequence[Amount], spot: float) -> Criterion:
    """The level that is named first is reached first."""
    if len(levels) != 2 or any(amount.sign or amount.upper for amount in levels):
        raise _two_levels()
    criterion = order(levels[0].value(spot), levels[1].value(spot), spot)
    return (
        criterion.noted("YES means that the level named first is reached first.") if "or" in clause.kinds else criterion
    )


def _of_two(clause: Clause, first: Amount, second: Amount, spot: float, preposition: str) -> Criterion:
    """A range; or, with "is at" before the first level, only the second one."""
    gap = clause.tokens[first.after : second.first]
    kinds = {token.kind for token in gap}
    if any(token.kind == "or" or token.text.startswith("or ") for token in gap):
        raise _two_levels()
    joined = kinds & {"and", "to", "until"}
    still = len(gap) == 1 and not clause.kinds & MOTIONS
    if (clause.is_above and clause.is_below) or (joined and (still or "between" in clause.kinds)):
        low = replace(first, values=scaled(first.values, second.values))
        return between(low.value(spot), second.value(spot), spot, lasting="stay" in clause.kinds)
    before = clause.before(first)
    if before is not None and before.kind == "be" and kinds & {"will", *MOTIONS}:
        return _of_one(clause, second, spot, preposition)
    raise _two_levels()


def _two_levels() -> InvalidQuestion:
    return invalid("Two levels are named. Ask about one of them, or whether the price will be between the two.")


def _step(clause: Clause, amount: Amount, spot: float) -> float:
    """The distance in "drop by $5,000", "rise more than $2,000", "+$500", in USD; 0 if the amount is a level."""
    size, before = amount.value(spot), clause.before(amount)
    if size >= STEP * spot:
        return 0.0
    if amount.sign:
        return 0.0 if clause.kinds & AIMED else amount.sign * size
    if before is not None and before.kind == "by":
        return clause.direction_at(amount) * size
    is_distance = before is not None and (before.kind in BULL | BEAR or before.text in DISTANT)
    is_level = not amount.is_marked or clause.kinds & {"to", "until", "below"}
    return clause.direction_at(amount) * size if is_distance and not is_level else 0.0


def _of_one(clause: Clause, amount: Amount, spot: float, preposition: str) -> Criterion:
    """The criterion for one level: staying beyond it, being above or below it, moving to it, or just a price."""
    level = checked(-amount.value(spot) if amount.sign < 0 else amount.value(spot), spot)
    kinds, above, below = clause.kinds, clause.is_above, clause.is_below
    direction = clause.direction_at(amount)
    if above and below:
        return close(level, upward=True).noted("Above or below: YES means above.")
    if "stay" in kinds and not direction:
        return stay(level, below)
    if above or below:
        return _beyond(clause, level, above, preposition)
    if "exceed" in kinds:
        return close(level, True) if "close" in kinds or preposition == "on" else touch(level, True)
    if direction and not _is_open_either_way(clause):
        return close(level, direction > 0) if "close" in kinds else touch(level, direction > 0)
    return _by_spot(clause, amount, level, spot, preposition)


def _beyond(clause: Clause, level: float, upward: bool, preposition: str) -> Criterion:
    """ "Above" and "below": at the deadline, or at any time before with a verb of movement or "ever"."""
    kinds = clause.kinds
    once = kinds & (MOTIONS | {"ever"}) or clause.denies_ever
    if preposition == "lasting" and not once:
        return stay(level, below=not upward)
    once = once or preposition == "before"
    return touch(level, upward) if once and "close" not in kinds else close(level, upward)


def _is_open_either_way(clause: Clause) -> bool:
    """Whether the direction is unclear: both are named, or only "up" with "hit" ("end up hitting 80k")."""
    only_adverb = clause.kinds & {"reach", "break"} and not clause.kinds & {"rise", "fall"}
    return clause.has_both_directions or bool(only_adverb)


def _by_spot(clause: Clause, amount: Amount, level: float, spot: float, preposition: str) -> Criterion:
    """No word names the side: a level above the spot price means above, a level below it means below."""
    kinds, upward = clause.kinds, level >= spot
    state = (preposition == "on" or _is_state(clause, amount)) and not kinds & SOMETIME
    criterion = close(level, upward) if "close" in kinds or state else touch(level, upward)
    if upward and kinds & {"reach", "break", "to", "until", "meet"}:
        return criterion
    side = "above" if upward else "below"
    return criterion.noted(f"The level is {side} the present price, so the question is understood as {side} it.")


def _is_state(clause: Clause, amount: Amount) -> bool:
    """ "Be at 100k", "cost 100k": whether a verb of state directly precedes the amount or closely follows it."""
    before = next((token.kind for token in reversed(clause.tokens[: amount.first]) if token.kind not in BESIDE), "")
    return before == "be" or any(token.kind == "be" for token in clause.tokens[amount.after : amount.after + 2])
