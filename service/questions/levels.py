"""Questions with a level: on which side of it, and at the deadline or at any time before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.errors import InvalidQuestion
from service.questions.amounts import Amount, scaled
from service.questions.clause import OVER_TIME, RANGES, SOONER, Clause, in_likely_thousands
from service.questions.criterion import Criterion, checked, invalid, price
from service.questions.kinds.levels import Close, between, close, order, stay, touch
from service.questions.lexicon import forms
from service.questions.single_days import LEAST
from service.questions.tokens import first_kind
from service.questions.vocabulary import BEAR, BULL, MOTIONS, MOVES

# A bare amount of money after "drop" is a distance, not a level, if it is less than this share of the spot price.
STEP = 0.4
# "Drop 5000" is a distance as well; a smaller number without a unit may be in percent.
LEAST_STEP = 100
LEAST_BARE_LEVEL = 10  # in thousands, of a number that nothing calls a level
DISTANT = forms("distance") | LEAST
AIM_KINDS = {"to", "until", "above", "below", "reach", "break", "exceed", "meet"}
# Kinds that ask for any moment before the deadline, even without a verb of movement.
SOMETIME = {"reach", "break", "meet", "until", "ever", "target", "when"}
# Kinds that may separate a verb of state from the price.
SEPARATORS = {"the", "a", "approx", "on", "price", "filler"}
# Kinds that name a side of one level.
SIDE_KINDS = {"above", "below", "ormore", "orless", "up", "down"}
# "Around 90k" means at most this share above or below it.
AROUND = 0.02


def of_levels(clause: Clause, levels: Sequence[Amount], spot: float, preposition: str) -> Criterion:
    """The criterion for these levels; `preposition` is the kind of the word at the deadline, such as "on"."""
    if len(levels) > 2:
        raise invalid("Ask about one level, or about the range between two.", "level")
    if clause.has_order:
        return _of_order(clause, levels, spot)
    if len(levels) == 2:
        return _of_two(clause, levels[0], levels[1], spot, preposition)
    amount = levels[0]
    upper = amount.upper_value(spot)
    if upper is not None and (clause.is_above or clause.is_below):
        raise two_levels()
    if upper is not None:
        return of_range(clause, amount.value(spot), upper, spot, preposition)
    has_side = clause.kinds & (SIDE_KINDS | MOTIONS)
    if "leave" in clause.kinds or ("between" in clause.kinds and not has_side):  # "in the 90k range", "leave 90k"
        raise invalid("Name both ends of the range: for example, between 90,000 and 100,000.", "level")
    size = amount.value(spot)
    is_distance = amount.is_marked and size < STEP * spot
    moves = any(token.kind == "swing" or token.text in MOVES for token in clause.tokens)
    is_one_way = clause.kinds & (BULL | BEAR | {"to"}) and not clause.has_both_directions
    if moves and not is_one_way and is_distance:
        raise invalid(
            "How far a price moves either way is asked in percent: for example, move more than 5% this week.", "level"
        )
    if "within" in clause.kinds and not has_side and is_distance:  # "stay within 2k of here"
        return between(spot - size, spot + size, spot, is_lasting="stay" in clause.kinds)
    step = _step(clause, amount, spot)
    if step:
        level = checked(spot + step, spot)
        return touch(level, step > 0) if clause.kinds & MOTIONS else close(level, step > 0)
    return _of_one(clause, amount, spot, preposition)


def _of_order(clause: Clause, levels: Sequence[Amount], spot: float) -> Criterion:
    """The level that is named first is reached first."""
    if len(levels) != 2 or any(amount.sign or amount.upper for amount in levels):
        raise two_levels()
    criterion = order(levels[0].value(spot), levels[1].value(spot), spot)
    if any(token.kind == "chance" and token.text in SOONER for token in clause.tokens):
        criterion = criterion.noted("Which is likelier is understood as which is reached first.", "event")
    is_choice = clause.kinds & {"or", "ordinal", "which", "ask"}
    return criterion.noted("YES means that the level named first is reached first.") if is_choice else criterion


def _of_two(clause: Clause, first: Amount, second: Amount, spot: float, preposition: str) -> Criterion:
    """A range; or, with "is at" before the first level, only the second one."""
    gap = clause.tokens[first.after : second.first]
    kinds = {token.kind for token in gap}
    outside = ("below", "above") if first.value(spot) < second.value(spot) else ("above", "below")
    sides = tuple(token.kind if token else "" for token in (clause.before(first), clause.before(second)))
    if "or" in kinds and sides == outside and not clause.negated:  # "under 92k or over 97k"
        criterion = between(first.value(spot), second.value(spot), spot, is_lasting=preposition != "on")
        return replace(criterion, negated=not criterion.negated)
    # "Dip below 93k and recover above 95k", "above 97k and then below 92k", "see both 92k and 97k".
    is_outside = sides[0] == outside[0] and clause.is_above and clause.is_below
    are_both = (is_outside or clause.has_both_directions or "both_of" in clause.kinds) and "not" not in clause.kinds
    if are_both or "or" in kinds or any(token.text.startswith("or ") for token in gap):
        raise two_levels()
    has_slash = bool(gap) and gap[0].text == "/"
    is_joined = kinds & {"and", "to", "until"} or [token.kind for token in gap] == ["by"] or has_slash
    is_static = len(gap) == 1 and not clause.kinds & MOTIONS
    is_range = is_static or clause.is_left or "between" in clause.kinds
    if (clause.is_above and clause.is_below) or (is_joined and is_range):
        low = replace(first, values=scaled(first.values, second.values))
        return of_range(clause, low.value(spot), second.value(spot), spot, preposition)
    lead = [token.kind for token in clause.tokens[: first.first] if token.kind not in ("the", "approx")]
    if (lead[-1:] == ["be"] or lead[-2:] == ["be", "on"]) and kinds & {"will", *MOTIONS}:
        return _of_one(clause, second, spot, preposition)
    raise two_levels()


def two_levels() -> InvalidQuestion:
    return invalid(
        "Two levels are named. Ask about one of them, or whether the price will be between the two.", "several"
    )


def _step(clause: Clause, amount: Amount, spot: float) -> float:
    """The distance in "drop by $5,000", "rise more than $2,000", "+$500", in USD; 0 if the amount is a level."""
    size, before = amount.value(spot), clause.before(amount)
    if size >= STEP * spot:
        return 0.0
    if _is_from_now(clause, amount):
        behind = {token.kind for token in clause.tokens[amount.after : amount.after + 1]}  # "more than 20 bucks lower"
        side = int("up" in behind) - int("down" in behind) or int(clause.is_above) - int(clause.is_below)
        return (side or clause.direction_at(amount)) * size
    if amount.sign:
        return 0.0 if clause.kinds & AIM_KINDS else amount.sign * size
    if (before is not None and before.kind == "by") or _is_distance(clause, amount):
        if not clause.direction_at(amount) and "by" in clause.kinds and amount.is_money:
            raise invalid("Say whether the move is up or down: for example, fall by $50 by Friday.", "level")
        return clause.direction_at(amount) * size
    is_move = (before is not None and before.kind in BULL | BEAR) or _is_of_noun(clause, amount)
    if is_move and not amount.is_marked and size < LEAST_STEP:
        raise invalid("Say whether the move is in USD or in percent: for example, rise by $50 or by 5%.", "level")
    aims = {token.kind for token in clause.tokens[max(0, amount.first - 2) : amount.first]} & {"to", "until"}
    is_aimed = aims or "below" in clause.kinds
    is_more = before is not None and before.text in DISTANT and amount.is_marked and not is_aimed
    return clause.direction_at(amount) * size if is_move or is_more else 0.0


def _is_of_noun(clause: Clause, amount: Amount) -> bool:
    """Example: "A 10k drop", "a 10k btc rally"."""
    leads = amount.first == 0 or clause.tokens[amount.first - 1].kind == "a"
    behind = [token.kind for token in clause.tokens[amount.after : amount.after + 2]]
    noun = behind[1:] if behind[:1] == ["asset"] else behind[:1]
    return leads and amount.is_marked and noun in (["rise"], ["fall"])


def _is_distance(clause: Clause, amount: Amount) -> bool:
    """Example: "Fall more than 30 dollars", in any order of the words; "rise above $3,000" names a level."""
    is_more = any(token.text in DISTANT for token in clause.tokens)
    is_aimed = clause.kinds & (AIM_KINDS - {"above"} if is_more else AIM_KINDS)
    return bool(amount.is_money or amount.currency) and bool(clause.kinds & MOTIONS) and not is_aimed


def _is_from_now(clause: Clause, amount: Amount) -> bool:
    """Example: "10k above the present price"; for "$5,000 higher than now" the vocabulary has one word."""
    after = next((token for token in clause.tokens[amount.after : amount.after + 2] if token.kind != "the"), None)
    if after is None:
        return False
    is_side = after.kind in ("up", "down")
    is_comparative = is_side and (after.text in ("higher", "lower") or " than " in after.text)
    is_beyond_now = "now" in clause.kinds and (is_side or after.kind in ("above", "below"))
    return is_comparative or is_beyond_now or (amount.is_money and (is_side or after.value == "bare"))


def _of_one(clause: Clause, amount: Amount, spot: float, preposition: str) -> Criterion:
    """The criterion for one level: staying beyond it, being above or below it, moving to it, or just a price.

    A number that may be a level in thousands alone is read as one, with a note.
    """
    if amount.digits and not (clause.is_above or clause.is_below):
        return of_digits(clause, amount, spot, preposition)
    thousands = in_likely_thousands(amount, spot) if _may_be_thousands(clause, amount, spot) else amount
    if thousands is not amount:
        criterion = _of_one(clause, thousands, spot, preposition)
        return criterion.noted(f"The level is understood as {price(thousands.value(spot))} USD.", "level")
    level = checked(-amount.value(spot) if amount.sign < 0 else amount.value(spot), spot)
    nearness = clause.nearness(amount)
    if not nearness:
        return _of_level(clause, amount, level, spot, preposition)
    if not clause.kinds & (SIDE_KINDS | MOTIONS | (SOMETIME - {"meet"}) | {"stay"}):
        return around(nearness, level, spot)
    criterion = _of_level(clause, amount, level, spot, preposition)
    return criterion.noted(f"The level is understood as exactly {price(level)} USD.", "level")


def _may_be_thousands(clause: Clause, amount: Amount, spot: float) -> bool:
    """Whether a number may be a level in thousands: the only one, no size of a move, and where the move would lead to.

    One below ten needs a word that makes it a level: not "gold at 5 tomorrow", "ethereum 2.0".
    """
    is_only = sum(token.kind in ("number", "numword") for token in clause.tokens) == 1 and not amount.sign
    is_size = clause.kinds & {"swing", "within", "width"} or any(token.text in MOVES for token in clause.tokens)
    is_level = amount.value(spot) >= LEAST_BARE_LEVEL or clause.kinds & {"above", "below", "reach", "to", "exceed"}
    is_there = (1000 * amount.value(spot) - spot) * clause.direction_at(amount) >= 0
    return bool(is_only and is_level and is_there and not is_size)


def _of_level(clause: Clause, amount: Amount, level: float, spot: float, preposition: str) -> Criterion:
    kinds, above, below = clause.kinds, clause.is_above, clause.is_below
    direction = clause.direction_at(amount)
    if "stay" in kinds and kinds & {"and", "or"} and kinds & (MOTIONS - {"go"}):
        raise invalid("Two events are named: reaching a level and staying there. Ask about one of them.", "several")
    if amount.is_at_most:
        return stay(level, below=True) if level > spot and preposition != "on" else close(level, upward=False)
    is_choice = kinds & {"or", "ormore", "orless"} or sum(token.kind == "ask" for token in clause.tokens) > 1
    if is_choice and (above or "up" in kinds) and (below or "down" in kinds):
        if level < STEP * spot and amount.is_money:  # "the next 1000 dollars, up or down"
            raise invalid(
                "Name the two levels of which one is to be reached first: for example, 97,000 before 92,000.", "level"
            )
        return close(level, upward=True).noted("Above or below: YES means above.")
    if above and below:
        raise invalid("Both above and below the level are named. Ask about one of them.", "several")
    if kinds & {"stay", "flat"} and not direction and (above or below or "stay" in kinds):
        is_until = kinds & {"until", "during", "lasting"} or ("to" in kinds and kinds & {"from", "later", "now"})
        is_at_close = "close" in kinds and preposition in ("on", "weekday") and not is_until  # "at Friday's close"
        return close(level, above) if is_at_close else stay(level, below)
    if above or below:
        return _beyond(clause, level, above, preposition)
    if "exceed" in kinds:
        is_at_deadline = "close" in kinds or (preposition == "on" and "ever" not in kinds)
        return close(level, True) if is_at_deadline else touch(level, True)
    is_only_adverb = kinds & {"reach", "break"} and not kinds & {"rise", "fall"}  # "end up hitting 80k"
    if direction and not clause.has_both_directions and not is_only_adverb:
        return close(level, direction > 0) if "close" in kinds else touch(level, direction > 0)
    return _by_spot(clause, amount, level, spot, preposition)


def _beyond(clause: Clause, level: float, upward: bool, preposition: str) -> Criterion:
    """Example: "Above" and "below": at the deadline, or at any time before with a verb of movement or "ever"."""
    kinds = clause.kinds
    denies_ever = any(token.kind == "not" and token.value == "ever" for token in clause.tokens)  # "never above"
    is_any_time = kinds & (MOTIONS | {"ever"}) or denies_ever
    if preposition == "lasting" and not is_any_time:
        return stay(level, below=not upward)
    is_any_time = is_any_time or preposition == "before"
    return touch(level, upward) if is_any_time and "close" not in kinds else close(level, upward)


def _by_spot(clause: Clause, amount: Amount, level: float, spot: float, preposition: str) -> Criterion:
    """No word names the side: a level above the spot price means above, a level below it means below."""
    kinds, upward = clause.kinds, level >= spot
    state = (preposition == "on" or _is_state(clause, amount)) and not kinds & SOMETIME
    criterion = close(level, upward) if "close" in kinds or state else touch(level, upward)
    if upward and kinds & {"reach", "break", "to", "until", "meet"}:
        return criterion
    side = "above" if upward else "below"
    note = f"The level is {side} the present price, so the question is understood as {side} it."
    return replace(criterion, by_spot=True).noted(note, "direction" if criterion.comparator in Close.names else None)


def _is_state(clause: Clause, amount: Amount) -> bool:
    """Example: "Be at 100k": whether a verb of state directly precedes the amount or closely follows it."""
    before = first_kind(clause.tokens[: amount.first][::-1], SEPARATORS)
    return before == "be" or any(token.kind == "be" for token in clause.tokens[amount.after : amount.after + 2])


def of_range(clause: Clause, low: float, high: float, spot: float, preposition: str) -> Criterion:
    """The price is in the range at the deadline, or all the time for "stay in it"; outside it for "leave the range"."""
    is_noun = any(token.text in RANGES for token in clause.tokens)
    is_move = clause.is_left and not clause.is_outside
    is_lasting = (is_move or "stay" in clause.kinds or preposition in ("until", "lasting")) and preposition != "on"
    criterion = between(low, high, spot, is_lasting=is_lasting and "close" not in clause.kinds)
    if criterion.comparator == "between" and preposition != "on" and (is_noun or preposition in OVER_TIME):
        criterion = criterion.noted("For a range, only the price at the deadline counts.", "moment")
    return replace(criterion, negated=criterion.negated != clause.is_left)


def around(nearness: str, level: float, spot: float) -> Criterion:
    """Example: "Around 90k" at the deadline; "exactly 90k" is refused."""
    if nearness == "exact":
        raise invalid("No price is met exactly. Ask about above or below a level, or between two levels.", "level")
    criterion = between(level * (1 - AROUND), level * (1 + AROUND), spot)
    return criterion.noted(
        f"Around {price(level)} USD is understood as within {100 * AROUND:.0f}% of it, at the deadline.",
        "level",
    )


def of_digits(clause: Clause, amount: Amount, spot: float, preposition: str) -> Criterion:
    """Example: "Six figures": at least 100,000, or below a million where the price has more digits now."""
    least = amount.value(spot)
    if least <= spot < 10 * least:
        raise invalid(
            f"The price has {amount.digits} digits now. Name a level in USD: for example, above 120,000.", "level"
        )
    level = checked(least if spot < least else 10 * least, spot)
    if clause.direction_at(amount) * (level - spot) < 0:
        raise invalid(
            f"A move to {amount.digits} digits is implausible at a price of {price(spot)} USD. Name a level in USD.",
            "level",
        )
    at_deadline = preposition == "on" or "close" in clause.kinds
    criterion = close(level, level > spot) if at_deadline else touch(level, level > spot)
    side = "at least" if level > spot else "less than"
    return criterion.noted(f"A price of {amount.digits} digits is understood as {side} {price(level)} USD.")
