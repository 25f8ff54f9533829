"""Time zones beside a time of day: UTC, ET, GMT-5, New York, heure de Paris."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta, timezone, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from service.questions.criterion import invalid
from service.questions.tokens import Token

# Abbreviations that stand for several zones.
AMBIGUOUS = {"cst", "ist", "bst", "ast", "sst", "amt", "cdt"}
# Kinds between a time and its zone: "9:00 in Tokyo", "17h heure de Paris", "9am (ET)".
BETWEEN = {"the", "localtime", "in"}
FARTHEST_OFFSET = timedelta(hours=14)


class Zone(NamedTuple):
    """A zone, what is uncertain about it, and the place of the first token after it."""

    zone: tzinfo
    note: str
    after: int


def zone_after(tokens: Sequence[Token], place: int) -> Zone | None:
    """The zone that follows a time, whose first token after it is at `place`.

    Raises InvalidQuestion for a zone that is not known: "9am Atlantis time".
    """
    here = place
    while here < len(tokens) and (tokens[here].kind in BETWEEN or tokens[here].text == "(" or _is_hours(tokens, here)):
        here += 1
    if here < len(tokens) and tokens[here].kind == "zone":
        return zone_at(tokens, here)
    _refuse_unknown(tokens[place : place + 3])
    return None


def zone_at(tokens: Sequence[Token], place: int) -> Zone:
    """The zone whose name is at `place`, with its offset and the word "time"."""
    name, text = str(tokens[place].value or "UTC"), tokens[place].text
    zone, after = ZoneInfo(name) if tokens[place].value else _shifted(text), place + 1
    while after < len(tokens) and (tokens[after].kind == "localtime" or _is_hours(tokens, after)):
        after += 1
    city = name.rpartition("/")[2].replace("_", " ")
    return Zone(zone, f"{text.upper()} is understood as the time of {city}." if text in AMBIGUOUS else "", after)


def without_zone(tokens: Sequence[Token]) -> tuple[list[Token], Zone | None]:
    """The tokens without their first zone, and that zone: "9am on Monday, Tokyo time"."""
    place = next((place for place, token in enumerate(tokens) if token.kind == "zone"), None)
    if place is None:
        return list(tokens), None
    zone, first = zone_at(tokens, place), place
    while first and tokens[first - 1].kind in ("localtime", "the"):
        first -= 1
    return [*tokens[:first], *tokens[zone.after :]], zone


def _shifted(text: str) -> tzinfo:
    """UTC+2, GMT-5, UTC+5:30."""
    hours, minutes = re.findall(r"(\d{1,2}):?(\d\d)?$", text)[0]
    ahead = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if ahead > FARTHEST_OFFSET:
        raise invalid("Time zones are at most 14 hours ahead of UTC or behind it.")
    return timezone(ahead if "+" in text else -ahead)


def _is_hours(tokens: Sequence[Token], place: int) -> bool:
    """Whether the word for hours means the time of a place here: "heure de Paris", not "3 hours"."""
    return tokens[place].kind == "unit" and tokens[place].value == "hour" and len(tokens[place].text) > 1


def _refuse_unknown(tokens: Sequence[Token]) -> None:
    kinds = [token.kind for token in tokens]
    if kinds[:2] == ["word", "localtime"] or kinds == ["word", "word", "localtime"]:
        raise invalid("The time zone is not known. Give the time in UTC, or name a large city such as London or Tokyo.")
