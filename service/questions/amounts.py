"""Prices, percentages and multiples: the possible meanings of each number that is not part of a date.

Levels in euros, pounds and yen are converted to USD, in which every question is decided.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from service.market.prices import Rates
from service.questions.criterion import invalid, price
from service.questions.lexicon import forms
from service.questions.numerals import readings
from service.questions.tokens import DASHES, Token, first_kind
from service.questions.vocabulary import BEAR, BULL

LETTERS = {"m": 1e6, "b": 1e9, "t": 1e12}
TIMES = ("x", "х", "×", "倍")  # the second is Cyrillic
MINUSES = "-–—−"
# Words before a percentage that also mean "more".
PLUS = forms("plus")
PREFIXES = {"money", "currency", "foreign", "percent", "fold"}
# A larger number beside "multiply" is not the factor.
LARGEST_FACTOR = 100
OF = forms("of_amount")
# Words after an amount that the price does not go beyond.
CEILINGS = {"tops", "max"}
# The currency of an amount in one that is not converted.
OTHER_CURRENCY = "another currency"
# Each currency that is converted, with the name of one unit.
UNITS = {"EUR": "euro", "GBP": "pound", "JPY": "yen"}
CHOICES = "USD, EUR, GBP or JPY"
# Kinds after which another currency is the one that prices are quoted in: "BTC/INR", "in rupees".
QUOTED_AFTER = ("asset", "in", "versus")


@dataclass(frozen=True)
class Amount:
    """A number with the words around it that belong to it.

    It covers the tokens from `first` up to but not including `after`. `values` are its possible values, the most likely
    first: "100.000" has two. `is_marked` means that a currency, a magnitude or thousands make it a price rather than a
    count; `is_or_more` marks "100k+", `is_at_most` "100k tops". `upper` are the possible values of the other end of a
    range. `currency` is the code of a currency other than the dollar. `digits` is the number of digits in "six
    figures", whose value is the least such number.
    """

    first: int
    after: int
    values: tuple[float, ...]
    sign: int = 0
    is_money: bool = False
    is_percent: bool = False
    is_multiple: bool = False
    currency: str = ""
    digits: int = 0
    is_marked: bool = False
    is_or_more: bool = False
    is_at_most: bool = False
    upper: tuple[float, ...] | None = None

    def value(self, spot: float) -> float:
        """The value nearest to the spot price by ratio; this decides what the separators mean."""
        return nearest(self.values, spot)

    def upper_value(self, spot: float) -> float | None:
        return nearest(self.upper, spot) if self.upper else None


def nearest(values: Sequence[float], spot: float) -> float:
    return min(values, key=lambda value: abs(math.log(value / spot)) if 0 < value < math.inf else math.inf)


def scaled(lower: tuple[float, ...], upper: tuple[float, ...]) -> tuple[float, ...]:
    """The lower end in the upper end's thousands or millions if it is far too small otherwise."""
    for factor in (1e3, 1e6, 1e9):
        if 0 < max(lower) < min(upper) / 50 <= max(lower) * factor <= max(upper):
            return tuple(value * factor for value in lower)
    return lower


def find_amounts(tokens: Sequence[Token]) -> list[Amount]:
    """The amounts in the tokens from left to right; "95-100k" is one amount with an upper end."""
    amounts: list[Amount] = []
    place = 0
    while place < len(tokens):
        kind, value = tokens[place].kind, tokens[place].value
        if kind not in ("number", "fraction") and (kind != "figures" or value is None):  # "figures" is no number alone
            place += 1
            continue
        amount = _amount_at(tokens, place, amounts[-1].after if amounts else 0)
        if amounts and _are_ends(tokens, amounts[-1], amount):
            lower, upper = amounts.pop(), amount  # in "95-100k" both have the magnitude
            values = scaled(lower.values, upper.values)
            amount = replace(upper, first=lower.first, values=values, upper=upper.values, is_marked=True)
        amounts.append(amount)
        place = amount.after
    return _with_factor(tokens, amounts)


def _with_factor(tokens: Sequence[Token], amounts: list[Amount]) -> list[Amount]:
    """The amounts with the first plain one as a multiple if a verb apart from it multiplies the price by it."""
    inside = {place for amount in amounts for place in range(amount.first, amount.after)}
    fold = next((token for place, token in enumerate(tokens) if token.kind == "fold" and place not in inside), None)
    for place, amount in enumerate(amounts):
        if fold and not (amount.is_marked or amount.is_percent) and 1 < max(amount.values) <= LARGEST_FACTOR:
            return [*amounts[:place], _folded(fold, amount), *amounts[place + 1 :]]
    return amounts


def _amount_at(tokens: Sequence[Token], place: int, free_from: int) -> Amount:
    """The amount whose digits are at `place`; the tokens before `free_from` belong to another amount."""
    if tokens[place].kind == "fraction":
        return _fraction(tokens, place)
    values, after = _digits(tokens, place)
    factors, end = _magnitude(tokens, after)
    rest, after = _hundreds(tokens, after, end)
    token = tokens[place]
    is_large = re.fullmatch(r"\d{1,3}(?:[.,']\d{3})+", token.text) if token.value is None else token.quantity >= 100
    digits = round(math.log10(token.quantity)) + 1 if token.kind == "figures" else 0
    values = tuple(value * factor + rest for value in values for factor in factors)
    amount = Amount(place, after, values, digits=digits, is_marked=factors != (1.0,) or bool(is_large))
    return _with_prefix(tokens, _with_suffix(tokens, amount), free_from)


def _fraction(tokens: Sequence[Token], place: int) -> Amount:
    """Example: "Lose a third" is a move by 33.3%; "fall to a third", "be worth a third" are multiples of the price."""
    before = first_kind(tokens[:place][::-1], {"the", "a", "filler"})
    part = tokens[place].quantity
    if before == "to" or (before == "be" and not any(token.kind in BULL | BEAR for token in tokens)):
        return Amount(place, place + 1, (part,), is_multiple=True)
    return Amount(place, place + 1, (float(f"{100 * part:.10g}"),), is_percent=True)


def _digits(tokens: Sequence[Token], place: int) -> tuple[tuple[float, ...], int]:
    """The possible values of a number; groups of three digits after a space belong to it: "100 000"."""
    token = tokens[place]
    if token.value is not None:
        return (token.quantity,), place + 1
    after, text = place + 1, token.text
    for group in tokens[after:]:
        is_group = group.kind == "number" and group.value is None and not group.is_glued
        is_group = is_group and re.fullmatch(r"\d{3}(?:[.,]\d\d?)?", group.text)
        if not is_group or not re.fullmatch(r"[1-9]\d{0,2}(?:\d{3})*", text):
            break
        text, after = text + group.text, after + 1
    return readings(text), after


def _magnitude(tokens: Sequence[Token], place: int) -> tuple[tuple[float, ...], int]:
    """The factors of the words after a number: k, million, 万. English "mil" is a million or, of others, a thousand."""
    factors: tuple[float, ...] = (1.0,)
    while place < len(tokens) and len(factors) <= 4 and (word_factors := _factors(tokens[place])):
        factors, place = tuple(factor * own_factor for factor in factors for own_factor in word_factors), place + 1
    return factors, place


def _hundreds(tokens: Sequence[Token], first: int, end: int) -> tuple[int, int]:
    """The hundreds after the one word for a thousand from `first` to `end`, Turkish "3 bin 500", and where they end."""
    is_thousand = end == first + 1 and tokens[first].value == 1e3 and len(tokens[first].text) > 1
    if not is_thousand or end == len(tokens) or not re.fullmatch(r"[1-9]\d\d", tokens[end].text):
        return 0, end
    is_of_another = end + 1 < len(tokens) and tokens[end + 1].kind in ("times", "percent")  # "3 bin 500 bin"
    return (0, end) if is_of_another else (int(tokens[end].text), end + 1)


def _factors(token: Token) -> tuple[float, ...]:
    if token.text == "mil" and token.value == 1e6:
        return (1e3, 1e6)
    if token.kind == "times":
        return (float(token.value or 1),)
    if token.text in LETTERS and (token.is_glued or token.text == "m"):
        return (LETTERS[token.text],)
    return ()


def _with_suffix(tokens: Sequence[Token], amount: Amount) -> Amount:
    for place in range(amount.after, len(tokens)):
        following = tokens[place + 1].kind if place + 1 < len(tokens) else ""
        if amount.is_marked and tokens[place].text in OF and following in PREFIXES - {"percent", "fold"}:
            continue  # "2 millions d'euros"
        extension = _suffixed(tokens[place], amount)
        if extension is None:
            break
        amount = replace(extension, after=place + 1)
    return amount


def _suffixed(token: Token, amount: Amount) -> Amount | None:
    """The amount changed by the word after it; None if that word does not belong to it."""
    if token.kind in ("money", "currency", "foreign"):
        return _with_currency(token, amount)
    if token.kind == "percent" and not amount.is_money:
        return replace(amount, is_percent=True)
    if amount.is_percent and (token.kind == "minus" or (token.text, token.kind) == ("plus", "word")):
        return replace(amount, sign=-1 if token.kind == "minus" else 1)  # "2 Prozent minus"
    if token.kind == "basis" and not amount.is_money:
        return replace(amount, values=tuple(value / 100 for value in amount.values), is_percent=True)
    if token.kind == "fold" and not amount.is_money:
        return _folded(token, amount)
    if token.kind == "cent" and not amount.is_money and (token.text != "c" or token.is_glued):
        return replace(amount, values=tuple(value / 100 for value in amount.values), is_money=True, is_marked=True)
    if token.text in TIMES and token.is_glued:
        return replace(amount, is_multiple=True)
    if token.text in CEILINGS:
        return replace(amount, is_at_most=True)
    if token.text == "+" and token.is_glued:
        return replace(amount, is_or_more=True)
    if token.kind == "figures" and token.value is None:
        digits = int(min(amount.values[0], 30))
        return replace(amount, values=(10.0 ** (digits - 1),), digits=digits, is_marked=True)
    return None


def _with_currency(token: Token, amount: Amount) -> Amount:
    """The amount in dollars or, unless it is, in the currency of the token; "$100 AUD" is in the latter."""
    if token.kind == "money" and token.text == "$" and amount.currency:
        return amount
    if token.kind == "money":
        return replace(amount, is_money=True, is_marked=True, currency="")
    currency = str(token.value or OTHER_CURRENCY)
    return amount if amount.is_money else replace(amount, is_marked=True, currency=currency)


def _folded(token: Token, amount: Amount) -> Amount:
    """Example: "10-fold" is a multiple, "divided by 3" a third."""
    values = tuple(1 / value if value else 0.0 for value in amount.values)
    return replace(amount, values=values if token.value == "divided" else amount.values, is_multiple=True)


def _with_prefix(tokens: Sequence[Token], amount: Amount, free_from: int) -> Amount:
    first = amount.first
    while first > free_from and tokens[first - 1].kind in PREFIXES:
        first -= 1
        if tokens[first].kind == "fold":
            amount = _folded(tokens[first], amount)
        elif tokens[first].kind == "percent":
            amount = replace(amount, is_percent=not amount.is_money)
        else:
            amount = _with_currency(tokens[first], amount)
    if first > free_from and tokens[first - 1].text in TIMES and tokens[first].is_glued:
        return replace(amount, first=first - 1, is_multiple=True)
    sign = _sign(tokens, first, amount) if first > free_from else 0
    return replace(amount, first=first - abs(sign), sign=sign or amount.sign)


def _sign(tokens: Sequence[Token], first: int, amount: Amount) -> int:
    """1 or -1 for "plus" or "minus", or for a sign glued to the amount but not to a word before it: "-10%"."""
    text = tokens[first - 1].text
    if text in PLUS and amount.is_percent:  # Portuguese "perde mais 5%" is to lose as much again
        return 0 if any(token.kind in BEAR for token in tokens[:first]) else 1
    if tokens[first - 1].kind == "minus" and (amount.is_percent or amount.is_marked):
        return -1
    if text == "plus" and (amount.is_percent or (amount.is_marked and first > 1 and tokens[first - 2].kind == "asset")):
        return 1  # "btc plus 5k"
    is_of_word = tokens[first - 1].is_glued and not (text == "+" and amount.is_percent)  # "BTC+8%", "三天+12%"
    if text not in ("+", *MINUSES) or not tokens[first].is_glued or is_of_word:
        return 0
    return 1 if text == "+" else -1


def _are_ends(tokens: Sequence[Token], lower: Amount, upper: Amount) -> bool:
    """Whether two numbers are the ends of a range: "95-100k", Turkish "95 100 bin arasında", "Spanne 95 bis 100"."""
    gap, behind = tokens[lower.after : upper.first], tokens[upper.after : upper.after + 1]
    before = [token.kind for token in tokens[: lower.first] if token.kind not in ("the", "from")][-1:]
    is_between = not gap and any(token.kind == "between" for token in behind)
    is_between |= before == ["between"] and [token.kind for token in gap] == ["by"]
    is_joined = is_between or (len(gap) == 1 and gap[0].text in DASHES)
    return is_joined and lower.upper is None and lower.is_percent <= upper.is_percent


def convert(tokens: Sequence[Token], amounts: Sequence[Amount], rates: Rates) -> list[Amount]:
    """The amounts with those of another currency in USD; one without a rate keeps its values.

    A currency beside the asset, as in "BTC/EUR above 50k", is that of every amount which names none, and so is the
    currency of another amount: "between 80k and 90k euros".
    """
    fallback = next((amount.currency for amount in amounts if amount.currency), "")
    currency = quote_currency(tokens, amounts) or fallback
    return [_in_usd(amount, currency, rates) for amount in amounts]


def quote_currency(tokens: Sequence[Token], amounts: Sequence[Amount]) -> str:
    """The currency that is named outside the amounts; empty if there is none."""
    if not any(token.kind in ("currency", "foreign") for token in tokens):
        return ""
    inside = {place for amount in amounts for place in range(amount.first, amount.after)}
    for place in range(1, len(tokens)):
        token, before = tokens[place], tokens[place - 1]
        if place not in inside and token.kind == "currency":
            return str(token.value)
        if place not in inside and token.kind == "foreign" and (before.kind in QUOTED_AFTER or before.text == "/"):
            return OTHER_CURRENCY
    return ""


def _in_usd(amount: Amount, quoted: str, rates: Rates) -> Amount:
    if amount.is_percent or amount.is_multiple:
        return amount
    currency = amount.currency or ("" if amount.is_money else quoted)
    usd = rate.usd if (rate := rates.get(currency)) else 1.0
    upper = amount.upper and tuple(value * usd for value in amount.upper)
    return replace(amount, values=tuple(value * usd for value in amount.values), upper=upper, currency=currency)


def refuse_unpriced(amounts: Sequence[Amount], rates: Rates, now: datetime) -> None:
    """Refuse a currency that is not converted, or whose rate is missing or old."""
    for currency in (amount.currency for amount in amounts if not (amount.is_percent or amount.is_multiple)):
        rate = rates.get(currency)
        if not currency or (currency in UNITS and rate and rate.is_fresh(now)):
            continue
        if currency not in UNITS:
            raise invalid(f"A level may be in {CHOICES}, not in other currencies. Give it in one of them.", "level")
        reason = f"There is no exchange rate of the {UNITS[currency]} at present."
        if rate:
            reason = f"The last exchange rate of the {UNITS[currency]} is from {rate.as_of:%Y-%m-%d %H:%M} UTC."
        raise invalid(f"{reason} Give the level in USD.", "level")


def conversion_notes(tokens: Sequence[Token], amounts: Sequence[Amount], rates: Rates, spot: float) -> tuple[str, ...]:
    """What each converted amount is in USD and at which rate, or that a move is measured in USD."""
    notes = list[str]()
    for amount in amounts:
        rate = None if amount.is_percent or amount.is_multiple else rates.get(amount.currency)
        for usd in (amount.value(spot), amount.upper_value(spot)):
            if rate is None or usd is None:
                continue
            original, level = price(usd / rate.usd), price(float(f"{usd:.10g}"))
            value = f"rate of {price(rate.usd)} USD per {UNITS[amount.currency]}"
            source = f"{rate.source}, {rate.as_of:%Y-%m-%d %H:%M} UTC" if rate.as_of else ""
            origin = f"the {value} ({source})" if source else f"an assumed {value}"
            notes.append(f"{original} {amount.currency} are {level} USD at {origin}.")
    if notes:
        return (*dict.fromkeys(notes), "The question is decided in USD.")
    currency = quote_currency(tokens, amounts)
    name = f" {currency}" if currency in UNITS else ""
    return (f"Prices and moves are measured in USD, not in{name or ' another currency'}.",) if currency else ()
