"""Times of day: 17:00 UTC, 5pm ET, noon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

from service.questions.dates.reading import no_such_date, number
from service.questions.tokens import DASHES, Token


@dataclass(frozen=True)
class Clock:
    """A time of day in a zone (an IANA name); `after` is the place of the first token after it."""

    at: time
    zone: str
    after: int


def without_clocks(tokens: Sequence[Token]) -> tuple[list[Token], Clock | None]:
    """The tokens without times of day, and the last time among them: the later one of "5:20PM-5:25PM ET"."""
    rest: list[Token] = []
    last, place = None, 0
    while place < len(tokens):
        clock = _clock_at(tokens, place)
        if clock is None:
            rest.append(tokens[place])
            place += 1
            continue
        last, place = clock, clock.after
        while rest and (rest[-1].kind in ("on", "until", "to", "by") or rest[-1].text in (*DASHES, ",")):
            rest.pop()
    return rest, last


def _clock_at(tokens: Sequence[Token], place: int) -> Clock | None:
    half = _kind_at(tokens, place + 1, "ampm")
    written = _hour_and_minute(tokens[place], half)
    if written is None:
        return None
    hour, minute = written
    if half and half.value in ("am", "pm"):
        hour = hour % 12 + (12 if half.value == "pm" else 0)
    if hour > 23 or minute > 59:
        raise no_such_date()
    after = place + 1 + (half is not None)
    zone = _kind_at(tokens, after, "zone")
    return Clock(time(hour, minute), str(zone.value) if zone else "UTC", after + (zone is not None))


def _kind_at(tokens: Sequence[Token], place: int, kind: str) -> Token | None:
    return tokens[place] if place < len(tokens) and tokens[place].kind == kind else None


def _hour_and_minute(token: Token, half: Token | None) -> tuple[int, int] | None:
    if token.kind == "clock" and token.value is not None:
        return int(token.quantity), 0
    if token.kind == "clock":
        hour, minute = token.text.split(":")[:2]
        return int(hour), int(minute)
    if half and token.kind == "number" and re.fullmatch(r"\d{1,2}", token.text):
        return number(token), 0
    return None
