"""The benchmarks without skill."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.market.bars import from_rows
from service.market.instants import DAY, HOUR
from service.trading.arena import Arena
from service.trading.ghosts import buy_and_hold, coin_flip


def test_buy_and_hold_earns_the_price_change_less_one_fee(arena: Arena, hours):
    """Without slippage 1 / 1.0005 of the capital follows the price from the second open to the last close."""
    bars = hours["eth"]
    expected = 10_000 / 1.0005 * bars.close[-1] / (bars.open[1] * 1.0002)
    assert arena.ghosts["buy_and_hold"]["eth"].equity == pytest.approx(expected)
    assert buy_and_hold("eth", bars).tolist() == [1] * len(bars)


def test_a_coin_is_tossed_once_a_day(hours):
    bars = hours["btc"]
    sides = coin_flip("btc", bars).reshape(-1, 24)
    assert (sides == sides[:, :1]).all()
    assert 20 <= (sides[:, 0] == 1).sum() <= 40
    assert coin_flip("btc", bars[100:]).tolist() == coin_flip("btc", bars)[100:].tolist()
    assert coin_flip("eth", replace(hours["eth"])).tolist() != coin_flip("btc", bars).tolist()
    assert coin_flip("btc", bars[:0]).tolist() == []


def test_the_tosses_never_change():
    """2025-01-01 to 2025-01-10, bitcoin."""
    days = from_rows([(1735689600 + DAY * at, 1, 1, 1, 1, 1) for at in range(10)], HOUR)
    assert coin_flip("btc", days).tolist() == [1, -1, -1, -1, -1, 1, -1, 1, -1, -1]
