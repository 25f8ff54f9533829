"""Why a voter votes as it does, in the person's language: the service gives each fact as a code with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import labelled, sentences, translate
from bot.messages.formats import asset, capitalized, decimal, noun, percent, price, signed_decimal, signed_percent
from bot.messages.markup import escaped
from bot.messages.texts import TEXTS

SENTENCES, DRIVERS = TEXTS["facts"], TEXTS["drivers"]


def reasons(vote: Mapping[str, Any], limit: int) -> str:
    """Why a voter votes so; the free text of a language model stays as it was written."""
    facts = vote.get("reasons")
    if not facts:
        return escaped(vote["reasoning"], limit)
    sizes = [fact["values"]["sigma_pct"] for fact in facts if fact["code"] == "expected_move"]
    text = sentences(*(_fact(fact, sizes[0] if len(sizes) == 1 else 0) for fact in facts))
    driver = next((fact["driver"] for fact in facts if fact["driver"]), "")
    words = translate(driver) if driver in DRIVERS else escaped(driver, 60)
    return labelled(capitalized(words), text) if driver else text


def _fact(fact: Mapping[str, Any], size: float) -> str:
    """One fact; a distance is shown beside the `size` of a typical move in percent, of which it is a multiple."""
    values = fact["values"]
    parts = {
        "asset": asset(fact["asset"]),
        "noun": noun(fact["asset"]),
        "sigma": percent(values.get("sigma_pct")),
        "usual": percent(values.get("usual_sigma_pct")),
        "level": price(values.get("level")),
        "distance": signed_percent(values.get("level_pct")),
        "times": decimal(abs(values.get("level_pct", 0)) / (size or 1), 1),
        "correlation": signed_decimal(values.get("correlation", 0), 2),
        "price": price(values.get("price")),
    }
    code = "away" if fact["code"] == "distance" and not size else fact["code"]
    return capitalized(translate(SENTENCES[code], **parts))
