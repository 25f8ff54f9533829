"""The buttons of settings: alerts, the digest, charts, the language, and the deletion of a person's data."""

from __future__ import annotations

from collections.abc import Mapping

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.languages import LANGUAGES, english, translate
from bot.languages.punctuation import labelled
from bot.layout import button, grid, rows, show
from bot.store import CHART_THEMES

STATES = ("off", "on", "silent")
EVENTS = {
    "followed": english("Followed"),
    "flip": english("Consensus"),
    "lane": english("Lanes"),
    "hospital": english("Hospital"),
    "digest": english("Digest"),
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
THEME_LABELS = {"light": english("Light"), "dark": english("Dark")}


def alerts(switches: Mapping[str, str]) -> InlineKeyboardMarkup:
    """A switch for each event, then the hour and time zone of the digest."""
    buttons = [_switch(event, switches[event]) for event in EVENTS]
    settings = [
        show(translate("Digest hour"), "hours"),
        show(translate("Time zone"), "zones"),
        show(translate("Quiet hours"), "quiet"),
    ]
    return rows(*grid(buttons, 2), settings, [show(translate("What I follow"), "following")])


def settings(theme: str) -> InlineKeyboardMarkup:
    """The theme of charts, and the ways to the other settings."""
    shown = {key: translate(THEME_LABELS[key]) for key in CHART_THEMES}
    labels = {key: f"· {label} ·" if key == theme else label for key, label in shown.items()}
    choices = [button(label, f"theme:charts:{key}") for key, label in labels.items()]
    return rows(
        choices,
        [show(translate("Alerts"), "alerts"), show(translate("Language"), "language")],
        [show(translate("Time zone"), "zones"), show(translate("Quiet hours"), "quiet")],
    )


def hours() -> InlineKeyboardMarkup:
    choices = [button(f"{hour:02d}", f"hour:digest:{hour}") for hour in range(24)]
    return rows(*grid(choices, 6), [show(translate("Back"), "alerts")])


def zones() -> InlineKeyboardMarkup:
    choices = [button(zone, f"zone:digest:{index}") for index, zone in enumerate(ZONES)]
    return rows(*grid(choices, 2), [show(translate("Back"), "alerts")])


def languages() -> InlineKeyboardMarkup:
    """Every language under its own name, and that of Telegram."""
    choices = [button(name, f"choose:language:{code}") for code, name in LANGUAGES.items()]
    return rows(*grid(choices, 2), [button(translate("As in Telegram"), "choose:language:")])


def delete_or_keep() -> InlineKeyboardMarkup:
    return rows([button(translate("Delete"), "delete:me:all"), button(translate("Keep"), "keep:me:all")])


def _switch(event: str, state: str) -> InlineKeyboardButton:
    """The state of an event's alerts; each press moves it on in the order of STATES."""
    following = STATES[(STATES.index(state) + 1) % len(STATES)]
    return button(labelled(translate(EVENTS[event]), translate(state)), f"{following}:alert:{event}")
