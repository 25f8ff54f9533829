"""The API's numbers, times and keys as text for people; an unknown value is a dash."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.messages.markup import escaped, plain

UNKNOWN = "–"
UP, DOWN, LEVEL = "▲", "▼", "■"
ARROWS = {"BULLISH": UP, "BEARISH": DOWN, "NEUTRAL": LEVEL}
SIDES = {"BULLISH": "bull", "BEARISH": "bear", "NEUTRAL": "neutral"}
WORLDS = {"simulated": "SIMULATED market", "replay": "REPLAY of past prices", "live": "live prices"}
ASSETS = {"btc": "Bitcoin", "eth": "Ethereum", "sol": "Solana", "bnb": "BNB", "xrp": "XRP"}
INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?Z")


def percent(value: float | None, digits: int = 1) -> str:
    """A percentage, such as "62.1%"."""
    return UNKNOWN if value is None else f"{value:.{digits}f}%"


def signed_percent(value: float | None, digits: int = 1) -> str:
    """A change in percent, such as "+2.1%"; without decimals from 100% on."""
    return UNKNOWN if value is None else f"{_signed(value, digits)}%"


def signed_points(value: float | None, digits: int = 1) -> str:
    """A difference of two percentages, such as "+2.1 pp"; without decimals from 100 on."""
    return UNKNOWN if value is None else f"{_signed(value, digits)} pp"


def chance(p: float | None) -> str:
    """A probability from 0 to 1 as a whole percentage; "0%" and "100%" only for the exact ends."""
    if p is None:
        return UNKNOWN
    return f"{100 * p:.0f}%" if 0.01 <= p <= 0.99 or p in (0, 1) else ("under 1%" if p < 0.01 else "over 99%")


def usd(value: float | None, digits: int = 0) -> str:
    """An amount of money, such as "11,887 USD"."""
    return UNKNOWN if value is None else f"{_without_negative_zero(value, digits):,.{digits}f} USD"


def signed_usd(value: float | None, digits: int = 0) -> str:
    """A gain or loss, such as "+1,887 USD"."""
    return UNKNOWN if value is None else f"{_without_negative_zero(value, digits):+,.{digits}f} USD"


def price(value: float | None) -> str:
    """A price in USD without its unit, with as many digits as matter at its size."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}" if abs(value) >= 1 else f"{value:.4g}"


def plural(number: int, noun: str) -> str:
    """A number and its noun, such as "1 trade" or "2,000 trades"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def trades_won(win_rate_pct: float | None, trades: int) -> str:
    """The number of trades, with the win rate once there is one: a rate is never shown without its n."""
    if win_rate_pct is None:
        return plural(trades, "trade")
    return f"{plural(trades, 'trade')}, {percent(win_rate_pct)} of them won"


def instant(text: str | None) -> str:
    """An instant of the API to the minute, such as "2026-11-21 08:00 UTC"."""
    if text is None:
        return UNKNOWN
    match = INSTANT.fullmatch(text)
    return f"{match[1]} {match[2]} UTC" if match else escaped(text, 40)


def time_of_day(text: str | None) -> str:
    """The time of day of an instant of the API, such as "08:00 UTC"; midnight if there is no instant."""
    match = INSTANT.fullmatch(text or "")
    return f"{match[2] if match else '00:00'} UTC"


def date(text: str | None) -> str:
    """The date of an instant of the API."""
    return UNKNOWN if text is None else escaped(text[:10], 60)


def sentence(text: str, limit: int) -> str:
    """A sentence of the API, escaped, with its instants written as by `instant`."""
    return escaped(INSTANT.sub(lambda match: f"{match[1]} {match[2]} UTC", text), limit)


def direction_arrow(direction: object) -> str:
    """The symbol of a direction; a question mark for an unknown one."""
    return ARROWS.get(str(direction), "?")


def change_arrow(value: float | None) -> str:
    """The symbol of a change: up, down, or level for zero and unknown."""
    return LEVEL if not value else UP if value > 0 else DOWN


def asset(key: object) -> str:
    """The name of an asset, escaped."""
    return ASSETS.get(str(key)) or escaped(str(key).capitalize(), 60)


def words(key: object) -> str:
    """A snake_case key of the API as words, not escaped."""
    return plain(key).replace("_", " ")


def world(document: Mapping[str, Any]) -> str:
    """The market that a document's prices come from."""
    return WORLDS.get(document.get("world", ""), "") or escaped(document.get("world") or "unknown market", 60)


def is_stale(document: Mapping[str, Any], now: datetime | None) -> bool:
    """Whether a document's `stale_after` has passed at `now`; never for a replay, whose clock is not ours."""
    stale_after = document.get("stale_after")
    if now is None or stale_after is None or document.get("world") == "replay" or not INSTANT.fullmatch(stale_after):
        return False
    return now > datetime.fromisoformat(stale_after)


def footer(document: Mapping[str, Any], now: datetime | None = None, *, paper: bool = False) -> str:
    """The source of the numbers above: paper trading or not, the market, the time, and whether the update is late."""
    parts = [
        "PAPER" if paper else "",
        world(document),
        f"as of {instant(document.get('as_of') or document.get('timestamp'))}",
        "STALE: the next update is late" if is_stale(document, now) else "",
    ]
    return f"<i>{' · '.join(part for part in parts if part)}</i>"


def _signed(value: float, digits: int) -> str:
    return f"{_without_negative_zero(value, digits):+,.{digits if abs(value) < 99.95 else 0}f}"


def _without_negative_zero(value: float, digits: int) -> float:
    """The value, or 0 if it rounds to zero, so that no "-0" is shown."""
    return value if round(value, digits) else 0.0
