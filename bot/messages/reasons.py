"""Why a voter votes as it does, in the person's language: the service gives each fact as a code with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import translate
from bot.messages.formats import asset, capitalized, decimal, percent, price, signed_decimal, signed_percent
from bot.messages.markup import escaped
from bot.messages.texts import TEXTS

SENTENCES, DRIVERS = TEXTS["facts"], TEXTS["drivers"]


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
