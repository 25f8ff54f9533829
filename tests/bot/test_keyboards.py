"""Every button carries data that exactly one handler accepts."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import Any

import pytest
from telegram import InlineKeyboardMarkup

from bot import keyboards
from bot.application import PRESSES
from bot.keyboards import FORECASTS, MAX_SUBJECT
from bot.languages import LANGUAGES, speaking
from bot.messages.markup import columns_of
from bot.photos import PHOTOS
from bot.store import timezones

SHARE = "https://t.me/share/url"
LEVELS = [("▼ 50,600", 50600.0), ("▲ 0.0001235", 0.0001235)]


def test_every_button_matches_exactly_one_pattern():
    switches = dict.fromkeys(keyboards.EVENTS, "off")
    rows = [
        *keyboards.reload("top", "gold", keyboards.show("Research", "research")).inline_keyboard,
        *keyboards.deadlines("_-" * 6, date(2026, 11, 21)).inline_keyboard,
        *keyboards.assets("price", "btc", ["btc", "eth"]).inline_keyboard,
        *keyboards.markets("x" * 12, 61, 4, 15, 17).inline_keyboard,
        *keyboards.challenges([123456789] * 5, 1, 3).inline_keyboard,
        *keyboards.assets("price", "btc", ["btc", "eth"], LEVELS).inline_keyboard,
        *keyboards.market("x-" * 22, SHARE, [35, 55], is_open=True, is_followed=False, is_charted=True).inline_keyboard,
        *keyboards.market("x." * 48, SHARE, [35, 55], is_open=True, is_followed=False, is_charted=True).inline_keyboard,
        *keyboards.market("challenge-123456789", SHARE, post_link=SHARE).inline_keyboard,
        *keyboards.following([123456789] * 50).inline_keyboard,
        *keyboards.choices("quiet").inline_keyboard,
        *keyboards.reload("news").inline_keyboard,
        *keyboards.answer("_-" * 6, is_charted=True).inline_keyboard,
        *(row for kind in keyboards.CHART_PERIODS for row in keyboards.chart(kind, "x" * 40, "7d").inline_keyboard),
        *keyboards.settings("dark").inline_keyboard,
        *keyboards.group_settings({"weekly": "on", "commands_only": "off"}).inline_keyboard,
        *keyboards.listed("_-" * 6, 2).inline_keyboard,
        *keyboards.votes("_-" * 6, 1, 3).inline_keyboard,
        *keyboards.draft("_-" * 6).inline_keyboard,
        *keyboards.alerts(switches).inline_keyboard,
        *keyboards.choices("hour").inline_keyboard,
        *keyboards.terms(123456789, 7, repeats=True).inline_keyboard,
        *keyboards.me(["998968125db559dd"]).inline_keyboard,
        *keyboards.choices("zone").inline_keyboard,
        *keyboards.delete_or_keep().inline_keyboard,
    ]
    for data in [button.callback_data for row in rows for button in row if not button.url]:
        assert len(data.encode()) <= 64
        assert sum(bool(re.fullmatch(pattern, data)) for pattern in PRESSES) == 1, data


def test_every_chart_has_periods():
    assert set(keyboards.CHART_PERIODS) == set(PHOTOS)


def labels(keyboard: InlineKeyboardMarkup) -> list[list[str]]:
    return [[button.text for button in row] for row in keyboard.inline_keyboard]


def data(keyboard: InlineKeyboardMarkup) -> list[str]:
    return [button.callback_data for row in keyboard.inline_keyboard for button in row if button.callback_data]


# The columns of the longest label that a phone shows whole, by the number of buttons in a row.
WIDEST = {1: 40, 2: 20, 3: 12, 4: 10, 5: 7, 6: 6, 7: 5}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_label_is_cut_on_a_phone(language):
    """Below answers, alerts, settings, prices, challenges and the own page; marks over letters take no room."""
    silence = dict.fromkeys(keyboards.EVENTS, "silent")
    with speaking(language):
        boards = [
            *(keyboards.answer("x", SHARE, is_followed=state, is_charted=state) for state in (True, False)),
            *(keyboards.alerts(silence), keyboards.settings("light"), keyboards.me(["x"] * 5), keyboards.start()),
            *(keyboards.following([1, 2]), keyboards.draft("x"), keyboards.listed("x", 3)),
            *(keyboards.terms(1, 30, repeats=True), keyboards.delete_or_keep(), keyboards.votes("x", 1, 3)),
            *(
                market(),
                keyboards.market("challenge-17", SHARE, post_link=SHARE),
                keyboards.chart("price", "btc", "7d"),
            ),
            keyboards.assets("price", "btc", ["btc", "eth", "sol", "bnb", "xrp", "gold", "silver"], LEVELS),
            keyboards.group_settings({"weekly": "off", "commands_only": "off"}),
        ]
    rows = [row for board in boards for row in labels(board)]
    texts = [(label, WIDEST[len(row)]) for row in rows for label in row]
    bare = [
        ("".join(letter for letter in text if unicodedata.category(letter) != "Mn"), width) for text, width in texts
    ]
    assert [text for text, width in bare if columns_of(text) > width] == []


def market(market_id: str = "daily-btc-up", **options: Any) -> InlineKeyboardMarkup:
    parts = {"is_open": True, "is_followed": False, "is_charted": True} | options
    return keyboards.market(market_id, parts.pop("address", SHARE), [40, 60], **parts)


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
    keyboard = keyboards.following([11, 22, 33])
    assert labels(keyboard)[0] == ["1 ✕", "2 ✕", "3 ✕"]
    assert data(keyboard)[:3] == ["drop:follow:11", "drop:follow:22", "drop:follow:33"]


def test_a_level_of_a_price_keeps_its_digits():
    keyboard = keyboards.assets("price", "btc", ["btc"], [("▲ 0.123456789", 0.123456789), ("▼ 70,000", 70_000.0)])
    assert data(keyboard)[:2] == ["level:price:btc:0.123456789", "level:price:btc:70000"]


def test_quiet_hours_are_two_hours_or_none():
    keyboard = keyboards.choices("quiet")
    assert labels(keyboard)[0] == ["None", "21–07", "22–07", "22–08"]
    assert data(keyboard)[:3] == ["set:quiet:", "set:quiet:21-7", "set:quiet:22-7"]


def test_every_listed_time_zone_exists():
    assert all(zone in timezones() for zone in keyboards.ZONES)


def test_settings_lead_to_every_other_setting():
    """The chosen theme is marked."""
    rows = keyboards.settings("dark").inline_keyboard
    assert [[button.text for button in row] for row in rows] == [
        ["Light", "· Dark ·"],
        ["Alerts", "Language"],
        ["Time zone", "Quiet hours"],
    ]


def test_a_switch_moves_on_to_its_next_state():
    switches = dict.fromkeys(keyboards.EVENTS, "off") | {"flip": "on", "digest": "silent"}
    choices = [button.callback_data for row in keyboards.alerts(switches).inline_keyboard for button in row]
    assert choices[:3] == ["set:followed:on", "set:flip:silent", "set:digest:off"]


def test_a_metal_is_named_in_the_language():
    with speaking("es"):
        keyboard = keyboards.assets("price", "gold", ["btc", "gold", "silver"])
    labels = [button.text for row in keyboard.inline_keyboard for button in row]
    assert labels[:4] == ["Todos", "btc", "· Oro ·", "Plata"]
