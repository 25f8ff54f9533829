"""The dates of holidays in any year."""

from __future__ import annotations

from datetime import date, timedelta

from dateutil.easter import EASTER_ORTHODOX, easter
from lunardate import LunarDate

# Month and day; "new year" is the night that ends the year.
FIXED = {
    "christmas": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "orthodox christmas": (1, 7),
    "new year": (12, 31),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "old new year": (1, 14),
    "epiphany": (1, 6),
    "valentine": (2, 14),
    "women's day": (3, 8),
    "saint patrick": (3, 17),
    "april fools": (4, 1),
    "may day": (5, 1),
    "victory day": (5, 9),
    "independence day": (7, 4),
    "bastille day": (7, 14),
    "assumption": (8, 15),
    "national day": (10, 1),
    "german unity": (10, 3),
    "turkish republic": (10, 29),
    "halloween": (10, 31),
    "all saints": (11, 1),
    "singles' day": (11, 11),
    "saint nicholas": (12, 6),
    "immaculate conception": (12, 8),
    "veterans day": (11, 11),
    "juneteenth": (6, 19),
}
# The first Sunday of Advent is this long before December 24, or the Sunday before it.
ADVENT = timedelta(weeks=3)
# Days after Easter Sunday.
EASTER = {"carnival": -47, "good friday": -2, "easter": 0, "easter monday": 1, "ascension": 39, "pentecost": 49}
# Month, weekday (Monday is 0) and which of the month, -1 for the last; and the days after it.
WEEKDAYS = {
    "memorial day": (5, 0, -1, 0),
    "labor day": (9, 0, 1, 0),
    "thanksgiving": (11, 3, 4, 0),
    "black friday": (11, 3, 4, 1),
    "super bowl": (2, 6, 2, 0),
    "mother's day": (5, 6, 2, 0),
    "father's day": (6, 6, 3, 0),
    "presidents' day": (2, 0, 3, 0),
    "king's day": (1, 0, 3, 0),
    "columbus day": (10, 0, 2, 0),
    "cyber monday": (11, 3, 4, 4),
}
# Month and day of the Chinese calendar, which is computed up to this year.
LAST_LUNAR_YEAR = 2099
LUNAR = {"chinese new year": (1, 1), "dragon boat": (5, 5), "mid-autumn": (8, 15)}
# Holidays that others celebrate on another day.
UNSURE = {"orthodox christmas", "orthodox easter"}


def holiday(name: str, year: int) -> date:
    """The date of a holiday in `year`."""
    if name in FIXED:
        return date(year, *FIXED[name])
    if name in EASTER:
        return easter(year) + timedelta(days=EASTER[name])
    if name == "advent":
        eve = date(year, *FIXED["christmas eve"])
        return eve - timedelta(days=(eve.weekday() + 1) % 7) - ADVENT
    if name == "orthodox easter":
        return easter(year, EASTER_ORTHODOX)
    if name in LUNAR:
        lunar = LunarDate(min(year, LAST_LUNAR_YEAR), *LUNAR[name])
        return lunar.to_solar_date()  # pyright: ignore[reportAttributeAccessIssue]  # the bundled stub is of version 0.2
    month, weekday, which, later = WEEKDAYS[name]
    return nth_weekday(date(year, month, 1), weekday, which) + timedelta(days=later)


def nth_weekday(first: date, weekday: int, which: int) -> date:
    """That weekday of the month of `first`, its first day; -1 is the last one."""
    if which > 0:
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (which - 1))
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % 7)


NAMES: tuple[str, ...] = (*FIXED, *EASTER, *WEEKDAYS, *LUNAR, "orthodox easter", "advent")
