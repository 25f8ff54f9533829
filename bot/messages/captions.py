"""What stands under a chart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.messages.figures import footer
from bot.messages.predictions import verdict
from bot.messages.writing import CAPTION, message, said

TITLES = {
    "lanes": "The lanes of paper trading",
    "lane": "One lane of paper trading",
    "strategy": "One strategy on paper",
    "accuracy": "The AI against the market",
    "fund": "The virtual fund of apex",
}
ON_PAPER = ("lanes", "lane", "strategy", "fund")


def caption(kind: str, told: Mapping[str, Any]) -> str:
    """What a chart of that kind shows, on paper or not, of which market, of when; at most CAPTION long."""
    blocks = [f"<b>{_subject(kind, told)}</b>", *_notes(kind, told)]
    return message(blocks, footer(told, paper=kind in ON_PAPER), limit=CAPTION)


def _subject(kind: str, told: Mapping[str, Any]) -> str:
    if kind == "strategy" and told.get("name"):
        return said(told["name"], 120)
    if kind == "lane" and len(told.get("lanes", ())) == 1:
        return said(told["lanes"][0]["label"], 120)
    return TITLES.get(kind) or said(kind, 60)


def _notes(kind: str, told: Mapping[str, Any]) -> list[str]:
    if kind != "accuracy":
        return []
    return [f"{verdict(told)}."]
