"""The buttons below messages. The data of a button is `verb:noun:token`, at most 64 bytes; see PATTERNS."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.languages import english, translate
from bot.messages import formats
from bot.periods import LENGTHS, PERIODS

DEADLINE_DAYS = (1, 7, 30, 90)  # from today on
VIEWS = (
    "research|lanes|top|hospital|accuracy|news|streaks|fund|brain|markets|challenges|challenge|quota|price|forecast|"
    "settings|language|alerts|hours|zones|market|following|quiet|me|forecasters"
)
# Every chart with the periods that can be chosen.
CHART_PERIODS: dict[str, tuple[str, ...]] = {
    "price": PERIODS,
    "forecast": tuple(LENGTHS),
    "answer": PERIODS,
    "market": PERIODS,
}
PERIOD_LABELS = {"24h": english("24 h"), "7d": english("7 d"), "30d": english("30 d"), "all": english("All")}
# The data of every button; a handler receives the captured groups of its pattern.
PATTERNS = {
    "show": rf"show:({VIEWS}):([\w.-]*)\.(\d+)",
    "chart": rf"chart:({'|'.join(CHART_PERIODS)}):([\w-]*)(?:\.({'|'.join(PERIODS)}))?",
    "votes": r"votes:(\d+):([\w-]+)",
    "answer": r"answer:question:([\w-]+)",
    "inline": r"answer:inline:([\w-]+)",
    "again": r"again:question:([\w-]+)",
    "listed": r"ask:listed:([\w-]+)\.(\d)",
    "market": r"(yes|no):market:([\w-]+)\.(\d)",
    "challenge": r"(yes|no):challenge:(\d+)",
    "deadline": r"deadline:draft:([\w-]+)\.(\d+)",
    "create": r"create:draft:([\w-]+)",
    "discard": r"discard:draft:([\w-]+)",
    "set": r"set:([a-z_]+):([\w/-]*)",
    "open": r"open:market:([\w-]+)\.(\d)",
    "follow": r"(follow|unfollow):(market|challenge|answer):([\w.-]+)",
    "level": r"level:(price|chance):([\w.-]+):(\d+(?:\.\d+)?)",
    "forecast": r"forecast:market:([\w.-]+):(\d\d?)",
    "drop": r"drop:follow:(\d+)",
    "terms": r"terms:follow:(\d+)\.(\d+)\.([01])",
    "mine": r"reopen:answer:([\w-]+)",
    "forget": r"(delete|keep):me:all",
}


class Page(NamedTuple):
    """A message: its HTML and its buttons, and for a photo its PNG, of which the HTML is the caption.

    `chart` is the kind and the argument of the chart that belongs below it.
    """

    text: str
    keyboard: InlineKeyboardMarkup | None = None
    chart: tuple[str, str] | None = None
    picture: bytes | None = None


class Popup(NamedTuple):
    """The answer to a press in plain text, which waits to be closed if it `is_alert`, and the page to show in place."""

    text: str
    page: Page | None = None
    is_alert: bool = True


def start() -> InlineKeyboardMarkup:
    """The first things to look at."""
    return rows(
        [show(translate("Prices"), "price"), show(translate("Markets"), "markets")],
        [show(translate("Research"), "research"), show(translate("Challenges"), "challenges")],
        [show(translate("Language"), "language")],
    )


def assets(view: str, chosen: str, keys: Sequence[str]) -> InlineKeyboardMarkup:
    """Choose all assets ("") or one, in a view of them; with Chart for one if the view has charts."""
    choices = [_choice(key or translate("All"), view, key, chosen) for key in ("", *keys)]
    chart_buttons = [button(translate("Chart"), f"chart:{view}:{chosen}")] if chosen and view in CHART_PERIODS else []
    return rows(*grid(choices, 4), [show(translate("Reload"), view, chosen), *chart_buttons])


def chart(kind: str, argument: str, period: str) -> InlineKeyboardMarkup:
    """The periods of a chart; the chosen one is marked, and draws the chart again."""
    periods = {key: translate(PERIOD_LABELS[key]) for key in CHART_PERIODS[kind]}
    labels = {key: f"· {label} ·" if key == period else label for key, label in periods.items()}
    return rows([button(label, f"chart:{kind}:{argument}.{key}") for key, label in labels.items()])


def markets(token: str, first: int, count: int, index: int, pages: int) -> InlineKeyboardMarkup:
    """Yes, No and the page of each of the `count` markets of a list; they are numbered from `first` on."""
    entries = [
        [
            *yes_no(f"market:{token}.{number}", f"{first + number}. "),
            button(f"{first + number}. …", f"open:market:{token}.{number}"),
        ]
        for number in range(count)
    ]
    return rows(*entries, _page_buttons("markets", "", index, pages))


def challenges(numbers: Sequence[int], index: int, pages: int) -> InlineKeyboardMarkup:
    """One button for each challenge of the page; it opens the challenge."""
    opening = [show(str(number), "challenge", str(number)) for number in numbers]
    return rows(opening, _page_buttons("challenges", "", index, pages))


def challenge(
    number: int, share: str | None, group_link: str, *, is_open: bool = True, is_followed: bool = False
) -> InlineKeyboardMarkup:
    """Vote, follow and share; `posting` is the address that posts the challenge in a group."""
    vote_buttons = yes_no(f"challenge:{number}") if is_open else []
    following = follow_buttons("challenge", str(number), is_followed=is_followed) if is_open else []
    return rows(
        vote_buttons,
        [*following, *share_buttons(share)],
        [InlineKeyboardButton(translate("Post in a group"), url=group_link)] if is_open else [],
        [
            show(translate("Reload"), "challenge", str(number)),
            show(translate("All challenges"), "challenges"),
        ],
    )


def reload(view: str) -> InlineKeyboardMarkup:
    return rows([show(translate("Reload"), view)])


def topic(name: str, argument: str) -> InlineKeyboardMarkup:
    """A part of the research, and the whole of it."""
    return rows([show(translate("Reload"), name, argument), show(translate("Research"), "research")])


def answer(
    token: str,
    share: str | None = None,
    *,
    is_followed: bool = False,
    is_charted: bool = False,
) -> InlineKeyboardMarkup:
    """The votes, the same question again, the chart of a price, [Follow] and [Share]."""
    below = [
        button(translate("Show votes"), f"votes:0:{token}"),
        button(translate("Ask again"), f"again:question:{token}"),
    ]
    below += [button(translate("Chart"), f"chart:answer:{token}")] if is_charted else []
    following = follow_buttons("answer", token, is_followed=is_followed)
    return rows(below, [*following, *share_buttons(share)])


def listed(token: str, count: int) -> InlineKeyboardMarkup:
    """Numbered questions: a button has no room for a sentence."""
    buttons = [
        button(translate("Ask {number}", number=number), f"ask:listed:{token}.{number}")
        for number in range(1, count + 1)
    ]
    return rows(buttons)


def votes(token: str, index: int, pages: int) -> InlineKeyboardMarkup:
    """The pages of the votes, and back to the answer."""
    buttons = [
        *([button("◀", f"votes:{index - 1}:{token}")] if index > 0 else []),
        button(translate("Answer"), f"answer:question:{token}"),
        *([button("▶", f"votes:{index + 1}:{token}")] if index < pages - 1 else []),
    ]
    return rows(buttons)


def deadlines(token: str, today: date) -> InlineKeyboardMarkup:
    """Dates for a draft that has none."""
    days = {count: formats.date(f"{today + timedelta(days=count)}") for count in DEADLINE_DAYS}
    return rows(*grid([button(label, f"deadline:draft:{token}.{count}") for count, label in days.items()], 2))


def draft(token: str) -> InlineKeyboardMarkup:
    return rows(
        [
            button(translate("Create"), f"create:draft:{token}"),
            button(translate("Cancel"), f"discard:draft:{token}"),
        ]
    )


def link(address: str) -> InlineKeyboardMarkup:
    """A link to the private chat."""
    return rows([InlineKeyboardButton(translate("Open our chat"), url=address)])


def _choice(label: str, view: str, argument: str, chosen: str | None) -> InlineKeyboardButton:
    """A choice among several; the chosen one is marked with dots."""
    return show(f"· {label} ·" if argument == chosen else label, view, argument)


def _page_buttons(view: str, argument: str, index: int, pages: int) -> list[InlineKeyboardButton]:
    """Previous page, reload, next page."""
    return [
        *([show("◀", view, argument, index - 1)] if index > 0 else []),
        show(translate("Reload"), view, argument, index),
        *([show("▶", view, argument, index + 1)] if index < pages - 1 else []),
    ]


def yes_no(data: str, prefix: str = "") -> list[InlineKeyboardButton]:
    labels = {"yes": translate("Yes"), "no": translate("No")}
    return [button(f"{prefix}{label}", f"{vote}:{data}") for vote, label in labels.items()]


def button(label: str, data: str) -> InlineKeyboardButton:
    return InlineKeyboardButton(label, callback_data=data)


def show(label: str, view: str, argument: str = "", page: int = 0) -> InlineKeyboardButton:
    return button(label, f"show:{view}:{argument}.{page}")


def grid(buttons: Sequence[InlineKeyboardButton], width: int) -> list[Sequence[InlineKeyboardButton]]:
    return [buttons[start : start + width] for start in range(0, len(buttons), width)]


def rows(*rows: Collection[InlineKeyboardButton]) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([list(row) for row in rows if row])


def follow_buttons(kind: str, reference: str, *, is_followed: bool) -> list[InlineKeyboardButton]:
    """[Follow], or the button that ends it."""
    verb, label = ("unfollow", translate("Following ✓")) if is_followed else ("follow", translate("Follow"))
    return [button(label, f"{verb}:{kind}:{reference}")]


def share_buttons(address: str | None) -> list[InlineKeyboardButton]:
    """[Share] with its address, if there is one."""
    return [InlineKeyboardButton(translate("Share"), url=address)] if address else []
