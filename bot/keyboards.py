"""The buttons below messages. The data of a button is `verb:noun:token`, at most 64 bytes; see PATTERNS."""

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
# The data of every button; a handler receives the captured groups of its pattern.
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

# The assets with a leaderboard of their own.
RANKED = ("btc", "eth", "sol", "bnb", "gold", "silver")


class Page(NamedTuple):
    """A message: its HTML and its buttons."""

    text: str
    keyboard: InlineKeyboardMarkup | None = None


def lanes(venue: str | None) -> InlineKeyboardMarkup:
    """Choose all lanes or a venue; for an unknown venue, Reload shows all lanes."""
    chosen = venue if venue in VENUES else ""
    choices = [_choice(key.upper() or "All", "lanes", key, chosen) for key in ("", *VENUES)]
    return _rows(choices, [_show("Reload", "lanes", chosen), _button("Chart", f"chart:lanes:{chosen}")])


def lane(name: str | None, names: Sequence[str]) -> InlineKeyboardMarkup:
    """Choose a lane; with Reload and Chart for the lane that is shown."""
    choices = [_choice(key, "lane", key, name) for key in names]
    below = [_show("Reload", "lane", name), _button("Chart", f"chart:lane:{name}")] if name else []
    return _rows(*_grid(choices, 3), below)


def top(asset: str | None) -> InlineKeyboardMarkup:
    choices = [_choice(key or "All", "top", key, asset or "") for key in ("", *RANKED)]
    return _rows(*_grid(choices, 4), [_show("Reload", "top", asset or "")])


def hospital(category: str, categories: Sequence[str], index: int, pages: int) -> InlineKeyboardMarkup:
    choices = [_choice(key.capitalize() or "All", "hospital", key, category) for key in ("", *categories)]
    return _rows(*_grid(choices, 3), _page_buttons("hospital", category, index, pages))


def markets(token: str, first: int, count: int, index: int, pages: int) -> InlineKeyboardMarkup:
    """Yes and No for each of the `count` markets of a page; they are numbered from `first` on."""
    rows = [_yes_no(f"market:{token}.{number}", f"{first + number}. ") for number in range(count)]
    return _rows(*rows, _page_buttons("markets", "", index, pages))


def challenges(numbers: Sequence[int], index: int, pages: int) -> InlineKeyboardMarkup:
    """One button for each challenge of the page; it opens the challenge."""
    opening = [_show(str(number), "challenge", str(number)) for number in numbers]
    return _rows(opening, _page_buttons("challenges", "", index, pages))


def challenge(number: int, *, is_open: bool = True) -> InlineKeyboardMarkup:
    voting = _yes_no(f"challenge:{number}") if is_open else []
    return _rows(voting, [_show("Reload", "challenge", str(number)), _show("All challenges", "challenges")])


def charted(view: str, argument: str = "") -> InlineKeyboardMarkup:
    """Reload and Chart for a view that has a chart."""
    return _rows([_show("Reload", view, argument), _button("Chart", f"chart:{view}:{argument}")])


def reload(view: str) -> InlineKeyboardMarkup:
    return _rows([_show("Reload", view)])


def answer(token: str) -> InlineKeyboardMarkup:
    return _rows([_button("Show votes", f"votes:0:{token}"), _button("Ask again", f"again:question:{token}")])


def votes(token: str, index: int, pages: int) -> InlineKeyboardMarkup:
    """The pages of the votes, and back to the answer."""
    buttons = [
        *([_button("◀", f"votes:{index - 1}:{token}")] if index > 0 else []),
        _button("Answer", f"answer:question:{token}"),
        *([_button("▶", f"votes:{index + 1}:{token}")] if index < pages - 1 else []),
    ]
    return _rows(buttons)


def draft(number: int) -> InlineKeyboardMarkup:
    return _rows([_button("Create", f"create:draft:{number}"), _button("Cancel", f"discard:draft:{number}")])


def alerts(switches: Mapping[str, str]) -> InlineKeyboardMarkup:
    """A switch for each event, then the hour and time zone of the digest."""
    buttons = [_switch(event, switches[event]) for event in EVENTS]
    return _rows(*_grid(buttons, 2), [_show("Digest hour", "hours"), _show("Time zone", "zones")])


def hours() -> InlineKeyboardMarkup:
    choices = [_button(f"{hour:02d}", f"hour:digest:{hour}") for hour in range(24)]
    return _rows(*_grid(choices, 6), [_show("Back", "alerts")])


def zones() -> InlineKeyboardMarkup:
    choices = [_button(zone, f"zone:digest:{index}") for index, zone in enumerate(ZONES)]
    return _rows(*_grid(choices, 2), [_show("Back", "alerts")])


def delete_or_keep() -> InlineKeyboardMarkup:
    return _rows([_button("Delete", "delete:me:all"), _button("Keep", "keep:me:all")])


def link(address: str) -> InlineKeyboardMarkup:
    """A link to the private chat."""
    return _rows([InlineKeyboardButton("Open our chat", url=address)])


def _button(label: str, data: str) -> InlineKeyboardButton:
    return InlineKeyboardButton(label, callback_data=data)


def _show(label: str, view: str, argument: str = "", page: int = 0) -> InlineKeyboardButton:
    return _button(label, f"show:{view}:{argument}.{page}")


def _choice(label: str, view: str, argument: str, chosen: str | None) -> InlineKeyboardButton:
    """A choice among several; the chosen one is marked with dots."""
    return _show(f"· {label} ·" if argument == chosen else label, view, argument)


def _page_buttons(view: str, argument: str, index: int, pages: int) -> list[InlineKeyboardButton]:
    """Previous page, reload, next page."""
    return [
        *([_show("◀", view, argument, index - 1)] if index > 0 else []),
        _show("Reload", view, argument, index),
        *([_show("▶", view, argument, index + 1)] if index < pages - 1 else []),
    ]


def _yes_no(data: str, prefix: str = "") -> list[InlineKeyboardButton]:
    return [_button(f"{prefix}{vote.capitalize()}", f"{vote}:{data}") for vote in ("yes", "no")]


def _switch(event: str, state: str) -> InlineKeyboardButton:
    """The state of an event's alerts; each press moves it on in the order of STATES."""
    following = STATES[(STATES.index(state) + 1) % len(STATES)]
    return _button(f"{EVENTS[event]}: {state}", f"{following}:alert:{event}")


def _grid(buttons: Sequence[InlineKeyboardButton], width: int) -> list[Sequence[InlineKeyboardButton]]:
    return [buttons[start : start + width] for start in range(0, len(buttons), width)]


def _rows(*rows: Collection[InlineKeyboardButton]) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([list(row) for row in rows if row])
