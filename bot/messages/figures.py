"""Numbers, instants and words of the API as a person reads them; what is not known is a dash."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.writing import plain, said

UNKNOWN = "–"
UP, DOWN, LEVEL = "▲", "▼", "■"
ARROWS = {"BULLISH": UP, "BEARISH": DOWN, "NEUTRAL": LEVEL}
SIDES = {"BULLISH": "bull", "BEARISH": "bear", "NEUTRAL": "neutral"}
WORLDS = {"simulated": "SIMULATED market", "replay": "REPLAY of past prices", "live": "live prices"}
ASSETS = {"btc": "Bitcoin", "eth": "Ethereum", "sol": "Solana", "bnb": "BNB", "xrp": "XRP"}
INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?Z")


def percent(value: float | None, digits: int = 1) -> str:
    """A percentage, as "62.1%"."""
    return UNKNOWN if value is None else f"{value:.{digits}f}%"


def change(value: float | None, digits: int = 1) -> str:
    """A percentage with its sign, as "+2.1%"; from 100 on without decimals."""
    if value is None:
        return UNKNOWN
    return f"{_nought(value, digits):+.{digits if abs(value) < 99.95 else 0}f}%"


def chance(p: float | None) -> str:
    """A probability from 0 to 1 as a whole percentage; the ends are kept for what is certain."""
    if p is None:
        return UNKNOWN
    return f"{100 * p:.0f}%" if 0.01 <= p <= 0.99 or p in (0, 1) else ("under 1%" if p < 0.01 else "over 99%")


def usd(value: float | None, digits: int = 0) -> str:
    """An amount of money, as "11,887 USD"."""
    return UNKNOWN if value is None else f"{_nought(value, digits):,.{digits}f} USD"


def gain(value: float | None, digits: int = 0) -> str:
    """An amount of money with its sign, as "+1,887 USD"."""
    return UNKNOWN if value is None else f"{_nought(value, digits):+,.{digits}f} USD"


def price(value: float | None) -> str:
    """What one of an asset costs, with as many digits as matter."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"


def counted(number: int, noun: str) -> str:
    """A number and what it counts, as "1 trade" or "29 trades"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def won(rate_pct: float | None, trades: int) -> str:
    """The trades, and how many of them were won: a rate never without its n."""
    if rate_pct is None:
        return counted(trades, "trade")
    return f"{counted(trades, 'trade')}, {percent(rate_pct)} of them won"


def instant(text: str | None) -> str:
    """An instant of the API to the minute, as "2026-11-21 08:00 UTC"."""
    if text is None:
        return UNKNOWN
    found = INSTANT.fullmatch(text)
    return f"{found[1]} {found[2]} UTC" if found else said(text, 40)


def clock(text: str | None) -> str:
    """The time of day of an instant of the API; midnight where it gives none."""
    found = INSTANT.fullmatch(text or "")
    return f"{found[2] if found else '00:00'} UTC"


def sentence(text: str, most: int) -> str:
    """A sentence of the API escaped, its instants written as elsewhere."""
    return said(INSTANT.sub(lambda found: f"{found[1]} {found[2]} UTC", text), most)


def day(text: str | None) -> str:
    """The date of an instant of the API."""
    return UNKNOWN if text is None else said(text[:10], 60)


def arrow(direction: object) -> str:
    """The mark of a direction; one that is not known is a question mark."""
    return ARROWS.get(str(direction), "?")


def moved(value: float | None) -> str:
    """The mark of a change."""
    return LEVEL if not value else UP if value > 0 else DOWN


def asset(key: object) -> str:
    """An asset's name as in a sentence, escaped."""
    return ASSETS.get(str(key)) or said(str(key).capitalize(), 60)


def words(name: object) -> str:
    """A snake_case word of the API as words, not escaped."""
    return plain(name).replace("_", " ")


def world(told: Mapping[str, Any]) -> str:
    """Which market a document's prices are of."""
    return WORLDS.get(told.get("world", ""), "") or said(told.get("world") or "unknown market", 60)


def stale(told: Mapping[str, Any], now: datetime | None) -> bool:
    """Whether a document is older than it should be at `now`; never of a replay, whose clock is not ours."""
    over = told.get("stale_after")
    if now is None or over is None or told.get("world") == "replay" or not INSTANT.fullmatch(over):
        return False
    return now > datetime.fromisoformat(over)


def footer(told: Mapping[str, Any], now: datetime | None = None, *, paper: bool = False) -> str:
    """What the numbers above are: on paper or not, of which market, of when, and whether that is too long ago."""
    parts = [
        "PAPER" if paper else "",
        world(told),
        f"as of {instant(told.get('as_of') or told.get('timestamp'))}",
        "STALE: newer numbers are late" if stale(told, now) else "",
    ]
    return f"<i>{' · '.join(part for part in parts if part)}</i>"


def _nought(value: float, digits: int) -> float:
    """The value, or 0 where rounding would leave a minus before noughts."""
    return value if round(value, digits) else 0.0
