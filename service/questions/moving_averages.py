"""Questions about a moving average: above its 200-day average at year end, cross the 50-day average this week.

The average is the mean of the last daily closes at the deadline. Those that are known today are part of the question;
the others are those of the days until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.questions.amounts import find_amounts
from service.questions.criterion import invalid
from service.questions.kinds.references import HOW
from service.questions.tokens import Token

# Kinds that may separate the number from the words: "200-day", "moving average of 200 days", "moyenne mobile à 200".
BESIDE = {"the", "a", "in", "to", "filler", "mark", "on", "within", "during"}
WEEKLY = {"week", "w", "wma"}


def with_moving_average(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "200 day moving average" as one token whose value is the number of days."""
    tokens = _named(tokens)
    place = next((place for place, token in enumerate(tokens) if token.kind == "moving_average"), None)
    if place is None:
        return list(tokens)
    first, after = place, place + 1
    counts = [amount for amount in find_amounts(tokens) if not amount.is_marked and not amount.is_percent]
    for amount in counts:
        if amount.after <= place and _only(tokens[amount.after : place]):
            first = amount.first
        elif amount.first >= after and _only(tokens[after : amount.first]):
            after = amount.after + (amount.after < len(tokens) and tokens[amount.after].kind == "unit")
        else:
            continue
        words = [*tokens[amount.after : place + 1], *tokens[amount.after : after]]
        days = amount.values[0] * (7 if _is_weekly(words) else 1)
        return [*tokens[:first], replace(tokens[place], value=days), *tokens[after:]]
    raise invalid(f"Name the number of days of the moving average. {HOW}")


def _named(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with the average of "above the average of 200 days" as a moving one."""
    place = next((place for place, token in enumerate(tokens) if token.kind == "average"), None)
    if place is None or not any(token.kind in ("above", "below", "break") for token in tokens[:place]):
        return tokens
    behind = [token for token in tokens[place + 1 : place + 5] if token.kind not in ("the", "last", "to")][:2]
    is_of_days = [token.kind for token in behind] == ["number", "unit"] and behind[1].value == "day"
    return (
        [*tokens[:place], replace(tokens[place], kind="moving_average"), *tokens[place + 1 :]] if is_of_days else tokens
    )


def _only(between: Sequence[Token]) -> bool:
    return all(token.kind in BESIDE or token.kind == "unit" or token.text == "-" for token in between)


def _is_weekly(words: Sequence[Token]) -> bool:
    return any(token.value == "week" or bool(WEEKLY & set(token.text.split())) for token in words)
