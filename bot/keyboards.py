"""The buttons under a message. What a button carries is `verb:noun:token`, at most 64 bytes; PATTERNS says which."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

VENUES = ("cex", "dex")
STATES = ("off", "on", "silent")
EVENTS = {
    "my_challenge": "My challenge",
    "flip": "Consensus",
    "lane": "Lanes",
    "hospital": "Hospital",
    "digest": "Digest",
}
ZONES = (
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Istanbul",
    "Africa/Lagos",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Singapore",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Sydney",
    "America/Sao_Paulo",
    "America/New_York",
    "America/Chicago",
    "America/Los_Angeles",
)
VIEWS = (
    "lanes|lane|top|strategy|hospital|markets|challenges|challenge|accuracy|news|streaks|fund|brain|quota|"
    "alerts|hours|zones"
)
CHARTS = "lanes|lane|strategy|accuracy|fund"
# The groups of each are what its handler is told.
PATTERNS = {
    "show": rf"show:({VIEWS}):([a-z0-9_]*)\.(\d+)",
    "chart": rf"chart:({CHARTS}):([a-z0-9_]*)",
    "votes": r"votes:(\d+):([\w-]+)",
    "answer": r"answer:question:([\w-]+)",
    "again": r"again:question:([\w-]+)",
    "market": r"(yes|no):market:([\w-]+)\.(\d)",
    "challenge": r"(yes|no):challenge:(\d+)",
    "create": r"create:draft:(\d+)",
    "discard": r"discard:draft:(\d+)",
    "alert": r"(on|silent|off):alert:([a-z_]+)",
    "hour": r"hour:digest:(\d|1\d|2[0-3])",
    "zone": r"zone:digest:(\d|1[0-4])",
    "forget": r"(delete|keep):me:all",
}

# The assets that have a leaderboard of their own.
RANKED = ("btc", "eth", "sol", "bnb", "gold", "silver")


class Page(NamedTuple):
    """A message as it is shown: HTML, and what can be pressed under it."""

    text: str
    keyboard: InlineKeyboardMarkup | None = None


def lanes(venue: str | None) -> InlineKeyboardMarkup:
    """All lanes or those of a venue; whatever else was typed, Reload shows all."""
    chosen = venue if venue in VENUES else ""
    choices = [_choice(one.upper() or "All", "lanes", one, chosen) for one in ("", *VENUES)]
    return _rows(choices, [_show("Reload", "lanes", chosen), _button("Chart", f"chart:lanes:{chosen}")])


def lane(name: str | None, names: Sequence[str]) -> InlineKeyboardMarkup:
    """The lanes to choose from; where one is shown, its Reload and its chart."""
    choices = [_choice(one, "lane", one, name) for one in names]
    under = [_show("Reload", "lane", name), _button("Chart", f"chart:lane:{name}")] if name else []
    return _rows(*_grid(choices, 3), under)


def top(asset: str | None) -> InlineKeyboardMarkup:
    choices = [_choice(one or "All", "top", one, asset or "") for one in ("", *RANKED)]
    return _rows(*_grid(choices, 4), [_show("Reload", "top", asset or "")])


def hospital(category: str, categories: Sequence[str], place: int, pages: int) -> InlineKeyboardMarkup:
    choices = [_choice(one.capitalize() or "All", "hospital", one, category) for one in ("", *categories)]
    return _rows(*_grid(choices, 3), _turning("hospital", category, place, pages))


def markets(token: str, first: int, count: int, place: int, pages: int) -> InlineKeyboardMarkup:
    """Yes and No for each of the `count` markets of a page, the first of which is number `first`."""
    rows = [_yes_no(f"market:{token}.{number}", f"{first + number}. ") for number in range(count)]
    return _rows(*rows, _turning("markets", "", place, pages))


def challenges(numbers: Sequence[int], place: int, pages: int) -> InlineKeyboardMarkup:
    """A button that opens each."""
    opening = [_show(str(number), "challenge", str(number)) for number in numbers]
    return _rows(opening, _turning("challenges", "", place, pages))


def challenge(number: int, *, is_open: bool = True) -> InlineKeyboardMarkup:
    voting = _yes_no(f"challenge:{number}") if is_open else []
    return _rows(voting, [_show("Reload", "challenge", str(number)), _show("All challenges", "challenges")])


def charted(view: str, argument: str = "") -> InlineKeyboardMarkup:
    """A view that can be drawn."""
    return _rows([_show("Reload", view, argument), _button("Chart", f"chart:{view}:{argument}")])


def reload(view: str) -> InlineKeyboardMarkup:
    return _rows([_show("Reload", view)])


def answer(token: str) -> InlineKeyboardMarkup:
    return _rows([_button("Show votes", f"votes:0:{token}"), _button("Ask again", f"again:question:{token}")])


def votes(token: str, place: int, pages: int) -> InlineKeyboardMarkup:
    """The votes behind an answer, and back to it."""
    turning = [
        *([_button("◀", f"votes:{place - 1}:{token}")] if place > 0 else []),
        _button("Answer", f"answer:question:{token}"),
        *([_button("▶", f"votes:{place + 1}:{token}")] if place < pages - 1 else []),
    ]
    return _rows(turning)


def draft(number: int) -> InlineKeyboardMarkup:
    return _rows([_button("Create", f"create:draft:{number}"), _button("Cancel", f"discard:draft:{number}")])


def alerts(switches: Mapping[str, str]) -> InlineKeyboardMarkup:
    """A switch for each event, and below them when the digest comes."""
    switched = [_switch(event, switches[event]) for event in EVENTS]
    return _rows(*_grid(switched, 2), [_show("Digest hour", "hours"), _show("Time zone", "zones")])


def hours() -> InlineKeyboardMarkup:
    choices = [_button(f"{hour:02d}", f"hour:digest:{hour}") for hour in range(24)]
    return _rows(*_grid(choices, 6), [_show("Back", "alerts")])


def zones() -> InlineKeyboardMarkup:
    choices = [_button(zone, f"zone:digest:{place}") for place, zone in enumerate(ZONES)]
    return _rows(*_grid(choices, 2), [_show("Back", "alerts")])


def forget() -> InlineKeyboardMarkup:
    return _rows([_button("Delete", "delete:me:all"), _button("Keep", "keep:me:all")])


def link(address: str) -> InlineKeyboardMarkup:
    """The way to the private chat."""
    return _rows([InlineKeyboardButton("Open our chat", url=address)])


def _button(label: str, data: str) -> InlineKeyboardButton:
    return InlineKeyboardButton(label, callback_data=data)


def _show(label: str, view: str, argument: str = "", page: int = 0) -> InlineKeyboardButton:
    return _button(label, f"show:{view}:{argument}.{page}")


def _choice(label: str, view: str, argument: str, chosen: str | None) -> InlineKeyboardButton:
    """One of several; the one that is shown is marked."""
    return _show(f"· {label} ·" if argument == chosen else label, view, argument)


def _turning(view: str, argument: str, place: int, pages: int) -> list[InlineKeyboardButton]:
    """To the page before, the same again, and the next."""
    return [
        *([_show("◀", view, argument, place - 1)] if place > 0 else []),
        _show("Reload", view, argument, place),
        *([_show("▶", view, argument, place + 1)] if place < pages - 1 else []),
    ]


def _yes_no(data: str, before: str = "") -> list[InlineKeyboardButton]:
    return [_button(f"{before}{word.capitalize()}", f"{word}:{data}") for word in ("yes", "no")]


def _switch(event: str, state: str) -> InlineKeyboardButton:
    """How an event is switched; pressing it switches on, then silent, then off."""
    following = STATES[(STATES.index(state) + 1) % len(STATES)]
    return _button(f"{EVENTS[event]}: {state}", f"{following}:alert:{event}")


def _grid(buttons: Sequence[InlineKeyboardButton], width: int) -> list[Sequence[InlineKeyboardButton]]:
    return [buttons[start : start + width] for start in range(0, len(buttons), width)]


def _rows(*rows: Collection[InlineKeyboardButton]) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([list(row) for row in rows if row])
