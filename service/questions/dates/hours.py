"""Hours as people write them: 17:00, 5pm, 17h30, 18 Uhr, 下午3点, 8 in the evening."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import time

from service.questions.dates.reading import no_such_date, time_of_day
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL

NUMBERS = ("number", "numword")
HALVES = (0, 30)
# Kinds before "17h" or "9 UTC", which make it a time of day: "on Friday 17h"; "in 17h" is a length of time.
HOUR_BEFORE = {
    *("on", "to", "until", "lasting", "before", "athour"),
    *("daypart", "clock", "weekday", "month", "nth", "rel", "iso", "date"),
}
# Kinds before "8 in the evening" and "9 ET".
AT = {"on", "by", "until", "lasting", "before", "athour"}
LATE_PARTS = {"pm", "afternoon", "evening"}
EARLY_PARTS = {"am", "morning"}
# Kinds after a number that is not an hour: "alle 5 dollari".
NOT_AFTER_HOUR = {"percent", "money", "times", "cent", "foreign", "figures", "asset", "m"}
LOCATIVES = forms("locative")
# Hours from this one on that are said to be at night are before midnight.
NIGHTFALL = 6


@dataclass(frozen=True)
class Hour:
    """A time as it is written: `half` is am, pm or the part of the day; `after` is the place of the token after it."""

    hour: int
    minute: int
    after: int
    half: str = ""
    second: int | None = None

    def time(self, part: str) -> time:
        """The time of day; `part` is the part of the day that is named elsewhere, as in "Sunday night at 8"."""
        half = self.half or part
        if self.hour == 24 or (half in ("night", "evening") and self.hour in (0, 12)):
            return time(23, 59, 59)
        if half in LATE_PARTS or (half == "night" and self.hour >= NIGHTFALL):
            return time_of_day(self.hour if self.hour > 12 else self.hour % 12 + 12, self.minute, self.second)
        hour = self.hour % 12 if half in EARLY_PARTS and self.hour == 12 else self.hour
        return time_of_day(hour, self.minute, self.second)


def hour_at(tokens: Sequence[Token], place: int) -> Hour | None:
    """The hour that is written at `place`; InvalidQuestion if there is no such time."""
    token = tokens[place]
    if token.kind == "clock":
        return _clock(tokens, place)
    if token.kind == "hourpart":
        return _with_part(tokens, place)
    if token.kind not in NUMBERS:
        return None
    if token.value is None and re.fullmatch(r"\d{4}", token.text):
        return _military(tokens, place)
    if token.value is None and not re.fullmatch(r"\d{1,2}(?:\.\d\d)?", token.text):
        return None
    if token.value is None:
        hours, _, minutes = token.text.partition(".")
        hour, minute = int(hours), int(minutes or 0)
    else:
        hour, minute = divmod(round(60 * token.quantity), 60)
    if hour > 24 or minute not in (range(60) if token.value is None else HALVES):
        return None
    return _numbered(tokens, place, hour, minute)


def _with_part(tokens: Sequence[Token], place: int) -> Hour | None:
    """Example: "Half past nine", "halb zehn"."""
    if _kind(tokens, place + 1) not in NUMBERS or not 1 <= first_value(tokens[place + 1]) <= 24:
        return None
    minutes = round(60 * (first_value(tokens[place + 1]) + tokens[place].quantity))
    return _with_half(tokens, Hour(minutes // 60, minutes % 60, place + 2))


def _clock(tokens: Sequence[Token], place: int) -> Hour:
    """17:00, noon."""
    token = tokens[place]
    if token.value is not None:
        return Hour(int(token.quantity), 0, place + 1, half="noon")
    hour, minute, *seconds = map(int, token.text.split(":"))
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        raise no_such_date()
    return _with_half(tokens, Hour(hour, minute, place + 1, second=seconds[0] if seconds else None))


def _military(tokens: Sequence[Token], place: int) -> Hour | None:
    """Example: "At 1600 UTC"."""
    hour, minute = int(tokens[place].text[:2]), int(tokens[place].text[2:])
    follows = place > 0 and tokens[place - 1].kind in ("on", "athour", "weekday", "rel")
    is_certain = _kind(tokens, place + 1) == "zone" or tokens[place].text.startswith("0")
    if not follows or not is_certain or hour > 23 or minute > 59:
        return None
    return Hour(hour, minute, place + 1)


def _numbered(tokens: Sequence[Token], place: int, hour: int, minute: int) -> Hour | None:
    before, after = tokens[place - 1] if place else Token("", ""), _kind(tokens, place + 1)
    if after == "ampm":
        return _with_minutes(tokens, _with_half(tokens, Hour(hour, minute, place + 1)))
    if after == "unit" and tokens[place + 1].text == "h":
        return _with_h(tokens, place, hour)
    is_free = after not in NOT_AFTER_HOUR or (after == "asset" and _follows_day(tokens, place))
    if (before.kind == "athour" and is_free) or _follows_hour(tokens, place):
        return _with_half(tokens, Hour(hour, minute, place + 1 + _is_hour(tokens, place + 1)))
    if (before.kind in HOUR_BEFORE or before.kind == "unit") and _is_locative(tokens, place + 1):
        return Hour(hour, minute, place + 2 + (tokens[place + 1].text == "'"))
    end = place + 1 + (after == "mark")
    is_limit = [token.kind for token in tokens[end : end + 2]] == ["filler", "until"]  # "gece 12'ye kadar 50 bini"
    if before.kind == "daypart" and is_limit and any(token.kind == "number" for token in tokens[end:]):
        return Hour(hour, minute, end + 2)
    is_to = before.kind == "to" and _kind(tokens, place - 2) not in NUMBERS
    if (before.value == "at" or is_to) and _is_hour(tokens, place + 1):
        return _with_half(tokens, Hour(hour, minute, place + 2))
    is_at = before.kind in AT or before.value == "at"
    is_beside_day = _precedes_day(tokens, place + 1) or (_follows_day(tokens, place) and is_free)
    if is_at and hour and is_beside_day and _is_no_level(tokens, place):
        part = str(tokens[place + 2].value) if _kind(tokens, place + 2) == "daypart" else ""
        return Hour(hour, minute, place + 1, part)
    if after == "zone" and (is_at or before.kind in ("weekday", "rel")):
        return Hour(hour, minute, place + 1)
    result = _with_half(tokens, Hour(hour, minute, place + 1))
    return result if result.half and is_at and hour <= 12 else None


def _with_h(tokens: Sequence[Token], place: int, hour: int) -> Hour | None:
    """17h, 17h30; not "in 17h", "in 2h30m"."""
    before, behind = tokens[place - 1] if place else Token("", ""), place + 2
    has_minutes = behind < len(tokens) and tokens[behind].is_glued and re.fullmatch(r"[0-5]\d", tokens[behind].text)
    if before.kind in ("in", "within", "during", "next") and before.value != "at":
        return None
    is_local = any(token.kind == "zone" for token in tokens[behind + 2 : behind + 4])  # "17h30 heure de Paris"
    is_time = _kind(tokens, behind + 1) not in ("m", "unit") or is_local
    if has_minutes and is_time:
        return _with_half(tokens, Hour(hour, int(tokens[behind].text), behind + 1))
    is_dated = before.kind == "by" and (
        (place > 1 and tokens[place - 2].kind in HOUR_BEFORE) or _precedes_day(tokens, behind)
    )
    if is_dated or before.kind in HOUR_BEFORE or before.value == "at" or _kind(tokens, behind) == "zone":
        return _with_half(tokens, Hour(hour, 0, behind))
    return None


def _with_half(tokens: Sequence[Token], hour: Hour) -> Hour:
    """The hour with the am, pm or part of the day after it: "8 in the evening", "8 de la noche"."""
    place, half = hour.after, hour.half
    if _kind(tokens, place) == "and" and _kind(tokens, place + 1) == "numword" and tokens[place + 1].value == 1 / 2:
        place += 2  # "alle 9 e mezza"
        hour = replace(hour, minute=30, after=place)
    if _kind(tokens, place) == "ampm":
        half = "" if tokens[place].value == "oclock" else str(tokens[place].value)
        place += 1
        hour = replace(hour, after=place, half=half)
    while _kind(tokens, place) in ("in", "the"):
        place += 1
    if not half and _kind(tokens, place) == "daypart":
        return Hour(hour.hour, hour.minute, place + 1, str(tokens[place].value))
    return hour


def _precedes_day(tokens: Sequence[Token], place: int) -> bool:
    """Example: "At 8 tomorrow", "at nine on Monday"."""
    return _kind(tokens, place + (_kind(tokens, place) == "on")) in ("rel", "weekday")


def _is_no_level(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number after "at" is no price: "at 9 in the evening", "higher tomorrow at 9"; "tonight at 9" may be."""
    others = {token.kind for token in (*tokens[:place], *tokens[place + 1 :])}
    is_moved = bool(others & {*BULL, *BEAR}) and tokens[place - 1].kind != "by"  # "rises tomorrow by 9"
    is_tonight = (lead := tokens[max(0, place - 3)]).kind == "rel" and lead.value == 0
    is_in_part = place > 1 and tokens[place - 2].kind == "daypart" and not is_tonight
    return is_moved or is_in_part or not others.isdisjoint(NUMBERS)


def _follows_day(tokens: Sequence[Token], place: int) -> bool:
    """Example: "Tomorrow at 8", "tonight at eleven"."""
    return place > 1 and tokens[place - 2].kind in ("rel", "weekday", "daypart")


def _with_minutes(tokens: Sequence[Token], hour: Hour) -> Hour:
    """The minutes after the word: "18 Uhr 30", "9点30分", "3点半"."""
    place = hour.after
    if place >= len(tokens) or hour.half in ("am", "pm"):
        return hour
    if tokens[place].text == "半":
        return Hour(hour.hour, 30, place + 1, hour.half)
    if not re.fullmatch(r"[0-5]\d", tokens[place].text) or tokens[place].kind != "number":
        return hour
    is_minutes = _kind(tokens, place + 1) == "unit" and tokens[place + 1].value == "minute"
    return Hour(hour.hour, int(tokens[place].text), place + 1 + is_minutes, hour.half)


def _is_hour(tokens: Sequence[Token], place: int) -> bool:
    return 0 <= place < len(tokens) and tokens[place].kind == "unit" and tokens[place].value == "hour"


def _follows_hour(tokens: Sequence[Token], place: int) -> bool:
    """Whether the word for hours precedes the number and counts nothing: "saat 17", "ore 17"."""
    is_counted = place > 1 and tokens[place - 2].kind in ("number", "a", "next", "last")
    is_word = _is_hour(tokens, place - 1) and tokens[place - 1].text != "h"
    return is_word and not is_counted and _kind(tokens, place + 1) not in ("unit", "times", "money")


def _is_locative(tokens: Sequence[Token], place: int) -> bool:
    """Whether the Turkish for "at" follows: "akşam 8'de", "öğlen 12de"."""
    suffixes = [token.text for token in tokens[place : place + 2] if token.is_glued and token.text != "'"]
    return bool(suffixes) and tokens[place].is_glued and suffixes[0] in LOCATIVES


def _kind(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].kind if place < len(tokens) else ""
