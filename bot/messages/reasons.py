"""Why a voter votes as it does, in the person's language: the service gives each fact as a code with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import english, translate
from bot.messages.formats import asset, capitalized, decimal, percent, price, signed_decimal, signed_percent
from bot.messages.markup import escaped

SENTENCES = {
    "expected_move": english("{driver}: {asset} typically moves {sigma} until then (long-term: {usual})."),
    "distance": english("{level} is {distance} away, {times} times such a move."),
    "away": english("{level} is {distance} away."),
    "correlation": english("Correlation of the two: {correlation}."),
    "closed": english("The market of {asset} is closed until then, so the price stays at {price}."),
    "reached": english("{asset} is already at {price}; the level is {level}."),
}
DRIVERS = (
    english("the moves of the last hours"),
    english("the variance of the last day, week and month"),
    english("the moves of its class and leader"),
    english("states of calm and stress"),
    english("moves of hours to months, falls and drawdowns"),
    english("scheduled events, volume and the last month"),
    english("the ranges of the last bars"),
    english("a GARCH process"),
    english("stochastic volatility"),
    english("plain volatility"),
)


def reasons(vote: Mapping[str, Any], limit: int) -> str:
    """Why a voter votes so; the free text of a language model stays as it was written."""
    facts = vote.get("reasons")
    if not facts:
        return escaped(vote["reasoning"], limit)
    return " ".join(map(_fact, facts))


def _fact(fact: Mapping[str, Any]) -> str:
    values = fact["values"]
    driver = translate(fact["driver"]) if fact["driver"] in DRIVERS else escaped(fact["driver"], 60)
    parts = {
        "driver": capitalized(driver),
        "asset": asset(fact["asset"]),
        "sigma": percent(values.get("sigma_pct")),
        "usual": percent(values.get("usual_sigma_pct")),
        "level": price(values.get("level")),
        "distance": signed_percent(values.get("level_pct")),
        "times": decimal(abs(values.get("sigmas", 0)), 1),
        "correlation": signed_decimal(values.get("correlation", 0), 2),
        "price": price(values.get("price")),
    }
    code = "away" if fact["code"] == "distance" and "sigmas" not in values else fact["code"]
    return translate(SENTENCES[code], **parts)
