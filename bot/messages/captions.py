"""The captions of charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.messages.formats import footer
from bot.messages.markup import CAPTION, escaped, message
from bot.messages.predictions import verdict

TITLES = {
    "lanes": "The paper-trading lanes",
    "lane": "One paper-trading lane",
    "strategy": "One strategy on paper",
    "accuracy": "The AI against the market",
    "fund": "The virtual apex fund",
}
ON_PAPER = ("lanes", "lane", "strategy", "fund")


def caption(kind: str, document: Mapping[str, Any]) -> str:
    """The subject of a chart and the source of its numbers, at most CAPTION long."""
    blocks = [f"<b>{_subject(kind, document)}</b>"]
    if kind == "accuracy":
        blocks.append(f"{verdict(document)}.")
    return message(blocks, footer(document, paper=kind in ON_PAPER), limit=CAPTION)


def _subject(kind: str, document: Mapping[str, Any]) -> str:
    if kind == "strategy" and document.get("name"):
        return escaped(document["name"], 120)
    if kind == "lane" and len(document.get("lanes", ())) == 1:
        return escaped(document["lanes"][0]["label"], 120)
    return TITLES.get(kind) or escaped(kind, 60)
