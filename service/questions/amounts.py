"""Prices, percentages and multiples: the possible meanings of each number that is not part of a date."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from service.questions.numerals import readings
from service.questions.tokens import DASHES, Token

LETTERS = {"m": 1e6, "b": 1e9, "t": 1e12, "к": 1e3}
TIMES = ("x", "×", "倍")
PREFIXES = {"money", "foreign", "percent"}


@dataclass(frozen=True)
class Amount:
    """A number with the words around it that belong to it.

    It covers the tokens from `first` up to but not including `after`. `values` are its possible values, the most
    likely first: "100.000" has two. `is_marked` means that a currency, a magnitude or thousands make it a price rather
    than a count; `is_or_more` marks "100k+". `upper` are the possible values of the other end of a range.
    """

    first: int
    after: int
    values: tuple[float, ...]
    sign: int = 0
    is_money: bool = False
    is_percent: bool = False
    is_multiple: bool = False
    is_foreign: bool = False
    is_marked: bool = False
    is_or_more: bool = False
    upper: tuple[float, ...] | None = None

    def value(self, spot: float) -> float:
        """The value nearest to the spot price by ratio; this decides what the separators mean."""
        return nearest(self.values, spot)

    def upper_value(self, spot: float) -> float | None:
        return nearest(self.upper, spot) if self.upper else None


def nearest(values: Sequence[float], spot: float) -> float:
    return min(values, key=lambda value: abs(math.log(value / spot)) if 0 < value < math.inf else math.inf)


def find_amounts(tokens: Sequence[Token]) -> list[Amount]:
    """The amounts in the tokens from left to right; "95-100k" is one amount with an upper end."""
    amounts: list[Amount] = []
    place = 0
    while place < len(tokens):
        if not _is_number(tokens[place]):
            place += 1
            continue
        amount = _amount_at(tokens, place, amounts[-1].after if amounts else 0)
        if amounts and _is_dashed(tokens, amounts[-1], amount):
            amount = _range(amounts.pop(), amount)
        amounts.append(amount)
        place = amount.after
    return amounts


def _is_number(token: Token) -> bool:
    """Digits, or a phrase such as "triple digits"; "figures" alone is not a number."""
    return token.kind == "number" or (token.kind == "figures" and token.value is not None)


def _amount_at(tokens: Sequence[Token], place: int, free_from: int) -> Amount:
    """The amount whose digits are at `place`; the tokens before `free_from` belong to another amount."""
    values, after = _digits(tokens, place)
    factors, after = _magnitude(tokens, after)
    amount = Amount(place, after, tuple(value * factor for value in values for factor in factors))
    amount = replace(amount, is_marked=factors != (1.0,) or _is_grouped(tokens[place]))
    return _with_prefix(tokens, _with_suffix(tokens, amount), free_from)


def _digits(tokens: Sequence[Token], place: int) -> tuple[tuple[float, ...], int]:
    """The possible values of a number; groups of three digits after a space belong to it: "100 000"."""
    token = tokens[place]
    if token.value is not None:
        return (token.quantity,), place + 1
    after, text = place + 1, token.text
    while re.fullmatch(r"[1-9]\d{0,2}(?:\d{3})*", text) and _is_group(tokens, after):
        text, after = text + tokens[after].text, after + 1
    return readings(text), after


def _is_group(tokens: Sequence[Token], place: int) -> bool:
    if place >= len(tokens) or tokens[place].kind != "number" or tokens[place].value is not None:
        return False
    return bool(re.fullmatch(r"\d{3}", tokens[place].text)) and not tokens[place].glued


def _is_grouped(token: Token) -> bool:
    if token.value is not None:
        return token.quantity >= 100
    return bool(re.fullmatch(r"\d{1,3}(?:[.,']\d{3})+", token.text))


def _magnitude(tokens: Sequence[Token], place: int) -> tuple[tuple[float, ...], int]:
    """The factors of the words after a number: k, million, 万. "mil" is a thousand or, in slang, a million."""
    factors: tuple[float, ...] = (1.0,)
    while place < len(tokens):
        own = _factors(tokens[place])
        if not own:
            break
        factors, place = tuple(factor * own_factor for factor in factors for own_factor in own), place + 1
        if len(factors) > 4:
            break
    return factors, place


def _factors(token: Token) -> tuple[float, ...]:
    if token.text == "mil":
        return (1e3, 1e6)
    if token.kind == "times":
        return (float(token.value or 1),)
    if token.text in LETTERS and (token.glued or token.text == "m"):
        return (LETTERS[token.text],)
    return ()


def _with_suffix(tokens: Sequence[Token], amount: Amount) -> Amount:
    for place in range(amount.after, len(tokens)):
        changed = _suffixed(tokens[place], amount)
        if changed is None:
            break
        amount = replace(changed, after=place + 1)
    return amount


def _suffixed(token: Token, amount: Amount) -> Amount | None:
    """The amount changed by the word after it; None if that word does not belong to it."""
    if token.kind == "money":
        return replace(amount, is_money=True, is_marked=True)
    if token.kind == "foreign":
        return replace(amount, is_foreign=True)
    if token.kind == "percent" and not amount.is_money:
        return replace(amount, is_percent=True)
    if token.kind == "cent" and not amount.is_money and (token.text != "c" or token.glued):
        return replace(amount, values=tuple(value / 100 for value in amount.values), is_money=True, is_marked=True)
    if token.text in TIMES and token.glued:
        return replace(amount, is_multiple=True)
    if token.text == "+" and token.glued:
        return replace(amount, is_or_more=True)
    if token.kind == "figures" and token.value is None:
        return replace(amount, values=tuple(10 ** min(value - 1, 30) for value in amount.values), is_marked=True)
    return None


def _with_prefix(tokens: Sequence[Token], amount: Amount, free_from: int) -> Amount:
    first = amount.first
    while first > free_from and tokens[first - 1].kind in PREFIXES:
        first -= 1
        amount = _prefixed(tokens[first].kind, amount)
    if first > free_from and tokens[first - 1].text in TIMES and tokens[first].glued:
        return replace(amount, first=first - 1, is_multiple=True)
    sign = _sign(tokens, first) if first > free_from else 0
    return replace(amount, first=first - abs(sign), sign=sign)


def _prefixed(kind: str, amount: Amount) -> Amount:
    if kind == "money":
        return replace(amount, is_money=True, is_marked=True)
    if kind == "foreign":
        return replace(amount, is_foreign=True)
    return replace(amount, is_percent=not amount.is_money)


def _sign(tokens: Sequence[Token], first: int) -> int:
    """1 or -1 for a sign that is glued to the amount but not to a word before it: "-10%", not "sub-30"."""
    text = tokens[first - 1].text
    if text not in ("+", *DASHES) or not tokens[first].glued or tokens[first - 1].glued:
        return 0
    return 1 if text == "+" else -1


def _is_dashed(tokens: Sequence[Token], lower: Amount, upper: Amount) -> bool:
    gap = tokens[lower.after : upper.first]
    return len(gap) == 1 and gap[0].text in DASHES and lower.upper is None and lower.is_percent <= upper.is_percent


def _range(lower: Amount, upper: Amount) -> Amount:
    """One amount from two joined by a dash; in "95-100k" both have the magnitude."""
    return replace(
        upper, first=lower.first, values=scaled(lower.values, upper.values), upper=upper.values, is_marked=True
    )


def scaled(lower: tuple[float, ...], upper: tuple[float, ...]) -> tuple[float, ...]:
    """The lower end in the upper end's thousands or millions if it is far too small otherwise."""
    for factor in (1e3, 1e6, 1e9):
        if 0 < max(lower) < min(upper) / 50 and max(lower) * factor <= max(upper):
            return tuple(value * factor for value in lower)
    return lower
