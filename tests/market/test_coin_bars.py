"""The bars of a coin outside the seven: hours built from shorter bars, quiet times, and what is too little history."""

from __future__ import annotations

import pytest

from service.market.bars import Bars, empty, from_rows
from service.market.coin_bars import CoinBars
from service.market.instants import DAY, HOUR

STEP = 300
NOW = 500_000 * HOUR


def _bars(times: range | list[int], step: int, price: float = 1.0) -> Bars:
    return from_rows([(time, price, price, price, price, 1.0) for time in times], step)


def test_hours_are_built_from_fine_bars_where_these_are_whole():
    """The first hour lacks its beginning and the last its end: the first keeps the bar of the exchange."""
    fine = _bars(range(NOW - 2 * HOUR + STEP, NOW + 2 * STEP, STEP), STEP, price=2.0)
    stored = CoinBars(_bars(range(NOW - 5 * HOUR, NOW - HOUR, HOUR), HOUR), fine)
    assert stored.built.time.tolist() == [NOW - HOUR]
    assert stored.hours.close.tolist() == [1.0, 1.0, 1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("first", "every", "reason"),
    [
        (NOW - 90 * DAY, 1, ""),
        (NOW - 90 * DAY + HOUR, 1, "has 89 days"),
        (NOW - 43 * DAY, 1, "has 43 days of hourly prices at the exchanges of this service; 90 are needed"),
        (NOW - 120 * DAY, 2, "traded in only 50% of the hours of the last 30 days"),
    ],
)
def test_too_little_history_is_refused_with_its_size(first, every, reason):
    coin = CoinBars(_bars(range(first, NOW, every * HOUR), HOUR), empty(STEP))
    assert coin.refusal.startswith(reason) if reason else coin.refusal == ""


def test_a_coin_without_bars_has_no_day():
    assert CoinBars(empty(HOUR), empty(STEP)).refusal.startswith("has 0 days")
