"""The buttons of settings and of what a person follows, forecasts and shares; links that open the bot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.helpers import create_deep_linked_url

from bot.keyboards import PERIOD_LABELS, assets, button, follow_buttons, grid, rows, share_buttons, show, yes_no
from bot.languages import LANGUAGES, english, translate
from bot.languages.punctuation import labelled
from bot.messages.alerts import SETTINGS
from bot.messages.markup import plain
from bot.periods import LENGTHS

FORECASTS = (5, 20, 35, 50, 65, 80, 95)  # the percentages of a forecast
MAX_SUBJECT = 44  # characters of a market's id that fit into the data of every button
ALERT_DAYS: tuple[int, ...] = (0, 1, 7, 30)  # that an alert lasts; 0 without an end
EVENTS = {"followed": english("Followed"), "flip": english("Consensus"), "digest": english("Digest")}
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


class Choice(NamedTuple):
    """The values of a setting with their labels, how many stand in a row, and the view that shows what was chosen."""

    values: Mapping[str, str]
    width: int = 2
    view: str = "alerts"


SWITCH = Choice({state: state for state in ("off", "on", "silent")})
GROUP_SWITCH = Choice({"off": "off", "on": "on"}, view="settings")
CHOICES = {
    **dict.fromkeys(EVENTS, SWITCH),
    **dict.fromkeys(SETTINGS, GROUP_SWITCH),
    "hour": Choice({f"{hour}": f"{hour:02d}" for hour in range(24)}, 6),
    "zone": Choice({zone: zone for zone in ZONES}),
    # From one hour to another of the next day.
    "quiet": Choice(
        {
            "": english("None"),
            "21-7": "21–07",
            "22-7": "22–07",
            "22-8": "22–08",
            "23-7": "23–07",
            "23-8": "23–08",
            "0-7": "00–07",
            "0-8": "00–08",
        },
        4,
    ),
    "theme": Choice({"light": english("Light"), "dark": english("Dark")}, view="settings"),
    "language": Choice({**LANGUAGES, "": english("As in Telegram")}, view="language"),
}
VIEWS = ("challenge", "market", "price")  # what a link can open beside an answer
LINK = re.compile(rf"^/start\s+({'|'.join(VIEWS)}|answer)_([\w-]{{1,57}})$", re.ASCII)
POST_LINK = re.compile(r"^/start(@\w+)?\s+challenge_\d{1,9}$", re.ASCII)  # in a group
SUBJECT = re.compile(r"[\w-]{1,48}", re.ASCII)
SHARE = "https://t.me/share/url"
MAX_TEXT = 300


def price(chosen: str, keys: Sequence[str], levels: Sequence[tuple[str, float]]) -> InlineKeyboardMarkup:
    """Choose an asset; below one, the levels at which the person wants a message, each with its label."""
    level_buttons = [button(f"🔔 {label}", f"level:price:{chosen}:{level:.10g}") for label, level in levels]
    return rows(level_buttons, *assets("price", chosen, keys).inline_keyboard)


def market(
    market_id: str, levels: Sequence[int], address: str | None, *, is_open: bool, is_followed: bool, is_charted: bool
) -> InlineKeyboardMarkup:
    """A forecast in percent, the probabilities at which the person wants a message, [Follow], [Share] and [Chart]."""
    below = [show(translate("All markets"), "markets")]
    if len(market_id) > MAX_SUBJECT:
        return rows(below)
    level_buttons = [
        button(f"🔔 {translate('AI {chance}', chance=f'{level}%')}", f"level:chance:{market_id}:{level}")
        for level in levels
    ]
    following = follow_buttons("market", market_id, is_followed=is_followed) if is_open else []
    chart_buttons = [button(translate("Chart"), f"chart:market:{market_id}")] if is_charted and address else []
    forecasts = [button(f"{p}%", f"forecast:market:{market_id}:{p}") for p in FORECASTS] if is_open else []
    return rows(
        forecasts,
        level_buttons,
        [*following, *share_buttons(address), *chart_buttons],
        [show(translate("Reload"), "market", market_id), *below],
    )


def terms(number: int, days: int, *, repeats: bool) -> InlineKeyboardMarkup:
    """When an alert ends, and whether it comes again; a press moves each on to its next state."""
    names = dict(zip(ALERT_DAYS, ("–", *(translate(PERIOD_LABELS[key]) for key in LENGTHS)), strict=True))
    later = ALERT_DAYS[(ALERT_DAYS.index(days) + 1) % len(ALERT_DAYS)]
    return rows(
        [
            button(labelled(translate("Ends"), names[days]), f"terms:follow:{number}.{later}.{repeats:d}"),
            button(
                labelled(translate("Again"), translate("on" if repeats else "off")),
                f"terms:follow:{number}.{days}.{not repeats:d}",
            ),
        ]
    )


def following(numbers: Sequence[int]) -> InlineKeyboardMarkup:
    """One button for each follow; it ends the follow."""
    buttons = [button(f"{place} ✕", f"drop:follow:{number}") for place, number in enumerate(numbers, 1)]
    return rows(*grid(buttons, 5), [show(translate("Reload"), "following")])


def inline_question(token: str) -> InlineKeyboardMarkup:
    return rows([button(translate("Show the answer"), f"answer:inline:{token}")])


def open_in_bot(address: str) -> InlineKeyboardMarkup:
    return rows([InlineKeyboardButton(translate("Open in the bot"), url=address)])


def me(answers: Sequence[str]) -> InlineKeyboardMarkup:
    """One button for each listed answer, by their ids; it opens the answer."""
    opening = [button(str(number), f"reopen:answer:{id}") for number, id in enumerate(answers, 1)]
    return rows(
        opening,
        [show(translate("Markets"), "markets"), show(translate("Forecasters"), "forecasters")],
        [show(translate("What I follow"), "following"), show(translate("Reload"), "me")],
    )


def forecasters() -> InlineKeyboardMarkup:
    return rows([show(translate("My page"), "me"), show(translate("Reload"), "forecasters")])


def choices(name: str, *, back: str = "alerts") -> InlineKeyboardMarkup:
    """A button for each value of a setting, and the way back."""
    return rows(*_values(name), [show(translate("Back"), back)])


def languages() -> InlineKeyboardMarkup:
    """Every language under its own name, and that of Telegram."""
    return rows(*_values("language"))


def _values(name: str, chosen: str | None = None) -> list[Sequence[InlineKeyboardButton]]:
    """The buttons of a setting's values, the chosen one between dots."""
    labels = {value: translate(label) if label else label for value, label in CHOICES[name].values.items()}
    marks = {value: f"· {label} ·" if value == chosen else label for value, label in labels.items()}
    return grid([button(label, f"set:{name}:{value}") for value, label in marks.items()], CHOICES[name].width)


def _switch(name: str, label: str, state: str) -> InlineKeyboardButton:
    """The state of a switch; each press moves it on to the next."""
    states = list(CHOICES[name].values)
    following = states[(states.index(state) + 1) % len(states)]
    return button(labelled(translate(label), translate(state)), f"set:{name}:{following}")


def settings(theme: str) -> InlineKeyboardMarkup:
    """The theme of charts, and the ways to the other settings."""
    return rows(
        *_values("theme", theme),
        [show(translate("Alerts"), "alerts"), show(translate("Language"), "language")],
        [show(translate("Time zone"), "zones"), show(translate("Quiet hours"), "quiet")],
    )


def group_settings(switches: Mapping[str, str]) -> InlineKeyboardMarkup:
    """A switch for each setting, and the languages."""
    buttons = [[_switch(name, label, switches[name])] for name, label in SETTINGS.items()]
    return rows(*buttons, [show(translate("Language"), "language")])


def alerts(switches: Mapping[str, str]) -> InlineKeyboardMarkup:
    """A switch for each event, then the hour and time zone of the digest."""
    buttons = [_switch(event, label, switches[event]) for event, label in EVENTS.items()]
    settings = [
        show(translate("Digest hour"), "hours"),
        show(translate("Time zone"), "zones"),
        show(translate("Quiet hours"), "quiet"),
    ]
    return rows(*grid(buttons, 2), settings, [show(translate("What I follow"), "following")])


def delete_or_keep() -> InlineKeyboardMarkup:
    return rows([button(translate("Delete"), "delete:me:all"), button(translate("Keep"), "keep:me:all")])


def group_challenge(number: int, address: str | None, *, is_open: bool) -> InlineKeyboardMarkup:
    """[Yes] and [No] while the challenge is open, and its page in the bot."""
    opening = [InlineKeyboardButton(translate("Open in the bot"), url=address)] if address else []
    return rows(yes_no(f"challenge:{number}") if is_open else [], opening)


def opening(username: str, kind: str, subject: str) -> str | None:
    """The address that opens a subject in the bot; None if the subject's id does not fit into an address."""
    return create_deep_linked_url(username, f"{kind}_{subject}") if SUBJECT.fullmatch(subject) else None


def posting(username: str, number: int) -> str:
    """The address at which Telegram lets the person choose a group in which the bot posts a challenge."""
    return create_deep_linked_url(username, f"challenge_{number}", group=True)


def sharing(username: str, kind: str, subject: str, text: str) -> str | None:
    """The address at which Telegram lets the person choose to whom a link is sent; None as in `opening`."""
    address = opening(username, kind, subject)
    return address and f"{SHARE}?{urlencode({'url': address, 'text': plain(text)[:MAX_TEXT]})}"
