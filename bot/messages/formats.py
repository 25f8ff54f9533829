"""The API's numbers, times and keys as text for people; an unknown value is a dash."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

from babel.dates import format_date
from babel.numbers import format_decimal, format_percent

from bot.languages import SOURCE, TEXTS, english, english_words, language, locale, translate, zone
from bot.messages.markup import escaped, plain
from service.client import ASSETS

Document = Mapping[str, Any]  # of the API, or a part of one

UNKNOWN = "–"
WORDS = "/words"  # the command that explains the words of the bot
UP, DOWN, LEVEL = "▲", "▼", "■"
ARROWS = {"BULLISH": UP, "BEARISH": DOWN, "NEUTRAL": LEVEL}
SIDES = {"BULLISH": english("bull"), "BEARISH": english("bear"), "NEUTRAL": english("neutral")}
WORLDS = {
    "simulated": english("SIMULATED market"),
    "replay": english("REPLAY of past prices"),
    "live": english("live prices"),
}
DATE = re.compile(r"\d{4}-\d\d-\d\d")
INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?Z")
# How likely yes is.
LIKELIHOODS = english_words(
    "Almost certain",
    "Very likely",
    "Likely",
    "More likely than not",
    "About as likely as not",
    "Less likely than not",
    "Unlikely",
    "Very unlikely",
    "Almost impossible",
)
# Directions and strengths, states of strategies, lanes, votes, verdicts.
TERMS = english_words("BULLISH", "BEARISH", "NEUTRAL", "weak", "moderate", "strong", "divided")
TERMS += english_words("healthy", "watch", "sick", "critical", "observation", "yes", "no")
TERMS += english_words(
    "Trend follower", "Mean reverter", "Breakout with ATR stop", "Oracle's consensus", "Wide range", "Best pool"
)
TERMS += english_words(
    "not enough resolved markets", "no clear difference yet", "the AI is better", "the market is better"
)
NOUNS = TEXTS["nouns"]
NEW_NAMES = {word.upper(): word for word in ("weak", "moderate", "strong", "divided")}


def percent(value: float | None, digits: int = 1) -> str:
    """A percentage, such as "62.1%"."""
    return UNKNOWN if value is None else _percentage(value, digits)


def signed_percent(value: float | None) -> str:
    """A change in percent, such as "+2.1%"; without decimals from 100% on."""
    return UNKNOWN if value is None else _signed(value, 1 if abs(value) < 99.95 else 0, _percentage)


def chance(p: float | None) -> str:
    """A probability from 0 to 1 as a whole percentage; "0%" and "100%" only for the exact ends."""
    if p is None:
        return UNKNOWN
    if 0.01 <= p <= 0.99 or p in (0, 1):
        return percent(100 * p, 0)
    if p < 0.01:
        return translate("under {percent}", percent=percent(1, 0))
    return translate("over {percent}", percent=percent(99, 0))


def price(value: float | None) -> str:
    """A price in USD without its unit, with as many digits as matter at its size."""
    if value is None:
        return UNKNOWN
    if abs(value) >= 1:
        return decimal(value, 0 if abs(value) >= 1000 else 2)
    return format_decimal(Decimal(f"{value:.4g}"), locale=locale(), decimal_quantization=False)


def decimal(value: float, digits: int) -> str:
    """A number with so many decimals."""
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(_rounded(value, digits), pattern, locale=locale())


def signed_decimal(value: float, digits: int) -> str:
    """A number with its sign, such as "+0.25"."""
    return _signed(value, digits, decimal)


def instant(text: str | None) -> str:
    """An instant of the API to the minute, in the zone of the person, such as "2026-11-21 08:00 UTC"."""
    if text is None:
        return UNKNOWN
    at = _local(text)
    return f"{date(f'{at:%Y-%m-%d}')} {at:%H:%M %Z}" if at else escaped(text, 40)


def time_of_day(text: str | None, *, is_today: bool = True) -> str:
    """The time of day of an instant of the API, "08:00 UTC", or else its date; midnight if there is no instant."""
    at = _local(text or "") or datetime(2000, 1, 1, tzinfo=UTC)
    return f"{at:%H:%M %Z}" if is_today else date(f"{at:%Y-%m-%d}", "short")


def _local(text: str) -> datetime | None:
    """An instant of the API in the zone of the person; None for another text."""
    with suppress(ValueError):
        return datetime.fromisoformat(text).astimezone(zone()) if INSTANT.fullmatch(text) else None
    return None


def date(text: str | None, length: Literal["short", "medium"] = "medium") -> str:
    """The date of an instant of the API, such as "2026-11-21"; English is read everywhere, so its dates are ISO's."""
    if text is None:
        return UNKNOWN
    if language() == SOURCE or not DATE.match(text):
        return escaped(text[:10], 60)
    return format_date(datetime.fromisoformat(text[:10]), length, locale=locale())


def weekday_and_date(now: datetime) -> str:
    """A day such as "Monday 23 November"; other languages have their own order, with the year."""
    if language() == SOURCE:
        return f"{now:%A} {now.day} {now:%B}"
    return format_date(now, "full", locale=locale())


def sentence(text: str, limit: int) -> str:
    """A sentence of the API, escaped, with its instants written as by `instant`."""
    return escaped(INSTANT.sub(lambda match: instant(match[0]), text), limit)


def direction_arrow(direction: object) -> str:
    """The symbol of a direction; a question mark for an unknown one."""
    return ARROWS.get(str(direction), "?")


def change_arrow(value: float | None) -> str:
    """The symbol of a change: up, down, or level for unknown and for what is shown as zero."""
    size = _rounded(value or 0, 1)
    return LEVEL if not size else UP if size > 0 else DOWN


def asset(key: object) -> str:
    """The name of an asset, escaped."""
    name = ASSETS.get(str(key))
    return translate(name) if name else escaped(str(key).capitalize(), 60)


def noun(key: object) -> str:
    """The same inside a sentence: some languages put an article before a metal."""
    return translate(NOUNS[str(key)]) if key in NOUNS else asset(key)


def capitalized(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def words(key: object) -> str:
    """A snake_case key of the API as words, not escaped."""
    return plain(key).replace("_", " ")


def world(document: Document) -> str:
    """The market that a document's prices come from."""
    name = WORLDS.get(document.get("world", ""))
    return translate(name) if name else escaped(document.get("world") or translate("unknown market"), 60)


def is_stale(document: Document, now: datetime | None) -> bool:
    """Whether a document's `stale_after` has passed at `now`; never for a replay, whose clock is not ours."""
    stale_after = document.get("stale_after")
    if now is None or stale_after is None or document.get("world") == "replay" or not INSTANT.fullmatch(stale_after):
        return False
    return now > datetime.fromisoformat(stale_after)


def as_of(text: str | None) -> str:
    """The instant that numbers are of, such as "as of 2026-11-21 08:00 UTC"."""
    return translate("as of {instant}", instant=instant(text))


def footer(document: Document, now: datetime | None = None, *, paper: bool = False) -> str:
    """The source of the numbers above: paper trading or not, the market, the time, and whether the update is late."""
    parts = [
        translate("PAPER") if paper else "",
        world(document),
        as_of(document.get("as_of") or document.get("timestamp")),
        translate("STALE: the next update is late") if is_stale(document, now) else "",
        WORDS,
    ]
    return f"<i>{' · '.join(part for part in parts if part)}</i>"


def _percentage(value: float, digits: int) -> str:
    """A percentage with the sign where the language puts it."""
    pattern = locale().percent_formats[None].pattern.replace("#,##0", "#,##0" + ("." + "0" * digits if digits else ""))
    return format_percent(_rounded(value, digits).scaleb(-2), pattern, locale=locale())


def _signed(value: float, digits: int, write: Callable[[float, int], str]) -> str:
    return ("+" if _rounded(value, digits) > 0 else "") + write(value, digits)


def _rounded(value: float, digits: int) -> Decimal:
    """The value with so many decimals, never "-0"."""
    return Decimal(f"{value:.{digits}f}") + 0


def term(value: object) -> str:
    """A word of the API in the current language, not escaped; an unknown one as it is."""
    text = words(value)
    text = NEW_NAMES.get(text, text)
    return translate(text) if text in TERMS else text
