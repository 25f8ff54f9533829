"""Questions with a price in them: on which side of it, at the deadline or on the way there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.errors import InvalidQuestion
from service.forecasting.questions.amounts import Amount, scaled
from service.forecasting.questions.clause import Clause
from service.forecasting.questions.criterion import Criterion, between, checked, close, stay, touch
from service.forecasting.questions.refusals import invalid
from service.forecasting.questions.vocabulary.kinds import BEAR, BULL, MOTIONS

# A bare amount of money after "drop" is a distance, not a level, where it is smaller than this part of the spot price.
STEP = 0.4
DISTANT = {"more than", "at least", "over"}
AIMED = {"to", "until", "above", "below", "reach", "break", "exceed", "meet"}
# Words that ask for a moment on the way, though nothing is said to move.
SOMETIME = {"reach", "break", "meet", "until", "ever", "target", "when"}
# What may stand between a verb of being and the price.
BESIDE = {"the", "a", "approx", "on", "price", "filler"}


def of_levels(clause: Clause, levels: Sequence[Amount], spot: float, preposition: str) -> Criterion:
    """The event with these prices; `preposition` is the word at the deadline, such as "on" or "before"."""
    if len(levels) > 2:
        raise invalid("Ask about one level, or about the range between two.")
    if len(levels) == 2:
        return _of_two(clause, levels[0], levels[1], spot, preposition)
    amount = levels[0]
    if amount.upper is not None:
        return between(amount.value(spot), amount.upper_value(spot), spot, lasting="stay" in clause.kinds)
    step = _step(clause, amount, spot)
    if step:
        return touch(checked(spot + step, spot), upward=step > 0)
    return _of_one(clause, amount, spot, preposition)


def _of_two(clause: Clause, first: Amount, second: Amount, spot: float, preposition: str) -> Criterion:
    """A range; or, with "is at" before the first, the second alone."""
    said = clause.tokens[first.after : second.first]
    kinds = {token.kind for token in said}
    if any(token.kind == "or" or token.text.startswith("or ") for token in said):
        raise _two_levels()
    joined = kinds & {"and", "to", "until"}
    still = len(said) == 1 and not clause.kinds & MOTIONS
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
    """The distance in "drop by $5,000", "rise more than $2,000", "+$500"; 0 where the amount is a level."""
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
    """One price: staying beyond it, being above or below it, moving to it, or just the price."""
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
    """ "Above" and "below": at the deadline, unless something moves there or it need only be once."""
    kinds = clause.kinds
    once = kinds & (MOTIONS | {"ever"}) or clause.denies_ever
    if preposition == "lasting" and not once:
        return stay(level, below=not upward)
    once = once or preposition == "before"
    return touch(level, upward) if once and "close" not in kinds else close(level, upward)


def _is_open_either_way(clause: Clause) -> bool:
    """Whether the direction is not said: both are, or only "up" stands beside "hit" ("end up hitting 80k")."""
    only_adverb = clause.kinds & {"reach", "break"} and not clause.kinds & {"rise", "fall"}
    return clause.has_both_directions or bool(only_adverb)


def _by_spot(clause: Clause, amount: Amount, level: float, spot: float, preposition: str) -> Criterion:
    """No word says on which side: a level above the spot price is one to rise to, one below to fall to."""
    kinds, upward = clause.kinds, level >= spot
    state = (preposition == "on" or _is_state(clause, amount)) and not kinds & SOMETIME
    criterion = close(level, upward) if "close" in kinds or state else touch(level, upward)
    if upward and kinds & {"reach", "break", "to", "until", "meet"}:
        return criterion
    side = "above" if upward else "below"
    return criterion.noted(f"The level lies {side} the present price, so the question is read as {side} it.")


def _is_state(clause: Clause, amount: Amount) -> bool:
    """ "Be at 100k", "cost 100k": a verb of being right before the amount, or shortly behind it."""
    before = next((one.kind for one in reversed(clause.tokens[: amount.first]) if one.kind not in BESIDE), "")
    return before == "be" or any(one.kind == "be" for one in clause.tokens[amount.after : amount.after + 2])
