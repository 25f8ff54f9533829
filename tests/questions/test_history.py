"""Closes at past instants, as far as they are stored."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from service.market.bars import Bars, empty
from service.market.instants import DAY, HOUR
from service.questions.history import NO_HISTORY, NoHistory, Setting
from tests.questions.asking import NOW

END = int(NOW.timestamp())


class CountedHours(NoHistory):
    """Ten hourly bars that end at NOW and close at 1, 2, … 10."""

    def hourly(self, asset: str, since: datetime) -> Bars:
        close = np.arange(1.0, 11.0)
        bars = Bars(END - HOUR * np.arange(10, 0, -1), close, close, close, close, close, HOUR)
        return bars.since(int(since.timestamp()))


def closes(*ends: int) -> list[float] | None:
    return Setting("btc", 10.0, NOW, NOW, CountedHours()).closes(ends)


def test_a_close_is_the_last_at_or_before_its_instant():
    assert closes(END - HOUR, END - 1, END) == [9.0, 9.0, 10.0]


def test_a_close_may_be_days_old():
    """Over a weekend the last one of a metal stays."""
    assert closes(END + 2 * DAY) == [10.0]


def test_closes_that_are_not_all_stored_are_none():
    assert closes(END - 10 * HOUR, END) is None
    assert closes(END + 6 * DAY) is None


def test_without_a_history_nothing_is_stored():
    assert NO_HISTORY.record("btc") is None
    assert len(NO_HISTORY.hourly("btc", NOW)) == len(empty(HOUR)) == 0
    assert Setting("btc", 10.0, NOW, NOW, NO_HISTORY).closes([END]) is None
