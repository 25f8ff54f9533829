"""Every button carries data that exactly one handler accepts."""

from __future__ import annotations

import re

from bot import keyboards
from bot.photos import PHOTOS
from bot.store import is_timezone
from bot.views import VIEWS


def test_every_listed_time_zone_exists():
    assert all(is_timezone(zone) for zone in keyboards.ZONES)


def test_every_button_matches_exactly_one_pattern():
    switches = dict.fromkeys(keyboards.EVENTS, "off")
    rows = [
        *keyboards.lanes("cex").inline_keyboard,
        *keyboards.lane("trend", ["trend", "lp_wide"]).inline_keyboard,
        *keyboards.top("btc").inline_keyboard,
        *keyboards.hospital("trend", ["trend"], 1, 3).inline_keyboard,
        *keyboards.markets("x" * 12, 61, 4, 15, 17).inline_keyboard,
        *keyboards.challenges([123456789] * 5, 1, 3).inline_keyboard,
        *keyboards.challenge(123456789).inline_keyboard,
        *keyboards.charted("strategy", "x" * 40).inline_keyboard,
        *keyboards.reload("news").inline_keyboard,
        *keyboards.answer("_-" * 6).inline_keyboard,
        *keyboards.votes("_-" * 6, 1, 3).inline_keyboard,
        *keyboards.draft(123456789).inline_keyboard,
        *keyboards.alerts(switches).inline_keyboard,
        *keyboards.hours().inline_keyboard,
        *keyboards.zones().inline_keyboard,
        *keyboards.delete_or_keep().inline_keyboard,
    ]
    for data in [button.callback_data for row in rows for button in row]:
        assert len(data.encode()) <= 64
        assert sum(bool(re.fullmatch(pattern, data)) for pattern in keyboards.PATTERNS.values()) == 1, data


def test_patterns_name_every_view_and_chart():
    assert set(keyboards.VIEWS.split("|")) == set(VIEWS)
    assert set(keyboards.CHARTS.split("|")) == set(PHOTOS)
