"""Times of day: 17:00 UTC, 5pm ET, noon in London, Monday morning, midnight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, time, timedelta, timezone, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from service.questions.criterion import invalid
from service.questions.dates.hours import Hour, hour_at
from service.questions.dates.periods import UNSURE_NOTE
from service.questions.tokens import DASHES, Token

DAY_END = time(23, 59, 59)
# When the parts of a day end.
PART_ENDS = {"morning": time(12), "afternoon": time(18), "evening": DAY_END, "night": DAY_END}
# Kinds that make a time a limit.
FIRM = ("by", "before", "until", "lasting")
# Kinds that belong to a time which they precede.
LEADS = {*FIRM, "on", "to", "athour", "the", "localtime"}
# Kinds of dates that a zone may follow: "by Friday ET".
DATE_KINDS = {"weekday", "month", "nth", "number", "rel", "iso", "date", "slash", "holiday", "shortyear"}
TODAY = Token("rel", "today", 0.0)
# Abbreviations that stand for several zones.
HOMONYMS = {"cst", "ist", "bst", "ast", "sst", "amt", "cdt"}
# Kinds between a time and its zone: "9:00 in Tokyo", "17h heure de Paris", "9am (ET)".
BETWEEN = {"the", "localtime", "in"}
FARTHEST_OFFSET = timedelta(hours=14)


@dataclass(frozen=True)
class Clock:
    """A time of day in a zone.

    `preposition` is the kind of the word at it, if that makes it a limit. `is_day_end` marks "end of day", which is not
    moved to the next day. `is_next_morning` marks "until the morning". `notes` say what is uncertain.
    """

    at: time
    zone: tzinfo = UTC
    preposition: str = ""
    is_day_end: bool = False
    is_next_morning: bool = False
    notes: tuple[str, ...] = ()


@dataclass
class _Findings:
    """What the tokens say about the time: hours, parts of the day, its end, a zone, prepositions; and other tokens."""

    rest: list[Token] = field(default_factory=list)
    hours: list[Hour] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    zones: list[Zone] = field(default_factory=list)
    prepositions: list[str] = field(default_factory=list)
    postposition: str = ""

    def drop_leads(self) -> None:
        """Remove the prepositions before a time from the other tokens."""
        while self.rest and _is_lead(self.rest[-1]):
            self.prepositions.append(self.rest.pop().kind)


def _is_lead(token: Token) -> bool:
    return token.kind in LEADS or token.text in (*DASHES, ",") or token.value == "at"


def without_clocks(tokens: Sequence[Token]) -> tuple[list[Token], Clock | None]:
    """The tokens without times of day, and the time they name.

    Of two times the later counts: "5:20PM-5:25PM ET". An hour counts more than a part of the day: "Sunday night 8pm".
    """
    findings = _Findings()
    place = 0
    while place < len(tokens):
        place = _read(findings, tokens, place)
    if not (findings.hours or findings.parts or findings.ends):
        return findings.rest, None
    has_several = len(findings.hours) + len(findings.ends) > 1 or len(findings.parts) > 1
    if has_several and any(token.kind == "than" for token in findings.rest):
        raise invalid(
            "Two times of a day are not compared. Ask whether the price will be higher at one of them.", "deadline"
        )
    rest, other_zone = (findings.rest, None) if findings.zones else without_zone(findings.rest)
    return rest, _clock(findings, findings.zones[-1] if findings.zones else other_zone)


def _read(findings: _Findings, tokens: Sequence[Token], place: int) -> int:
    """Read one time of day or one other token at `place`; the place of the next one."""
    token, hour = tokens[place], hour_at(tokens, place)
    if hour:
        findings.drop_leads()
        findings.hours.append(hour)
        return _with_zone(findings, tokens, hour.after)
    if token.kind == "daypart":
        findings.drop_leads()
        findings.parts.append(str(token.value))
        findings.postposition = tokens[place + 1].kind if place + 1 < len(tokens) else ""
        if findings.rest and findings.rest[-1].kind in ("in", "during"):
            findings.rest.pop()
        elif findings.rest and findings.rest[-1].kind == "this":
            findings.rest[-1] = TODAY
        return _with_zone(findings, tokens, place + 1)
    if token.kind == "eo" and token.value in ("day", "midnight"):
        findings.drop_leads()
        findings.ends.append(str(token.value))
        return _with_zone(findings, tokens, place + 1)
    if token.kind == "zone" and findings.rest and findings.rest[-1].kind in DATE_KINDS:
        findings.ends.append("day")
        return _with_zone(findings, tokens, place)
    findings.rest.append(token)
    return place + 1


def _with_zone(findings: _Findings, tokens: Sequence[Token], after: int) -> int:
    """Read the zone after a time, or directly before it; the place of the next token."""
    zone = zone_after(tokens, after)
    if zone:
        findings.zones.append(zone)
        return zone.after
    if findings.rest and findings.rest[-1].kind == "zone":
        findings.zones.append(zone_at(findings.rest[-1:], 0))
        findings.rest.pop()
        findings.drop_leads()
    return after


def _clock(findings: _Findings, zone: Zone | None) -> Clock:
    preposition = next((kind for kind in FIRM if kind in findings.prepositions), "")
    tz, notes = (zone.zone, (zone.note,) if zone.note else ()) if zone else (UTC, ())
    if findings.hours:
        at = findings.hours[-1].time(findings.parts[-1] if findings.parts else "")
        return Clock(at, tz, preposition, notes=notes if zone else (UNSURE_NOTE,))
    if findings.ends:
        unsure = (UNSURE_NOTE,) if "midnight" in findings.ends else ()
        return Clock(DAY_END, tz, preposition, is_day_end=True, notes=(*notes, *unsure))
    part = findings.parts[-1]
    is_next = part == "morning" and (bool(preposition) or findings.postposition in FIRM)
    return Clock(PART_ENDS[part], tz, preposition, is_next_morning=is_next, notes=(*notes, UNSURE_NOTE))


class Zone(NamedTuple):
    """A zone, what is uncertain about it, and the place of the first token after it."""

    zone: tzinfo
    note: str
    after: int


def zone_after(tokens: Sequence[Token], place: int) -> Zone | None:
    """The zone that follows a time, whose first token after it is at `place`.

    Raises InvalidQuestion for a zone that is not known: "9am Atlantis time".
    """
    end = place
    while end < len(tokens) and (tokens[end].kind in BETWEEN or tokens[end].text == "(" or _is_hours(tokens, end)):
        end += 1
    if end < len(tokens) and tokens[end].kind == "zone":
        return zone_at(tokens, end)
    kinds = [token.kind for token in tokens[place : place + 3]]
    if kinds[:2] == ["word", "localtime"] or kinds == ["word", "word", "localtime"]:
        raise invalid(
            "The time zone is not known. Give the time in UTC, or name a large city such as London or Tokyo.",
            "deadline",
        )
    return None


def zone_at(tokens: Sequence[Token], place: int) -> Zone:
    """The zone whose name is at `place`, with its offset and the word "time"."""
    name, text = str(tokens[place].value or "UTC"), tokens[place].text
    zone, after = ZoneInfo(name) if tokens[place].value else _shifted(text), place + 1
    while after < len(tokens) and (tokens[after].kind == "localtime" or _is_hours(tokens, after)):
        after += 1
    city = name.rpartition("/")[2].replace("_", " ")
    return Zone(zone, f"{text.upper()} is understood as the time of {city}." if text in HOMONYMS else "", after)


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
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > FARTHEST_OFFSET:
        raise invalid("Time zones are at most 14 hours ahead of UTC or behind it.", "deadline")
    return timezone(offset if "+" in text else -offset)


def _is_hours(tokens: Sequence[Token], place: int) -> bool:
    """Whether the word for hours means the time of a place here: "heure de Paris", not "3 hours"."""
    return tokens[place].kind == "unit" and tokens[place].value == "hour" and len(tokens[place].text) > 1
