"""Every button carries data that exactly one handler accepts."""

from __future__ import annotations

import re
from datetime import date

from bot import keyboards, personal_keyboards
from bot.photos import PHOTOS
from bot.views import VIEWS

SHARE = "https://t.me/share/url"
LEVELS = [("▼ 50,600", 50600.0), ("▲ 0.0001235", 0.0001235)]


def test_every_button_matches_exactly_one_pattern():
    switches = dict.fromkeys(personal_keyboards.EVENTS, "off")
    rows = [
        *keyboards.topic("top", "gold").inline_keyboard,
        *keyboards.deadlines("_-" * 6, date(2026, 11, 21)).inline_keyboard,
        *keyboards.assets("price", "btc", ["btc", "eth"]).inline_keyboard,
        *keyboards.markets("x" * 12, 61, 4, 15, 17).inline_keyboard,
        *keyboards.challenges([123456789] * 5, 1, 3).inline_keyboard,
        *keyboards.challenge(123456789, None, "https://t.me/ninefold_bot?startgroup=challenge_1").inline_keyboard,
        *personal_keyboards.price("btc", ["btc", "eth"], LEVELS).inline_keyboard,
        *personal_keyboards.market(
            "x-" * 22, [35, 55], SHARE, is_open=True, is_followed=False, is_charted=True
        ).inline_keyboard,
        *personal_keyboards.market(
            "x." * 48, [35, 55], SHARE, is_open=True, is_followed=False, is_charted=True
        ).inline_keyboard,
        *personal_keyboards.following([123456789] * 50).inline_keyboard,
        *personal_keyboards.choices("quiet").inline_keyboard,
        *keyboards.reload("news").inline_keyboard,
        *keyboards.answer("_-" * 6, is_charted=True).inline_keyboard,
        *(row for kind in keyboards.CHART_PERIODS for row in keyboards.chart(kind, "x" * 40, "7d").inline_keyboard),
        *personal_keyboards.settings("dark").inline_keyboard,
        *personal_keyboards.group_settings({"weekly": "on", "commands_only": "off"}).inline_keyboard,
        *personal_keyboards.group_challenge(123456789, None, is_open=True).inline_keyboard,
        *keyboards.listed("_-" * 6, 2).inline_keyboard,
        *keyboards.votes("_-" * 6, 1, 3).inline_keyboard,
        *keyboards.draft("_-" * 6).inline_keyboard,
        *personal_keyboards.alerts(switches).inline_keyboard,
        *personal_keyboards.choices("hour").inline_keyboard,
        *personal_keyboards.terms(123456789, 7, repeats=True).inline_keyboard,
        *personal_keyboards.me(["998968125db559dd"]).inline_keyboard,
        *personal_keyboards.choices("zone").inline_keyboard,
        *personal_keyboards.delete_or_keep().inline_keyboard,
    ]
    for data in [button.callback_data for row in rows for button in row if not button.url]:
        assert len(data.encode()) <= 64
        assert sum(bool(re.fullmatch(pattern, data)) for pattern in keyboards.PATTERNS.values()) == 1, data


def test_patterns_name_every_view_and_chart():
    assert set(keyboards.VIEWS.split("|")) == set(VIEWS)
    assert set(keyboards.CHART_PERIODS) == set(PHOTOS)
