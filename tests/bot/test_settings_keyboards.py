"""The buttons of settings."""

from __future__ import annotations

from bot import settings_keyboards as keyboards
from bot.store import is_timezone


def test_every_listed_time_zone_exists():
    assert all(is_timezone(zone) for zone in keyboards.ZONES)


def test_settings_lead_to_every_other_setting():
    """The chosen theme is marked."""
    rows = keyboards.settings("dark").inline_keyboard
    assert [[button.text for button in row] for row in rows] == [
        ["Light", "· Dark ·"],
        ["Alerts", "Language"],
        ["Time zone", "Quiet hours"],
    ]


def test_a_switch_moves_on_to_its_next_state():
    switches = dict.fromkeys(keyboards.EVENTS, "off") | {"flip": "on", "lane": "silent"}
    pressed = [button.callback_data for row in keyboards.alerts(switches).inline_keyboard for button in row]
    assert pressed[:4] == ["on:alert:followed", "silent:alert:flip", "off:alert:lane", "on:alert:hospital"]
