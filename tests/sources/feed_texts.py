"""The text of RSS feeds, with entries of a given age at NOW."""

from __future__ import annotations

from email.utils import formatdate

from service.market.instants import HOUR

NOW = 1_741_780_800  # 2025-03-12T12:00:00Z


def item(title: str, link: str = "https://paper.example/1", age: int = HOUR, date: str | None = None) -> str:
    stamp = formatdate(NOW - age) if date is None else date
    return f"<item><title>{title}</title><link>{link}</link><pubDate>{stamp}</pubDate></item>"


def rss(*items: str) -> bytes:
    body = "".join(items)
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>{body}</channel></rss>'.encode()
