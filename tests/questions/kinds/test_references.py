"""A moving average of the closes that are known and of those until the deadline."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.questions.circumstances import NoHistory, Setting
from service.questions.clause import read_clause
from service.questions.criterion import Criterion
from service.questions.kinds.references import of_moving_average, with_moving_average
from service.questions.tokens import read
from tests.questions.asking import NOW

SPOT = 110.0


class RisingHistory(NoHistory):
    """Hourly bars of 30 days up to NOW; those of the last three days cost 103, all others 100."""

    def hourly(self, asset: str, since: datetime) -> Bars:
        end = int(NOW.timestamp())
        time = np.arange(end - 30 * DAY, end, HOUR)
        close = np.where(time >= end - 10 * HOUR - 3 * DAY, 103.0, 100.0)
        return Bars(time, close, close, close, close, close, HOUR).since(int(since.timestamp()))


def criterion(text: str, horizon_days: int = 2) -> Criterion | None:
    language, tokens = read(text)
    setting = Setting("btc", SPOT, NOW, NOW + timedelta(days=horizon_days), RisingHistory())
    return of_moving_average(read_clause(with_moving_average(tokens), language, SPOT), setting)


def test_only_the_known_closes_of_the_deadline_count():
    """Of ten closes two are still to come, so the mean of the last eight counts: (5 * 100 + 3 * 103) / 8."""
    average = criterion("will btc be above its 10-day moving average")
    assert (average.comparator, average.days, average.level) == ("above_moving_average", 10, 101.125)
    assert average.notes[1].startswith("The 10-day average of Bitcoin is 100.9 USD today")
    assert "8 of its 10" in average.notes[2]


def test_an_average_that_is_all_ahead_has_no_level():
    assert criterion("will btc be below its 2-day moving average", horizon_days=3).level is None
    assert criterion("will btc be below its 2-day moving average", horizon_days=3).comparator == "below_moving_average"


def test_an_average_of_today_is_a_level():
    """No day ends by a deadline within the day."""
    today = criterion("will btc be above its 10-day moving average", horizon_days=0)
    assert (today.comparator, today.level) == ("close_above", 100.9)
