"""What must happen: the comparator and its level, from the words and amounts of the question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.forecasting.questions.amounts import Amount, scaled
from service.forecasting.questions.clause import BEAR, BULL, MOTIONS, Clause
from service.forecasting.questions.question import Comparator
from service.forecasting.questions.refusals import invalid

# A level further from the spot price than this factor is a slip of the pen.
WIDEST = 100.0
# A range whose ends are further apart than this factor was not meant as one.
WIDEST_RANGE = 20.0
# A bare amount of money after "drop" is a distance, not a level, where it is smaller than this part of the spot price.
STEP = 0.4
AIMED = {"to", "until", "above", "below", "reach", "break", "exceed", "meet"}
BESIDE = {"the", "a", "approx", "on", "price", "filler"}


@dataclass(frozen=True)
class Criterion:
    """The event that YES stands for, before the question's negation is applied."""

    comparator: Comparator
    level: float | None = None
    upper_level: float | None = None
    level_pct: float | None = None
    negated: bool = False
    notes: tuple[str, ...] = ()


def find_criterion(clause: Clause, spot: float, preposition: str) -> Criterion:
    """The event in the clause; `preposition` is the word before the deadline, such as "on" or "before"."""
    amounts = clause.amounts
    if any(amount.is_foreign for amount in amounts):
        raise invalid("Levels are in US dollars here. Give the level in USD.")
    if "record" in clause.kinds and not any(amount.is_marked for amount in amounts):
        raise invalid("Records and averages are not known here. Name the level in USD: for example, reach 120,000.")
    percents = [amount for amount in amounts if amount.is_percent]
    multiples = [amount for amount in amounts if amount.is_multiple and not amount.is_percent]
    levels = _distinct([amount for amount in amounts if amount not in percents and amount not in multiples], spot)
    if levels:
        criterion = _of_levels(clause, levels, spot, preposition)
        return _noted(criterion, "The percentage was left out: the level counts.") if percents else criterion
    if percents:
        return _of_percents(clause, percents, spot)
    if multiples:
        return _of_multiple(clause, multiples, spot)
    return _of_words(clause, spot)


def checked(level: float, spot: float) -> float:
    """The level, rounded to ten digits, if it is a price that can be meant at this spot price."""
    if level > 0 and spot / WIDEST <= level <= spot * WIDEST:
        return float(f"{level:.10g}")
    hint = f" Did you mean {level * 1000:,.0f}?" if 0.2 < level * 1000 / spot < 5 else ""
    low, high = f"{spot / WIDEST:,.6g}", f"{spot * WIDEST:,.6g}"
    raise invalid(
        f"That level makes no sense at a price of {spot:,.6g} USD; it must lie between {low} and {high}.{hint}"
    )


def _noted(criterion: Criterion, note: str) -> Criterion:
    return replace(criterion, notes=(*criterion.notes, note))


def _distinct(amounts: list[Amount], spot: float) -> list[Amount]:
    """The amounts without repetitions: "100k ($100,000)" is one."""
    seen: dict[tuple[float, float | None], Amount] = {}
    for amount in amounts:
        seen.setdefault((amount.value(spot), amount.upper_value(spot)), amount)
    return list(seen.values())


def _of_levels(clause: Clause, levels: list[Amount], spot: float, preposition: str) -> Criterion:
    if len(levels) == 1 and levels[0].upper is not None:
        return _between(levels[0].value(spot), levels[0].upper_value(spot), spot, clause)
    if len(levels) == 2:
        return _of_two(clause, levels, spot, preposition)
    if len(levels) > 2:
        raise invalid("Ask about one level, or about the range between two.")
    amount = levels[0]
    step = _step(clause, amount, spot)
    if step:
        return _touch(checked(spot + step, spot), spot + step > spot)
    return _of_level(clause, amount, checked(_signed(amount, spot), spot), spot, preposition)


def _signed(amount: Amount, spot: float) -> float:
    return -amount.value(spot) if amount.sign < 0 else amount.value(spot)


def _of_two(clause: Clause, levels: list[Amount], spot: float, preposition: str) -> Criterion:
    """A range; or, with "is at" before the first, the second alone."""
    first, second = levels
    said = clause.tokens[first.after : second.first]
    kinds = {token.kind for token in said}
    if any(token.text.split()[0] == "or" for token in said) or "or" in kinds:
        raise invalid("Two levels are named. Ask about one of them, or whether the price will be between the two.")
    if _is_above(clause) and _is_below(clause):
        return _between(first.value(spot), second.value(spot), spot, clause)
    if kinds & {"and", "to", "until"} and (
        "between" in clause.kinds or (len(said) == 1 and not clause.kinds & MOTIONS)
    ):
        return _between(_lower(first, second).value(spot), second.value(spot), spot, clause)
    before = clause.before(first)
    if before is not None and before.kind == "be" and kinds & (MOTIONS | {"will"}):
        return _of_level(clause, second, checked(second.value(spot), spot), spot, preposition)
    raise invalid("Two levels are named. Ask about one of them, or whether the price will be between the two.")


def _lower(first: Amount, second: Amount) -> Amount:
    """The first of "between 95 and 100k", in the thousands of the second."""
    return replace(first, values=scaled(first.values, second.values))


def _is_above(clause: Clause) -> bool:
    return bool(clause.kinds & {"above", "ormore"})


def _is_below(clause: Clause) -> bool:
    return bool(clause.kinds & {"below", "orless"})


def _between(low: float, high: float | None, spot: float, clause: Clause) -> Criterion:
    ends = sorted((checked(low, spot), checked(high or low, spot)))
    if ends[1] > ends[0] * WIDEST_RANGE:
        raise invalid("The two levels are too far apart for a range. Ask about one of them.")
    if ends[0] == ends[1]:
        raise invalid("The two ends of the range are the same. Name a lower and an upper level.")
    notes = ("Only the price at the deadline counts for a range, not the way there.",) if "stay" in clause.kinds else ()
    return Criterion("between", ends[0], ends[1], notes=notes)


def _step(clause: Clause, amount: Amount, spot: float) -> float:
    """The distance in "drop by $5,000", "rise more than $2,000"; 0 where the amount is a level."""
    before, direction = clause.before(amount), clause.direction_at(amount)
    if amount.sign and amount.value(spot) < STEP * spot and not clause.kinds & AIMED:
        return amount.sign * amount.value(spot)
    if before is None or not direction or amount.value(spot) >= STEP * spot:
        return 0.0
    is_distance = before.kind in ("by", *BULL, *BEAR) or before.text in ("more than", "at least", "over")
    named = clause.kinds & {"to", "until", "below"}
    if not is_distance or (named and before.kind != "by") or not (amount.is_marked or before.kind == "by"):
        return 0.0
    return direction * amount.value(spot)


def _of_level(clause: Clause, amount: Amount, level: float, spot: float, preposition: str) -> Criterion:
    kinds = clause.kinds
    above, below = _is_above(clause), _is_below(clause)
    direction = clause.direction_at(amount)
    if above and below:
        return _noted(_close(level, True), "Above or below: YES means above.")
    if "stay" in kinds and not direction:
        return _stay(level, below and not above)
    if preposition == "lasting" and above != below and not kinds & MOTIONS:
        return _stay(level, below)
    if above or below:
        moves = kinds & MOTIONS or "ever" in kinds or clause.is_ever_denied or preposition == "before"
        return _touch(level, above) if moves and "close" not in kinds else _close(level, above)
    if "exceed" in kinds:
        return _close(level, True) if "close" in kinds or preposition == "on" else _touch(level, True)
    if direction and not clause.has_both_directions() | bool(
        kinds & {"reach", "break"} and not kinds & {"rise", "fall"}
    ):
        upward = direction > 0
        return _close(level, upward) if "close" in kinds else _touch(level, upward)
    return _by_spot(clause, amount, level, spot, preposition)


def _by_spot(clause: Clause, amount: Amount, level: float, spot: float, preposition: str) -> Criterion:
    """No word says on which side: a level above the spot price is one to rise to, one below to fall to."""
    kinds, upward = clause.kinds, level >= spot
    dynamic = kinds & {"reach", "break", "meet", "until", "ever", "target", "when"}
    static = preposition == "on" or _is_state(clause, amount)
    criterion = _close(level, upward) if "close" in kinds or (static and not dynamic) else _touch(level, upward)
    if kinds & {"reach", "break", "to", "until", "meet"} and upward:
        return criterion
    side = "above" if upward else "below"
    return _noted(criterion, f"The level lies {side} the present price, so the question is read as {side} it.")


def _is_state(clause: Clause, amount: Amount) -> bool:
    """ "Be at 100k", "cost 100k": a verb of being right before the amount, or shortly behind it."""
    before = next((one.kind for one in reversed(clause.tokens[: amount.first]) if one.kind not in BESIDE), "")
    return before == "be" or any(one.kind == "be" for one in clause.tokens[amount.after : amount.after + 2])


def _touch(level: float, upward: bool) -> Criterion:
    return Criterion("touch_above" if upward else "touch_below", level)


def _close(level: float, upward: bool) -> Criterion:
    return Criterion("close_above" if upward else "close_below", level)


def _stay(level: float, below: bool) -> Criterion:
    """Staying above is never touching from above; it is looked at all the way to the deadline."""
    return replace(_touch(level, upward=below), negated=True)


def _of_percents(clause: Clause, percents: list[Amount], spot: float) -> Criterion:
    if len(percents) > 2 or (len(percents) == 2 and "between" not in clause.kinds):
        raise invalid("Several percentages are named. Ask about one move.")
    amount = percents[0]
    if "both" in clause.kinds:
        raise invalid("Ask about a move up or a move down, not about either.")
    direction = amount.sign or clause.direction_at(amount) or _side(clause)
    if not direction and clause.kinds & {"within", "between", "stay"} and len(percents) == 1:
        share = amount.values[0] / 100
        return _between(spot * (1 - share), spot * (1 + share), spot, clause)
    if not direction:
        raise invalid("Say whether the move is up or down: for example, fall 10% by Friday.")
    ends = [direction * value for value in _ends(percents)]
    moved = [checked(_moved(spot, pct), spot) for pct in ends]
    if len(moved) == 2:
        return _between(moved[0], moved[1], spot, clause)
    dynamic = clause.kinds & MOTIONS and "close" not in clause.kinds
    criterion = _touch(moved[0], direction > 0) if dynamic else _close(moved[0], direction > 0)
    less = "below" in clause.kinds and bool(clause.kinds & (BULL | BEAR))
    return replace(criterion, level_pct=float(ends[0]), negated=less)


def _ends(percents: list[Amount]) -> list[float]:
    values = [amount.values[-1] for amount in percents]
    return [*values, percents[0].upper[-1]] if percents[0].upper else values


def _side(clause: Clause) -> int:
    """ "10% above the current price": the side of the spot price."""
    if "now" not in clause.kinds:
        return 0
    above, below = "above" in clause.kinds, "below" in clause.kinds
    return int(above) - int(below)


def _moved(spot: float, pct: float) -> float:
    if pct == 0:
        raise invalid("A move of 0% is none. Name the size of the move.")
    return spot * (1 + pct / 100)


def _of_multiple(clause: Clause, multiples: list[Amount], spot: float) -> Criterion:
    if len(multiples) > 1:
        raise invalid("Several multiples are named. Ask about one.")
    return _times(multiples[0].value(1.0), clause.direction_at(multiples[0]), spot)


def _times(factor: float, direction: int, spot: float) -> Criterion:
    """So many times the spot price; "fall to a half" and, in some languages, "fall twofold" are the same."""
    if not factor > 0 or factor == 1:
        raise invalid("Name a multiple of the present price other than 1, such as 2x.")
    if factor > 1 and direction < 0:
        factor = 1 / factor
    pct = float(f"{(factor - 1) * 100:.10g}")
    return replace(_touch(checked(spot * factor, spot), factor > 1), level_pct=pct)


def _of_words(clause: Clause, spot: float) -> Criterion:
    """No amount: doubling, halving, up, down, or nothing definite."""
    kinds = clause.kinds
    if "multiple" in kinds:
        factor = next(float(token.value) for token in clause.tokens if token.kind == "multiple")
        return _times(factor, clause.direction_at(None), spot)
    if "flat" in kinds:
        raise invalid("Say between which two levels the price should stay: for example, between 90,000 and 100,000.")
    direction = clause.direction_at(None)
    if clause.has_both_directions():
        return _either(clause)
    if direction:
        return Criterion("up" if direction > 0 else "down")
    return _open(kinds)


def _either(clause: Clause) -> Criterion:
    asks = sum(token.kind in ("ask", "will") for token in clause.tokens)
    if "or" not in clause.kinds and not {"up", "down"} <= clause.kinds and asks < 2:
        raise invalid("Both up and down are asked. Ask about one of them.")
    return Criterion("up", notes=("Up or down: YES means up.",))


def _open(kinds: frozenset[str]) -> Criterion:
    asks = kinds & {"what", "how", "which", "forecast"}
    if "now" in kinds and kinds & {"above", "below", "exceed"}:
        return Criterion("down" if "below" in kinds else "up")
    if kinds & {"above", "below", "reach", "break", "exceed", "between"} and not asks:
        raise invalid("No level is named. Say which price in USD: for example, above 120,000 on Friday.")
    return nothing_definite()


def nothing_definite() -> Criterion:
    """No criterion at all: where is it heading?"""
    return Criterion(
        "open", notes=("No criterion was named: read as whether the price will be higher at the deadline.",)
    )


def compare(clause: Clause) -> Criterion:
    """The first asset against the second; "underperform" and "fall more than" turn it round."""
    if clause.amounts:
        raise invalid("A comparison of two assets takes no level. Ask which returns more by the deadline.")
    kinds = clause.kinds
    less = "underperform" in kinds or ("outperform" not in kinds and bool(kinds & BEAR) and not kinds & BULL)
    notes = ("YES means the first one named returns more.",) if kinds & {"which", "or", "versus"} else ()
    return Criterion("relative", negated=less, notes=notes)
