"""Levels in euros, pounds and yen: converted to USD, in which every question is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from service.market.prices import Rates
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
