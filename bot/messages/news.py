"""The mood of the headlines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.figures import arrow, footer, moved
from bot.messages.writing import message, said

HEADLINES_SHOWN = 8
ADDRESSES = ("https://", "http://")


def news(told: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Direction and score of the last day's stories, their topics, the newest headlines."""
    blocks = [
        f"<b>{arrow(told['direction'])} News: {said(told['direction'], 40)}</b> · score {told['score']:+.2f}",
        _stories(told["n"]),
        _topics(told["topics"]),
        *(_headline(one) for one in told["headlines"][:HEADLINES_SHOWN]),
        *(f"{said(name, 60)} gave nothing: {said(why, 120)}" for name, why in list(told["failed"].items())[:3]),
    ]
    return message(blocks, footer(told, now))


def _stories(number: int) -> str:
    if not number:
        return "No story in the last day."
    return f"{number} {'story' if number == 1 else 'stories'} in the last day; the score goes from -1 to 1."


def _topics(topics: list[Mapping[str, Any]]) -> str:
    named = ", ".join(f"{said(one['term'], 60)} ({one['mentions']})" for one in topics[:5])
    return f"More than usual: {named}" if named else ""


def _headline(one: Mapping[str, Any]) -> str:
    title = said(one["title"], 300)
    if one["url"] and one["url"].startswith(ADDRESSES):
        title = _linked(one["url"], title)
    source = f"<i>{said(one['source'], 60)}{' · SIMULATED' if one['simulated'] else ''}</i>"
    return f"\n{moved(one['score'])} {title}\n{source}"


def _linked(url: str, title: str) -> str:
    """The title as a link; an address too long to be sent whole leads nowhere, so it is left out."""
    address = said(url, 500)
    return title if address.endswith("…") else f'<a href="{address}">{title}</a>'
