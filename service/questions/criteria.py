"""What must happen: chooses the criterion of the question by the amounts in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.market.assets import ASSETS
from service.market.bars import PriceExtremes
from service.questions.amounts import Amount
from service.questions.canonical import price
from service.questions.clause import Clause
from service.questions.criterion import Criterion, checked, close, touch
from service.questions.kinds import BEAR, BULL
from service.questions.levels import of_levels
from service.questions.moves import of_multiples, of_percents, of_words
from service.questions.question import Comparator
from service.questions.refusals import invalid

LOWEST = {"low", "lows", "lowest", "bottom"}
# Kinds with which a record is a level to compare with, not one to set.
BESIDE_RECORD = {"stay", "above", "below", "between", "from", "width"}
# A price that stays above a level, which is written as one that never touches it, is above it on average too.
AVERAGES: dict[tuple[str, bool], Comparator] = {
    ("close_above", False): "average_above",
    ("touch_above", False): "average_above",
    ("touch_below", True): "average_above",
    ("close_below", False): "average_below",
    ("touch_below", False): "average_below",
    ("touch_above", True): "average_below",
}


def find_criterion(clause: Clause, spot: float, preposition: str, record: PriceExtremes | None = None) -> Criterion:
    """The event in the clause; `preposition` is the word at the deadline, such as "on" or "before".

    Without the `record` of the asset's prices a question about a new record is refused.
    """
    criterion = _of_amounts(clause, spot, preposition, record)
    return _averaged(criterion) if "average" in clause.kinds and criterion.comparator != "open" else criterion


def _averaged(criterion: Criterion) -> Criterion:
    """The same of the average price; InvalidQuestion unless one level is named."""
    comparator = AVERAGES.get((criterion.comparator, criterion.negated))
    if comparator is None or criterion.level_pct is not None:
        raise invalid("For an average price, name one level in USD: for example, an average above 120,000 this week.")
    averaged = replace(criterion, comparator=comparator, negated=False)
    return averaged.noted("The average is that of the hourly closing prices from now to the deadline.")


def _record_side(clause: Clause) -> str | None:
    """ "high" or "low" where a new record of that side is asked for; None for "fall from its high" and the like."""
    sides = {token.value for token in clause.tokens if token.kind == "record"}
    side = str(sides.pop()) if len(sides) == 1 else ""
    if any(token.text in LOWEST for token in clause.tokens):
        return None  # "a record and a low"
    against = {"high": BEAR, "low": BULL}.get(side)
    return None if against is None or clause.kinds & {*against, *BESIDE_RECORD} else side


def _of_record(record: PriceExtremes, side: str, spot: float, *, by_close: bool) -> Criterion:
    """A price beyond all stored ones, by at least one step of the price."""
    is_high, step = side == "high", ASSETS[record.asset].tick
    highest, lowest = max(record.high, spot), min(record.low, spot)
    level = checked(highest + step if is_high else lowest - step, spot)
    criterion = close(level, is_high) if by_close else touch(level, is_high)
    return criterion.noted(
        f"The {side}est price stored since {record.since:%Y-%m-%d} is {price(highest if is_high else lowest)} USD. "
        "Earlier prices are not known."
    )


def _of_amounts(clause: Clause, spot: float, preposition: str, record: PriceExtremes | None) -> Criterion:
    amounts = clause.amounts
    if any(amount.is_foreign for amount in amounts):
        raise invalid("Levels must be in US dollars. Give the level in USD.")
    if "record" in clause.kinds and not any(amount.is_marked for amount in amounts):
        if record is not None and not amounts and (side := _record_side(clause)):
            return _of_record(record, side, spot, by_close="close" in clause.kinds)
        raise invalid(
            "Records of a period and moving averages are not supported. Name the level in USD: reach 120,000."
        )
    percents = [amount for amount in amounts if amount.is_percent]
    multiples = [amount for amount in amounts if amount.is_multiple and not amount.is_percent]
    levels = _distinct([amount for amount in amounts if not amount.is_percent and not amount.is_multiple], spot)
    if levels:
        criterion = of_levels(clause, levels, spot, preposition)
        return criterion.noted("The percentage was ignored: the level counts.") if percents else criterion
    if percents:
        return of_percents(clause, percents, spot)
    if multiples:
        return of_multiples(clause, multiples, spot)
    return of_words(clause, spot)


def _distinct(amounts: Sequence[Amount], spot: float) -> list[Amount]:
    """The amounts without repetitions: "100k ($100,000)" is one amount."""
    return list({(amount.value(spot), amount.upper_value(spot)): amount for amount in reversed(amounts)}.values())[::-1]


def compare(clause: Clause) -> Criterion:
    """The first asset returns more than the second; "underperform" and "fall more than" negate it."""
    if clause.amounts:
        raise invalid("A comparison of two assets takes no level. Ask which returns more by the deadline.")
    kinds = clause.kinds
    falls = bool(kinds & BEAR) and not kinds & BULL and "outperform" not in kinds
    criterion = Criterion("relative", negated=falls or "underperform" in kinds)
    if kinds & {"which", "or", "versus"}:
        return criterion.noted("YES means that the first asset named returns more.")
    return criterion
