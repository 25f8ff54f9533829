"""What a text is understood with besides its words."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np

from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.questions import Circumstances, understand
from service.questions.circumstances import NoHistory, Setting
from tests.questions.asking import NOW, SPOTS


def test_the_instant_may_be_in_any_zone():
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    assert Circumstances(tokyo, SPOTS).now.utcoffset() == timedelta(0)
    assert understand("Will btc rise tomorrow?", Circumstances(tokyo, SPOTS)) == understand(
        "Will btc rise tomorrow?", Circumstances(NOW, SPOTS)
    )


def test_without_more_there_are_no_past_prices_rates_and_coins():
    """A question that needs one of them is refused."""
    circumstances = Circumstances(NOW, SPOTS)
    assert circumstances.until is None
    assert circumstances.history.record("btc") is None
    assert len(circumstances.history.hourly("btc", NOW)) == 0


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
