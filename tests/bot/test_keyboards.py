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
OFF = dict.fromkeys(keyboards.EVENTS, "off")
# The columns of the longest label that a phone shows whole, by the number of buttons in a row.
WIDEST = {1: 40, 2: 20, 3: 12, 4: 10, 5: 7, 6: 6, 7: 5}
FORECAST_ROW, LEVEL_ROW = [f"{percent}%" for percent in FORECASTS], ["🔔 AI 40%", "🔔 AI 60%"]
LAST_ROW = ["Reload", "All markets"]


def labels(keyboard: InlineKeyboardMarkup) -> list[list[str]]:
    return [[button.text for button in row] for row in keyboard.inline_keyboard]


def data(keyboard: InlineKeyboardMarkup) -> list[str]:
    return [button.callback_data for row in keyboard.inline_keyboard for button in row if not button.url]


def market(market_id: str = "daily-btc-up", **options: Any) -> InlineKeyboardMarkup:
    parts = {"is_open": True, "is_followed": False, "is_charted": True} | options
    return keyboards.market(market_id, parts.pop("address", SHARE), [40, 60], **parts)


def boards() -> list[InlineKeyboardMarkup]:
    """Every keyboard, with the longest ids and numbers."""
    token = "_-" * 6
    return [
        *(keyboards.start(), keyboards.reload("news"), keyboards.delete_or_keep(), keyboards.draft(token)),
        keyboards.reload("top", "gold", keyboards.show("Research", "research")),
        keyboards.deadlines(token, date(2026, 11, 21)),
        keyboards.assets("price", "btc", ["btc", "eth", "sol", "bnb", "xrp", "gold", "silver"], LEVELS),
        *(keyboards.markets(token, 61, 4, 15, 17), keyboards.challenges([1234567] * 5, 1, 3)),
        *(market(), market("x-" * 22), market("x." * 48)),
        keyboards.market("challenge-123456789", SHARE, post_link=SHARE),
        *(keyboards.following([123456789] * 50), keyboards.me(["998968125db559dd"] * 5)),
        *(keyboards.choices(setting) for setting in ("quiet", "hour", "zone")),
        *(keyboards.answer(token, SHARE, is_followed=state, is_charted=state) for state in (True, False)),
        *(keyboards.chart(kind, "x" * 40, "7d") for kind in keyboards.CHART_PERIODS),
        *(keyboards.listed(token, 3), keyboards.votes(token, 1, 3)),
        *(keyboards.settings("light"), keyboards.group_settings({"weekly": "off", "commands_only": "off"})),
        *(keyboards.alerts(dict.fromkeys(OFF, state)) for state in ("off", "silent")),
        keyboards.terms(123456789, 30, repeats=True),
    ]


def test_every_button_matches_exactly_one_pattern():
    """Every chart has periods, and every listed time zone exists."""
    assert set(keyboards.CHART_PERIODS) == set(PHOTOS)
    assert all(zone in timezones() for zone in keyboards.ZONES)
    for text in [text for board in boards() for text in data(board)]:
        assert len(text.encode()) <= 64
        assert sum(bool(re.fullmatch(pattern, text)) for pattern in PRESSES) == 1, text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_label_is_cut_on_a_phone(language):
    """Marks over letters take no room."""
    with speaking(language):
        rows = [row for board in boards() for row in labels(board)]
    widths = [(label, WIDEST[len(row)]) for row in rows for label in row]
    bare = [
        ("".join(letter for letter in text if unicodedata.category(letter) != "Mn"), width) for text, width in widths
    ]
    assert [text for text, width in bare if columns_of(text) > width] == []


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({}, [FORECAST_ROW, LEVEL_ROW, ["Follow", "Share", "Chart"], LAST_ROW]),
        ({"is_open": False}, [LEVEL_ROW, ["Share", "Chart"], LAST_ROW]),
        ({"address": None}, [FORECAST_ROW, LEVEL_ROW, ["Follow"], LAST_ROW]),
    ],
)
def test_an_open_market_can_be_forecast_followed_and_shared(options, rows):
    """A closed one can be neither forecast nor followed; without an address nothing can be shared or drawn."""
    assert labels(market(**options)) == rows


def test_a_button_does_what_its_label_says():
    """Each follow can be ended, a level keeps its digits, and a switch moves on to its next state."""
    keyboard = keyboards.following([11, 22, 33])
    assert labels(keyboard)[0] == ["1 ✕", "2 ✕", "3 ✕"]
    assert data(keyboard)[:3] == ["drop:follow:11", "drop:follow:22", "drop:follow:33"]
    assert "unfollow:market:daily-btc-up" in data(market(is_followed=True))
    assert "follow:market:daily-btc-up" not in data(market(is_followed=True))
    keyboard = keyboards.assets("price", "btc", ["btc"], [("▲ 0.123456789", 0.123456789), ("▼ 70,000", 70_000.0)])
    assert data(keyboard)[:2] == ["level:price:btc:0.123456789", "level:price:btc:70000"]
    keyboard = keyboards.choices("quiet")
    assert labels(keyboard)[0] == ["None", "21–07", "22–07", "22–08"]
    assert data(keyboard)[:3] == ["set:quiet:", "set:quiet:21-7", "set:quiet:22-7"]
    keyboard = keyboards.settings("dark")
    assert labels(keyboard) == [["Light", "· Dark ·"], ["Alerts", "Language"], ["Time zone", "Quiet hours"]]
    keyboard = keyboards.alerts(OFF | {"flip": "on", "digest": "silent"})
    assert data(keyboard)[:3] == ["set:followed:on", "set:flip:silent", "set:digest:off"]


@pytest.mark.parametrize("excess", [0, 1])
def test_the_data_of_every_button_fits(excess: int):
    """Telegram takes 64 bytes; a market with a longer id has the way back alone."""
    keyboard = market("x" * (MAX_SUBJECT + excess))
    assert max(len(text.encode()) for text in data(keyboard)) <= 64
    assert (labels(keyboard) == [["All markets"]]) == bool(excess)


def test_a_metal_is_named_in_the_language():
    with speaking("es"):
        keyboard = keyboards.assets("price", "gold", ["btc", "gold", "silver"])
    assert [label for row in labels(keyboard) for label in row][:4] == ["Todos", "btc", "· Oro ·", "Plata"]
