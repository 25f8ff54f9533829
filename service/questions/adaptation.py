"""An earlier question with another asset, amount or side, or the opposite event: "and eth?", "60k?", "or not?"."""

from __future__ import annotations

from dataclasses import replace

from service.questions.amounts import Amount, scaled
from service.questions.clause import Clause
from service.questions.criterion import LARGEST_RATIO, Assumption, Criterion, invalid
from service.questions.kinds.levels import Between, Close, Direction, First, Leave, Move, Touch
from service.questions.kinds.paths import Average, DaysBeyond, Width
from service.questions.kinds.references import Comparison
from service.questions.parse import Parse
from service.questions.question import Question
from service.questions.records import beyond_record

WITH_LEVEL = (Close, Touch, Average, DaysBeyond)
FROM_NOW = Assumption("The move is counted from the present price, not from the start of the period.", "start")
WHICH_END = "YES means that the upper end of the range is reached first."


def denied(question: Question) -> Question:
    """The question denied; "what if it doesn't" of a price that stays above a level is one that touches it."""
    if question.negated and not isinstance(question.kind, Touch | Leave):
        raise invalid("The earlier question is a denial itself. Ask in full what is to happen.")
    return replace(question, negated=not question.negated)


def stays_between(question: Question) -> Question:
    """That the price never leaves the range of a question, so that neither of its ends is reached."""
    lower, upper = sorted(question.levels)
    return replace(question, comparator="leave", level=lower, upper_level=upper, negated=True)


def opposite(question: Question, spot: float) -> Question:
    """The assets of a comparison exchanged, a move to the other side, any other question denied."""
    kind = question.kind
    if question.comparator == "open":
        raise invalid("The earlier question names no event that has an opposite. Ask in full what is to happen.")
    if question.comparator == "relative":
        return replace(question, other_asset=question.asset)
    is_size = question.level_pct is not None and isinstance(kind, Close | Touch)
    has_sides = is_size or isinstance(kind, Direction | First)
    return _turned(question, -kind.side, spot) if has_sides else denied(question)


def of_asset(question: Question, parse: Parse) -> Question:
    """The same event of another asset: its record for a record, else levels as far from the present price."""
    asset, spot = parse.subject.asset, parse.spot
    if asset == question.asset:
        return question
    if asset == question.other_asset:
        raise invalid("This asset is the one that is compared with. Ask in full which of the two returns more.")
    if record := _record(question, parse):
        return replace(question, level=record.level, notes=record.notes)
    pct = question.level_pct
    levels = [
        float(f"{level / question.spot * spot:.4g}") if pct is None else spot * (1 + pct / 100)
        for level in question.levels
    ]
    level, upper_level = [*levels, None, None][:2]
    return replace(question, level=level, upper_level=upper_level)


def _record(question: Question, parse: Parse) -> Criterion | None:
    """The record of the asset of the follow-up, where the level of the question is that of its own."""
    if not isinstance(question.kind, Close | Touch):
        return None
    by_close, setting = isinstance(question.kind, Close), parse.setting
    earlier = replace(setting, asset=question.asset, spot=question.spot)
    records = ((beyond_record(earlier, side, by_close=by_close), side) for side in ("high", "low"))
    side = next((side for record, side in records if record and record.level == question.level), None)
    return beyond_record(setting, side, by_close=by_close) if side else None


def with_amounts(question: Question, clause: Clause, spot: float) -> Question | None:
    """The same kind of event with the amounts of the clause; None where they need another kind."""
    first, *others = clause.amounts
    if first.is_multiple or len(others) > 1 or any(other.is_percent != first.is_percent for other in others):
        return None
    if first.is_percent:
        return None if others else _with_percentage(question, clause, first, spot)
    upper = others[0].value(spot) if others else first.upper_value(spot)
    limit, kind, side = (LARGEST_RATIO * spot,), question.kind, int(clause.is_above) - int(clause.is_below)
    level, upper = scaled((first.value(spot),), limit)[0], upper and scaled((upper,), limit)[0]  # "66?" may be 66,000
    if upper is not None:
        lower, upper = sorted((level, upper))
        return replace(question, level=lower, upper_level=upper) if isinstance(kind, Between | Leave | First) else None
    if not isinstance(kind, WITH_LEVEL) or clause.kinds & {"up", "down", "between", "within"}:
        return None
    stays = isinstance(kind, Touch) and question.negated
    is_turned = isinstance(kind, Touch) and not stays and (level < spot) != (question.threshold < question.spot)
    own_side = (1 if level >= spot else -1) if is_turned else kind.side
    comparator, negated = kind.of((-side if stays else side) or own_side), question.negated and (stays or not side)
    return replace(question, comparator=comparator, level=level, level_pct=None, negated=negated)


def _with_percentage(question: Question, clause: Clause, amount: Amount, spot: float) -> Question | None:
    kind, pct = question.kind, amount.values[-1]
    if isinstance(kind, Move | Width):
        return replace(question, level_pct=pct)
    is_move = isinstance(kind, Direction | Comparison)
    is_bound = clause.is_above and (is_move or question.level_pct is not None)  # "more than 12%?"
    if not (is_move or isinstance(kind, Close | Touch)) or clause.is_below or (clause.is_above and not is_bound):
        return None
    earlier_side = (question.level or question.spot) - question.spot or kind.side
    pct *= amount.sign or clause.direction_at(amount) or (1 if earlier_side > 0 else -1)
    family, level = Close if is_move else type(kind), spot * (1 + pct / 100)
    notes = (FROM_NOW,) if question.earlier else ()
    return replace(question, comparator=family.of(pct), level=level, level_pct=pct, earlier=None, notes=notes)


def on_side(question: Question, clause: Clause, spot: float) -> Question | None:
    """The same level or size on the side that the clause names: "and below?", "or down?"."""
    side = clause.direction_at(None) or int(clause.is_above) - int(clause.is_below)
    is_named = question.level_pct is not None or clause.is_above or clause.is_below
    is_range = isinstance(question.kind, Between | Leave | First)
    if is_range and (clause.has_both_directions or (clause.is_above and clause.is_below)):  # "up or down?"
        return replace(question, comparator=First.of(1), negated=False, notes=(WHICH_END,))
    if side and is_range:  # "and above?"
        family, level = Close if isinstance(question.kind, Between) else Touch, question.bounds[side > 0]
        return replace(question, comparator=family.of(side), level=level, upper_level=None, negated=False)
    if side and isinstance(question.kind, Comparison):  # "and lower?"
        return _turned(question, side, spot)
    if side and isinstance(question.kind, Move):
        return _turned(replace(question, comparator=Close.of(side)), side, spot)
    if not side or not is_named or not isinstance(question.kind, Close | Touch) or question.negated:
        return None
    return _turned(question, side, spot)


def _turned(question: Question, side: int, spot: float) -> Question:
    """The same level, size or move on a side."""
    pct = None if question.level_pct is None else side * abs(question.level_pct)
    level = question.level if pct is None else spot * (1 + pct / 100)
    return replace(question, comparator=question.kind.of(side), level=level, level_pct=pct)
