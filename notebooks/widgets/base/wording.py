"""Words and instants that panels share: which world a document is from, its time, and whether it is stale."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from html import escape
from typing import Any

Document = Mapping[str, Any]

WORLDS = {"simulated": "SIMULATED market", "replay": "REPLAY of past prices", "live": "live prices"}
LEGEND_GAP = "\N{NO-BREAK SPACE} "  # between the entries of a legend, where a line may end
BACKFILLED = "BACKFILLED: computed for past dates at the first start"
BOOKS = {"live": False, "backfilled": True}


def provenance(document: Document, now: datetime) -> str:
    """The world and the time of a document, and a warning when it is stale; a replay, with its own clock, never is."""
    stale_after = None if document["world"] == "replay" else document.get("stale_after")
    is_stale = stale_after and now > moment(stale_after)
    warning = f" · STALE: no update for {duration(now - moment(document['as_of']))}" if is_stale else ""
    return f"{world(document)} · as of {minute(document['as_of'])}{warning}"


def world(document: Document) -> str:
    """The world of a document in words; an unknown world keeps its name."""
    return WORLDS.get(document["world"], str(document["world"]))


def moment(text: str) -> datetime:
    """An instant of the API as a datetime."""
    return datetime.fromisoformat(text)


def minute(text: str) -> str:
    """An instant of the API, to the minute."""
    return f"{moment(text):%Y-%m-%d %H:%M} UTC"


def time_after(now: datetime, pause_s: float) -> str:
    """The time of day after a pause, to the second."""
    return f"{now + timedelta(seconds=pause_s):%H:%M:%S} UTC"


def duration(length: timedelta) -> str:
    """A length of time in its largest whole unit."""
    minutes = int(length.total_seconds() // 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days"


def escaped(text: str) -> str:
    """Text from outside for plotly, which understands some HTML tags but not the entities of quotation marks."""
    return escape(text, quote=False)


def unbroken(text: str) -> str:
    """The text with spaces at which a line does not end."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning with an ellipsis where it has more than `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def number(value: float, form: str) -> str:
    """A number in a format, with a true minus sign as plotly writes it; a zero has no sign.

    >>> number(-0.00001, "+.4f"), number(-1234.5, ",.1f")
    ('0.0000', '−1,234.5')
    """
    text = format(value, form)
    return text.replace("-", "−") if text.strip("+-0.,%") else text.lstrip("+-")


def price(value: float) -> str:
    """A price in USD without its unit, with as many digits as matter at its size.

    >>> price(53_035.65), price(93.126), price(0.36)
    ('53,036', '93.13', '0.3600')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:,.2f}" if value >= 1 else f"{value:#.4g}"


def percent(p: float | None) -> float | None:
    """A probability in 0 to 1 as a percentage."""
    return None if p is None else 100 * p


def call_cost(usage: Document) -> str:
    """The cost of refreshing a document that counts against the key's quota."""
    return f"each refresh uses one of the key's daily calls, {usage['quota']['remaining']} left"


def book_of(document: Document, backfilled: bool) -> Document:
    """The live or the backfilled book of a document with `books`."""
    return next(book for book in document["books"] if book["backfilled"] == backfilled)
