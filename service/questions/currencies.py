"""Levels in euros, pounds and yen: converted to USD, in which every question is decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from service.errors import InvalidQuestion
from service.market.prices import Rate, Rates
from service.questions.amounts import OTHER_CURRENCY, Amount
from service.questions.criterion import invalid, price
from service.questions.tokens import Token

# Each currency that is converted, with the name of one unit.
UNITS = {"EUR": "euro", "GBP": "pound", "JPY": "yen"}
CHOICES = "USD, EUR, GBP or JPY"
# Kinds after which another currency is the one that prices are quoted in: "BTC/INR", "in rupees".
QUOTED_AFTER = ("asset", "in", "versus")


def convert(tokens: Sequence[Token], amounts: Sequence[Amount], rates: Rates) -> list[Amount]:
    """The amounts with those of another currency in USD; one without a rate keeps its values.

    A currency beside the asset, as in "BTC/EUR above 50k", is that of every amount which names none, and so is the
    currency of another amount: "between 80k and 90k euros".
    """
    fallback = next((amount.currency for amount in amounts if amount.currency), "")
    currency = quote_currency(tokens, amounts) or fallback
    return [_in_usd(_quoted(amount, currency), rates) for amount in amounts]


def quote_currency(tokens: Sequence[Token], amounts: Sequence[Amount]) -> str:
    """The currency that is named outside the amounts; empty if there is none."""
    if not any(token.kind in ("currency", "foreign") for token in tokens):
        return ""
    inside = {place for amount in amounts for place in range(amount.first, amount.after)}
    outside = (place for place in range(1, len(tokens)) if place not in inside)
    return next((code for place in outside if (code := _code(tokens[place], tokens[place - 1]))), "")


def _code(token: Token, before: Token) -> str:
    if token.kind == "currency":
        return str(token.value)
    is_quoted = before.kind in QUOTED_AFTER or before.text == "/"
    return OTHER_CURRENCY if token.kind == "foreign" and is_quoted else ""


def _quoted(amount: Amount, currency: str) -> Amount:
    is_price = not (amount.is_money or amount.is_percent or amount.is_multiple or amount.currency)
    return replace(amount, currency=currency) if is_price and currency else amount


def _in_usd(amount: Amount, rates: Rates) -> Amount:
    rate = rates.get(amount.currency)
    if rate is None or amount.is_percent or amount.is_multiple:
        return amount
    upper = amount.upper and tuple(value * rate.usd for value in amount.upper)
    return replace(amount, values=tuple(value * rate.usd for value in amount.values), upper=upper)


def refuse_unpriced(amounts: Sequence[Amount], rates: Rates, now: datetime) -> None:
    """Refuse a currency that is not converted, or whose rate is missing or old."""
    for amount in amounts:
        if amount.currency and not amount.is_percent and not amount.is_multiple:
            _refuse(amount.currency, rates, now)


def _refuse(currency: str, rates: Rates, now: datetime) -> None:
    if currency not in UNITS:
        raise invalid(f"A level may be in {CHOICES}, not in other currencies. Give it in one of them.", "level")
    rate = rates.get(currency)
    if rate is None:
        raise _without_rate(f"There is no exchange rate of the {UNITS[currency]} at present.")
    if not rate.is_fresh(now):
        raise _without_rate(f"The last exchange rate of the {UNITS[currency]} is from {rate.as_of:%Y-%m-%d %H:%M} UTC.")


def _without_rate(reason: str) -> InvalidQuestion:
    return invalid(f"{reason} Give the level in USD.", "level")


def conversion_notes(tokens: Sequence[Token], amounts: Sequence[Amount], rates: Rates, spot: float) -> tuple[str, ...]:
    """What each converted amount is in USD and at which rate, or that a move is measured in USD."""
    notes = tuple(dict.fromkeys(note for amount in amounts for note in _conversions(amount, rates, spot)))
    if notes:
        return (*notes, "The question is decided in USD.")
    currency = quote_currency(tokens, amounts)
    name = f" {currency}" if currency in UNITS else ""
    return (f"Prices and moves are measured in USD, not in{name or ' another currency'}.",) if currency else ()


def _conversions(amount: Amount, rates: Rates, spot: float) -> Iterator[str]:
    rate = rates.get(amount.currency)
    if rate is None or amount.is_percent or amount.is_multiple:
        return
    for usd in (amount.value(spot), amount.upper_value(spot)):
        if usd is not None:
            original, level = price(usd / rate.usd), price(float(f"{usd:.10g}"))
            yield f"{original} {amount.currency} are {level} USD at {_rate(rate, amount.currency)}."


def _rate(rate: Rate, currency: str) -> str:
    value = f"{price(rate.usd)} USD per {UNITS[currency]}"
    if rate.as_of is None:
        return f"an assumed rate of {value}"
    return f"the rate of {value} ({rate.source}, {rate.as_of:%Y-%m-%d %H:%M} UTC)"
