"""The sentiment of the headlines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.formats import change_arrow, direction_arrow, footer
from bot.messages.markup import escaped, message

HEADLINES_SHOWN = 8
ADDRESSES = ("https://", "http://")


def news(pulse: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Direction and score of the last day's stories, the trending topics, and the newest headlines."""
    direction = f"{direction_arrow(pulse['direction'])} News: {escaped(pulse['direction'], 40)}"
    failures = list(pulse["failed"].items())[:3]
    blocks = [
        f"<b>{direction}</b> · score {pulse['score']:+.2f}",
        _stories(pulse["n"]),
        _topics(pulse["topics"]),
        *(_headline(headline) for headline in pulse["headlines"][:HEADLINES_SHOWN]),
        *(f"No news from {escaped(source, 60)}: {escaped(reason, 120)}" for source, reason in failures),
    ]
    return message(blocks, footer(pulse, now))


def _stories(number: int) -> str:
    if not number:
        return "No stories in the last 24 hours."
    return f"{number:,} {'story' if number == 1 else 'stories'} in the last 24 hours. The score is between -1 and 1."


def _topics(topics: list[Mapping[str, Any]]) -> str:
    mentions = ", ".join(f"{escaped(topic['term'], 60)} ({topic['mentions']:,})" for topic in topics[:5])
    return f"More often than usual: {mentions}" if mentions else ""


def _headline(headline: Mapping[str, Any]) -> str:
    title = escaped(headline["title"], 300)
    if headline["url"] and headline["url"].startswith(ADDRESSES):
        title = _linked(headline["url"], title)
    source = f"<i>{escaped(headline['source'], 60)}{' · SIMULATED' if headline['simulated'] else ''}</i>"
    return f"\n{change_arrow(headline['score'])} {title}\n{source}"


def _linked(url: str, title: str) -> str:
    """The title as a link; a URL that is too long is left out, since a shortened one leads nowhere."""
    address = escaped(url, 500)
    return title if address.endswith("…") else f'<a href="{address}">{title}</a>'
