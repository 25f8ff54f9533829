"""What must happen: chooses the criterion of the question by the amounts in it."""

from __future__ import annotations

from collections.abc import Sequence

from service.questions.amounts import Amount
from service.questions.clause import Clause
from service.questions.criterion import Criterion
from service.questions.kinds import BEAR, BULL
from service.questions.levels import of_levels
from service.questions.moves import of_multiples, of_percents, of_words
from service.questions.refusals import invalid


def find_criterion(clause: Clause, spot: float, preposition: str) -> Criterion:
    """The event in the clause; `preposition` is the word at the deadline, such as "on" or "before"."""
    amounts = clause.amounts
    if any(amount.is_foreign for amount in amounts):
        raise invalid("Levels must be in US dollars. Give the level in USD.")
    if "record" in clause.kinds and not any(amount.is_marked for amount in amounts):
        raise invalid("Records and averages are not supported. Name the level in USD: for example, reach 120,000.")
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
