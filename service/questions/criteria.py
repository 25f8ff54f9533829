"""What must happen: chooses the criterion of the question by the amounts in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.questions.amount import Amount
from service.questions.clause import Clause
from service.questions.criterion import Criterion, invalid
from service.questions.kinds import KINDS
from service.questions.kinds.levels import Close, Touch, between, of_zero
from service.questions.kinds.paths import Average
from service.questions.levels import of_levels
from service.questions.moves import of_multiples, of_percents, of_words
from service.questions.vocabulary import BEAR, BULL, MOTIONS

# Kinds that make a part or a multiple of a record: "half of the all-time high".
SHARES = {"multiple", "fraction", "mid"}


def find_criterion(clause: Clause, spot: float, preposition: str) -> Criterion:
    """The event in the clause; `preposition` is the word at the deadline, such as "on" or "before"."""
    criterion = _of_amounts(clause, spot, preposition)
    return _averaged(criterion) if "average" in clause.kinds and criterion.comparator != "open" else criterion


def _averaged(criterion: Criterion) -> Criterion:
    """The same of the average price; InvalidQuestion unless one level is named.

    A price that stays above a level, which is written as one that never touches it, is above it on average too.
    """
    kind, negated = KINDS[criterion.comparator], criterion.negated
    is_level = isinstance(kind, Touch) or (isinstance(kind, Close) and not negated)
    if not is_level or criterion.level_pct is not None:
        raise invalid("For an average price, name one level in USD: for example, an average above 120,000 this week.")
    averaged = replace(criterion, comparator=Average.of(-kind.side if negated else kind.side), negated=False)
    return averaged.noted("The average is that of the hourly closing prices from now to the deadline.")


def _of_amounts(clause: Clause, spot: float, preposition: str) -> Criterion:
    amounts = clause.amounts
    if "record" in clause.kinds and (clause.kinds & SHARES or not any(amount.is_marked for amount in amounts)):
        raise invalid("Records other than a new high or low are not supported. Name the level in USD: reach 120,000.")
    if _is_worthless(clause, amounts):
        return of_zero(spot)
    percents = [amount for amount in amounts if amount.is_percent]
    multiples = [amount for amount in amounts if amount.is_multiple and not amount.is_percent]
    levels = _distinct([amount for amount in amounts if not amount.is_percent and not amount.is_multiple], spot)
    if len(levels) == len(percents) == 1 and clause.kinds & {"within", "both"}:
        level, share = levels[0].value(spot), percents[0].values[-1] / 100
        return between(level * (1 - share), level * (1 + share), spot, lasting="stay" in clause.kinds)
    if levels:
        criterion = of_levels(clause, levels, spot, preposition)
        return criterion.noted("The percentage was ignored: the level counts.") if percents else criterion
    if percents:
        return of_percents(clause, percents, spot, preposition)
    if multiples:
        return of_multiples(clause, multiples, spot)
    return of_words(clause, spot)


def _is_worthless(clause: Clause, amounts: Sequence[Amount]) -> bool:
    """ "Go to zero", "become worthless", and no other level."""
    zeros = [amount for amount in amounts if not amount.is_percent and max(amount.values) == 0]
    return len(zeros) == len(amounts) and bool(zeros or "worthless" in clause.kinds)


def _distinct(amounts: Sequence[Amount], spot: float) -> list[Amount]:
    """The amounts without repetitions: "100k ($100,000)" is one amount."""
    return list({(amount.value(spot), amount.upper_value(spot)): amount for amount in reversed(amounts)}.values())[::-1]


def compare(clause: Clause) -> Criterion:
    """The first asset returns more than the second; "underperform", "fall more" and "gain less than" negate it."""
    if clause.amounts:
        raise invalid("A comparison of two assets takes no level. Ask which returns more by the deadline.")
    kinds = clause.kinds
    falls = bool(kinds & BEAR) and not kinds & BULL and "outperform" not in kinds
    less = "below" in kinds
    criterion = Criterion("relative", negated=falls != less or "underperform" in kinds)
    if not kinds & {"outperform", "underperform", "better", "overtake", *MOTIONS, *BULL, *BEAR} and "be" in kinds:
        criterion = criterion.noted("The returns until the deadline are compared, not the prices.")
    if kinds & {"which", "or", "versus"}:
        return criterion.noted("YES means that the first asset named returns more.")
    return criterion
