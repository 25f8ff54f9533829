"""Questions that count days: "close above 60k on at least 3 days", "3 days in a row up", "every day above 60k".

The count is taken out of the question before its dates are read: "3 days" is no deadline here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.questions.criterion import Criterion
from service.questions.question import Comparator
from service.questions.refusals import invalid
from service.questions.tokens import Token

MOST_DAYS = 60
# Kinds that may stand between the number and the days: "3 green days", "3 consecutive daily closes".
BETWEEN = {"up", "down", "in_a_row", "filler", "the", "close", "rise", "fall"}
# Kinds before the number that belong to the count.
BEFORE = {"on", "in_a_row", "the", "filler"}
# Kinds after which a number of days is a length of time: "in at least 3 days".
SPAN = {"in", "within", "during", "next", "by", "lasting", "until", "later"}
LEAST = {
    *("at least", "minimum", "mindestens", "au moins", "al menos", "como minimo", "pelo menos", "ao menos"),
    *("no minimo", "almeno", "come minimo", "как минимум", "не менее", "не меньше", "en az", "至少", "不少于"),
}
KINDS: dict[str, Comparator] = {
    "close_above": "days_above",
    "close_below": "days_below",
    "up": "days_up",
    "down": "days_down",
}
HOW = "For example: Will bitcoin close above 95,000 on at least 3 days this week?"


@dataclass(frozen=True)
class DayCount:
    """At least `days` days until the deadline, all of them if None; they follow each other if `in_a_row`."""

    days: int | None
    in_a_row: bool = False


def find_days(tokens: Sequence[Token]) -> tuple[DayCount | None, list[Token]]:
    """The count of days in the tokens, if any, and the other tokens.

    Raises InvalidQuestion for anything else in a row than days.
    """
    if any(token.kind == "everyday" for token in tokens):
        return DayCount(None), [token for token in tokens if token.kind != "everyday"]
    for place, token in enumerate(tokens):
        if token.kind in ("number", "numword"):
            counted = _count_at(tokens, place)
            if counted is not None:
                return counted
    if any(token.kind == "in_a_row" for token in tokens):
        raise invalid(f"Only days in a row can be counted. {HOW}")
    return None, list(tokens)


def _count_at(tokens: Sequence[Token], place: int) -> tuple[DayCount, list[Token]] | None:
    """The count whose number is at `place`, and the other tokens; None if it is no count of days."""
    number, unit = tokens[place], _unit_after(tokens, place)
    if unit is None:
        return None
    after = unit + 1 + (unit + 1 < len(tokens) and tokens[unit + 1].kind == "in_a_row")
    before = place
    while before and (tokens[before - 1].kind in BEFORE or tokens[before - 1].text in LEAST):
        before -= 1
    around = [*tokens[before:place], *tokens[place + 1 : after]]
    in_a_row = any(token.kind == "in_a_row" for token in around)
    at_least = any(token.text in LEAST or token.kind == "on" for token in tokens[before:place])
    is_span = before > 0 and tokens[before - 1].kind in SPAN
    if not in_a_row and (is_span or not at_least):
        return None
    kept = [token for token in around if token.kind in ("up", "down", "close", "rise", "fall")]
    first = before - is_span  # "for 5 days in a row"
    return DayCount(_whole(number), in_a_row), [*tokens[:first], *kept, *tokens[after:]]


def _unit_after(tokens: Sequence[Token], place: int) -> int | None:
    """The place of the word "days" that the number counts, or of "closes" in a row; None if there is none."""
    end = place + 1
    while end < len(tokens) and tokens[end].kind in BETWEEN:
        end += 1
    if end < len(tokens) and tokens[end].kind == "unit" and tokens[end].value == "day":
        return end
    kinds = [token.kind for token in tokens[place:end]]
    return end - 1 if "in_a_row" in kinds and kinds[-1] in ("close", "up", "down") else None


def _whole(number: Token) -> int:
    days = number.quantity if number.value is not None else float(number.text) if number.text.isdigit() else 0.0
    if not 1 <= days <= MOST_DAYS or days != int(days):
        raise invalid(f"The number of days must be whole, from 1 to {MOST_DAYS}. {HOW}")
    return int(days)


def counted(criterion: Criterion, count: DayCount, trading_days: int) -> Criterion:
    """The criterion for each day as one for a number of days, of which there are `trading_days` until the deadline."""
    if count.days is None and criterion.comparator.startswith("touch") and criterion.negated:
        return criterion  # "stay above 90k every day" is to stay above it
    comparator = KINDS.get(criterion.comparator)
    if comparator is None:
        raise invalid(f"Days are counted by their closing prices, above or below a level, up or down. {HOW}")
    days = trading_days if count.days is None else count.days
    if trading_days > MOST_DAYS:
        raise invalid(f"Days are counted over at most {MOST_DAYS} days. Name an earlier deadline.")
    if not 1 <= days <= trading_days:
        raise invalid(f"Only {trading_days} trading days end by the deadline. Name a later deadline or fewer days.")
    noted = replace(criterion, comparator=comparator, level_pct=None, days=days, in_a_row=count.in_a_row)
    return noted.noted(_note(comparator))


def _note(comparator: Comparator) -> str:
    each = "Days are counted in UTC from now to the deadline, by the last price of each trading day that ends by then."
    if comparator in ("days_up", "days_down"):
        return f"{each} Each is compared with the one before it, the first with the present price."
    return each
