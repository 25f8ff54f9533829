"""The deadline of a question: which of its dates counts, and whether it can be answered by then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from service.forecasting.questions.dates.matching import Span, spans
from service.forecasting.questions.dates.named import Today, no_such_date, number
from service.forecasting.questions.dates.roles import with_minutes
from service.forecasting.questions.refusals import invalid
from service.forecasting.questions.tokens import Token

SOONEST = timedelta(minutes=5)
FARTHEST = timedelta(days=2 * 366)
DEFAULT = timedelta(days=7)

# How strongly the word before a date makes it the deadline; a date after "since" or "than" is none.
STRENGTH = {
    "by": 3, "before": 3, "until": 3, "lasting": 3, "to": 3,
    "on": 2, "in": 2, "within": 2, "during": 2, "this": 2, "next": 2, "later": 2, "above": 2, "below": 2, "between": 2,
    "from": 0, "because": 0, "than": 0,
}  # fmt: skip
SKIPPED = {"the", "approx"}
POSTPOSITIONS = {"by", "before", "until", "in", "within", "during", "to", "later"}
POSTPOSED = {"Chinese", "Japanese", "Turkish"}
MONTH_FIRST = {"English", "Chinese", "Japanese"}
RANGE = {"to", "until", "lasting", "and", "between"}


@dataclass(frozen=True)
class Deadline:
    """When the question is decided; `rest` are the tokens that name no date, `preposition` the word before it."""

    at: datetime
    rest: list[Token]
    is_named: bool = True
    preposition: str = ""


@dataclass(frozen=True)
class Candidate:
    """A date with the tokens before it that belong to it (`first` is moved back to cover them)."""

    first: int
    after: int
    span: Span
    preposition: str
    strength: int
    is_exclusive: bool = False


@dataclass(frozen=True)
class Clock:
    """A time of day with its zone, and the tokens that say so."""

    first: int
    after: int
    at: time
    zone: str


def find_deadline(tokens: Sequence[Token], now: datetime, language: str, *, strict: bool = True) -> Deadline:
    """The deadline that the tokens name, or seven days from now.

    A day means its last second, 23:59:59 UTC; a week, month, quarter or year means its last day, and "before"
    one of these the day before it begins. Dates without a year are the next to come. Times without a zone are
    UTC. A deadline in the past, less than five minutes or more than two years ahead is refused; when not
    `strict`, dates in the past are passed over.
    """
    tokens = with_minutes(tokens)
    tokens, clock = _without_clocks(tokens)
    today = Today(now, day_first=language not in MONTH_FIRST)
    found = _candidates(tokens, spans(tokens, today), language in POSTPOSED)
    rest = _without(tokens, found)
    chosen = _chosen(found, now, strict)
    if chosen is None and clock is None:
        return Deadline(now + DEFAULT, rest, is_named=False)
    at = _instant(chosen, clock, now)
    _refuse_unanswerable(at, now)
    return Deadline(at, rest, preposition=chosen.preposition if chosen else "on")


def _candidates(tokens: Sequence[Token], found: Sequence[Span], postposed: bool) -> list[Candidate]:
    result: list[Candidate] = []
    for span in found:
        candidate = _with_postposition(tokens, span) if postposed else _with_preposition(tokens, span)
        if result and _is_range(tokens, result[-1], candidate):
            earlier = result.pop()
            candidate = Candidate(earlier.first, span.after, span, "until", 3)
        result.append(candidate)
    return result


def _with_preposition(tokens: Sequence[Token], span: Span) -> Candidate:
    first, place = span.first, span.first - 1
    while place >= 0 and tokens[place].kind in SKIPPED:
        place -= 1
    word = tokens[place].kind if place >= 0 else ""
    if word not in STRENGTH or (word in ("above", "below", "between") and not _may_follow_level(span)):
        own = tokens[span.first].kind
        return Candidate(first, span.after, span, own, STRENGTH.get(own, 1))
    own = STRENGTH.get(tokens[span.first].kind, 1)
    strength = STRENGTH[word] and max(STRENGTH[word], own)
    return Candidate(place, span.after, span, word, strength, _is_exclusive(tokens[place]))


def _with_postposition(tokens: Sequence[Token], span: Span) -> Candidate:
    """The same where such words stand behind: "12月31日前", "yıl sonuna kadar"."""
    after, word = span.after, tokens[span.first]
    while after < len(tokens) and tokens[after].kind in POSTPOSITIONS | SKIPPED:
        word = tokens[after] if tokens[after].kind in STRENGTH else word
        after += 1
    return Candidate(span.first, after, span, word.kind, STRENGTH.get(word.kind, 1), _is_exclusive(word))


def _is_exclusive(word: Token) -> bool:
    """Whether a period after this word is over when it begins: "before 2027", "until December"."""
    return word.kind in ("before", "lasting") or word.value == "start"


def _may_follow_level(span: Span) -> bool:
    """Whether "over", "under" or "between" before this date speaks of time: "over the next three days"."""
    return span.period.exact or span.period.end - span.period.begin > timedelta(days=1)


def _is_range(tokens: Sequence[Token], earlier: Candidate, later: Candidate) -> bool:
    """Whether the two are one stretch: "from Monday to Friday", "between May 1 and May 9"."""
    gap = tokens[earlier.after : later.span.first]
    said = [token for token in gap if token.kind != "the"]
    if len(said) != 1:
        return False
    return said[0].kind in RANGE or said[0].text in "-–—"


def _without(tokens: Sequence[Token], found: Sequence[Candidate]) -> list[Token]:
    covered = {place for one in found for place in range(one.first, one.after)}
    return [token for place, token in enumerate(tokens) if place not in covered]


def _chosen(found: Sequence[Candidate], now: datetime, strict: bool) -> Candidate | None:
    """The date that most strongly is the deadline, the earlier-named of equals; a past one only if all are."""
    named = [one for one in found if one.strength > 0]
    ahead = [one for one in named if _end(one, now) > now and not one.span.is_past]
    if strict and named and not ahead:
        raise invalid(f"That deadline is past: it is {now:%Y-%m-%d %H:%M} UTC now. Name a later date.")
    return max(ahead, key=lambda one: one.strength, default=None)


def _end(candidate: Candidate, now: datetime) -> datetime:
    """The last second of the period, or the one before it begins when the text says "before" a longer one."""
    period = candidate.span.period
    if candidate.is_exclusive and period.begin > now and period.end - period.begin > timedelta(days=1):
        return period.begin - timedelta(seconds=1)
    return period.end


def _instant(chosen: Candidate | None, clock: Clock | None, now: datetime) -> datetime:
    if clock is None:
        return _end(chosen, now).replace(microsecond=0)
    zone = ZoneInfo(clock.zone)
    day = _end(chosen, now).date() if chosen else now.astimezone(zone).date()
    at = datetime.combine(day, clock.at, zone).astimezone(UTC)
    return (
        at
        if chosen or at > now + SOONEST
        else datetime.combine(day + timedelta(days=1), clock.at, zone).astimezone(UTC)
    )


def _refuse_unanswerable(at: datetime, now: datetime) -> None:
    if at <= now:
        raise invalid(f"That deadline is past: it is {now:%Y-%m-%d %H:%M} UTC now. Name a later date.")
    if at < now + SOONEST:
        raise invalid("That deadline is less than five minutes away. Name a later one.")
    if at > now + FARTHEST:
        raise invalid(f"That deadline is more than two years away. Name one until {now + FARTHEST:%Y-%m-%d}.")


def _without_clocks(tokens: Sequence[Token]) -> tuple[list[Token], Clock | None]:
    """The tokens without times of day, and the last of these: of "5:20PM-5:25PM ET" the later counts."""
    rest, last, place = [], None, 0
    while place < len(tokens):
        clock = _clock_at(tokens, place)
        if clock is None:
            rest.append(tokens[place])
            place += 1
            continue
        last = clock
        place = clock.after
        while rest and (rest[-1].kind in ("on", "until", "to", "by") or rest[-1].text in "-–—,"):
            rest.pop()
    return rest, last


def _clock_at(tokens: Sequence[Token], place: int) -> Clock | None:
    token, after = tokens[place], place + 1
    half = tokens[after] if after < len(tokens) and tokens[after].kind == "ampm" else None
    after += half is not None
    if token.kind == "clock":
        hour, minute = _hour_and_minute(token)
    elif half and token.kind == "number" and re.fullmatch(r"\d{1,2}", token.text):
        hour, minute = number(token), 0
    else:
        return None
    zone = tokens[after] if after < len(tokens) and tokens[after].kind == "zone" else None
    if half and half.value in ("am", "pm"):
        hour = hour % 12 + (12 if half.value == "pm" else 0)
    if hour > 23 or minute > 59:
        raise no_such_date()
    return Clock(place, after + (zone is not None), time(hour, minute), str(zone.value) if zone else "UTC")


def _hour_and_minute(token: Token) -> tuple[int, int]:
    if token.value is not None:
        return int(float(token.value)), 0
    hour, minute = token.text.split(":")[:2]
    return int(hour), int(minute)
