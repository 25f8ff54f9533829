"""The buttons of settings, and of what a person follows, forecasts and shares."""

from __future__ import annotations

from typing import Any

import pytest
from telegram import InlineKeyboardMarkup

from bot import personal_keyboards
from bot.personal_keyboards import FORECASTS, MAX_SUBJECT
from bot.store import is_timezone

SHARE = "https://t.me/share/url"


def labels(keyboard: InlineKeyboardMarkup) -> list[list[str]]:
    return [[button.text for button in row] for row in keyboard.inline_keyboard]


def data(keyboard: InlineKeyboardMarkup) -> list[str]:
    return [button.callback_data for row in keyboard.inline_keyboard for button in row if button.callback_data]


def market(market_id: str = "daily-btc-up", **options: Any) -> InlineKeyboardMarkup:
    parts = {"is_open": True, "is_followed": False, "is_charted": True} | options
    return personal_keyboards.market(market_id, [40, 60], parts.pop("address", SHARE), **parts)


def test_an_open_market_can_be_forecast_followed_and_shared():
    rows = labels(market())
    assert rows[0] == [f"{percent}%" for percent in FORECASTS]
    assert rows[1] == ["🔔 AI 40%", "🔔 AI 60%"]
    assert rows[2:] == [["Follow", "Share", "Chart"], ["Reload", "All markets"]]


def test_a_followed_market_offers_the_end_of_the_follow():
    assert "unfollow:market:daily-btc-up" in data(market(is_followed=True))
    assert "follow:market:daily-btc-up" not in data(market(is_followed=True))


def test_a_closed_market_can_be_neither_forecast_nor_followed():
    rows = labels(market(is_open=False))
    assert rows[1:] == [["Share", "Chart"], ["Reload", "All markets"]]


def test_without_an_address_nothing_can_be_shared_or_drawn():
    assert labels(market(address=None))[2] == ["Follow"]


@pytest.mark.parametrize("excess", [0, 1])
def test_the_data_of_every_button_fits(excess: int):
    """Telegram takes 64 bytes; a market with a longer id has the way back alone."""
    keyboard = market("x" * (MAX_SUBJECT + excess))
    assert max(len(text.encode()) for text in data(keyboard)) <= 64
    assert (labels(keyboard) == [["All markets"]]) == bool(excess)


def test_each_follow_has_a_button_that_ends_it():
    keyboard = personal_keyboards.following([11, 22, 33])
    assert labels(keyboard)[0] == ["1 ✕", "2 ✕", "3 ✕"]
    assert data(keyboard)[:3] == ["drop:follow:11", "drop:follow:22", "drop:follow:33"]


def test_a_level_of_a_price_keeps_its_digits():
    keyboard = personal_keyboards.price("btc", ["btc"], [("▲ 0.123456789", 0.123456789), ("▼ 70,000", 70_000.0)])
    assert data(keyboard)[:2] == ["level:price:btc:0.123456789", "level:price:btc:70000"]


def test_quiet_hours_are_two_hours_or_none():
    keyboard = personal_keyboards.choices("quiet")
    assert labels(keyboard)[0] == ["None", "21–07", "22–07", "22–08"]
    assert data(keyboard)[:3] == ["set:quiet:", "set:quiet:21-7", "set:quiet:22-7"]


def test_every_listed_time_zone_exists():
    assert all(is_timezone(zone) for zone in personal_keyboards.ZONES)


def test_settings_lead_to_every_other_setting():
    """The chosen theme is marked."""
    rows = personal_keyboards.settings("dark").inline_keyboard
    assert [[button.text for button in row] for row in rows] == [
        ["Light", "· Dark ·"],
        ["Alerts", "Language"],
        ["Time zone", "Quiet hours"],
    ]


def test_a_switch_moves_on_to_its_next_state():
    switches = dict.fromkeys(personal_keyboards.EVENTS, "off") | {"flip": "on", "digest": "silent"}
    choices = [button.callback_data for row in personal_keyboards.alerts(switches).inline_keyboard for button in row]
    assert choices[:3] == ["set:followed:on", "set:flip:silent", "set:digest:off"]
