"""What panels say in words: of which world a number is, of when, and how old that is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from html import escape
from typing import Any

WORLDS = {"simulated": "SIMULATED market", "replay": "REPLAY of past prices", "live": "live prices"}


def standing(document: Mapping[str, Any], now: datetime, *, brief: bool = False) -> str:
    """Of which world a document is and of when; that it is stale where it is. `brief`: nothing but when."""
    as_of = moment(document["as_of"])
    if brief:
        return minute(as_of)
    stale = document.get("stale_after")
    old = f" · STALE: nothing newer came for {span(now - as_of)}" if stale and now > moment(stale) else ""
    return f"{world(document)} · as of {minute(as_of)}{old}"


def world(document: Mapping[str, Any]) -> str:
    """Whose prices these are, in words; a world that is not known keeps its name."""
    return WORLDS.get(document["world"], str(document["world"]))


def moment(text: str) -> datetime:
    """An instant of the API."""
    return datetime.fromisoformat(text)


def minute(instant: datetime) -> str:
    """An instant to the minute."""
    return f"{instant:%Y-%m-%d %H:%M} UTC"


def until(now: datetime, pause_s: float) -> str:
    """The instant after a pause, to the second."""
    return f"{now + timedelta(seconds=pause_s):%H:%M:%S} UTC"


def span(length: timedelta) -> str:
    """A length of time in its largest whole unit."""
    minutes = int(length.total_seconds() // 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days"


def plain(text: str) -> str:
    """Words from outside for plotly, which takes a little HTML but knows no entity of a quotation mark."""
    return escape(text, quote=False)


def price(usage: Mapping[str, Any]) -> str:
    """What a look costs whose document is counted, and how many are left."""
    return f"each look costs one of the key's calls today, {usage['quota']['remaining']} left"
