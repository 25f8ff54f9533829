"""Rules that follow a trend."""

from __future__ import annotations

from service.trading.rules import trend
from tests.trading.rules.bars import bars_of


def test_moving_average_cross_by_hand():
    """Averages of two and three bars: 12.5 and 13.3 at the fall, 9 and 11.7, then 10 and 9.3 at the rise."""
    targets = trend.moving_average_cross(bars_of([15, 15, 15, 10, 10, 8, 12, 12]), fast=2, slow=3)
    assert targets.tolist() == [0, 0, 0, -1, -1, -1, 0, 1]


def test_macd_is_long_while_a_rise_accelerates():
    closes = [100 + at**2 for at in range(40)] + [100 + 1600 + at**0.5 for at in range(40)]
    targets = trend.macd(bars_of(closes), fast=3, slow=6, signal=3)
    assert targets[20:40].tolist() == [1] * 20
    assert targets[50] == -1


def test_adx_trend_follows_only_a_one_way_market():
    sideways = [129 + (0, 1, 2, 1)[at % 4] for at in range(40)]
    closes = [100 + at for at in range(30)] + sideways + [129 - at for at in range(30)]
    targets = trend.adx_trend(bars_of(closes), period=5, strong=25, weak=20)
    assert targets[29] == 1
    assert targets[65] == 0
    assert targets[-1] == -1


def test_supertrend_takes_a_side_from_the_first_break_on():
    closes = [100 + at for at in range(20)] + [120 - 3 * at for at in range(20)] + [60 + 3 * at for at in range(20)]
    targets = trend.supertrend(bars_of(closes), period=5, width=2)
    assert targets[:20].tolist() == [0] * 20
    assert targets[39] == -1
    assert targets[-1] == 1


def test_parabolic_sar_turns_when_the_price_reaches_its_line():
    closes = [100 + at for at in range(20)] + [110 - 2 * at for at in range(20)]
    targets = trend.parabolic_sar(bars_of(closes), acceleration=0.02, maximum=0.2)
    assert targets[2:20].tolist() == [1] * 18
    assert targets[-1] == -1
