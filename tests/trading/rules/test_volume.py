"""Rules that use the volume."""

from __future__ import annotations

import talib

from service.trading.rules import volume
from tests.trading.rules.bars import bars_of, wave


def test_vwap_ignores_hours_without_volume():
    """TA-Lib's own average of such hours is a quotient of rounding errors."""
    volumes = [1e6 * (1 + 0.37 * (at % 7)) / 3 for at in range(100)] + [0.0] * 60
    bars = bars_of(wave(160, 50), volumes)
    assert talib.VWMA(bars.close, bars.volume, 20)[-1] > 300
    targets = volume.vwap_deviation(bars, period=20, width=2)
    assert set(targets[119:].tolist()) == {targets[118]}


def test_obv_trend_follows_the_side_on_which_volume_is_traded():
    closes = [100 + at % 2 for at in range(60)]
    buying = [3.0 if at % 2 else 1.0 for at in range(60)]
    selling = [1.0 if at % 2 else 3.0 for at in range(60)]
    assert volume.obv_trend(bars_of(closes, buying), period=10)[-1] == 1
    assert volume.obv_trend(bars_of(closes, selling), period=10)[-1] == -1


def test_a_volume_breakout_needs_the_volume():
    closes = [100.0 + at % 2 for at in range(20)] + [103.0]
    rule = volume.volume_breakout
    assert rule(bars_of(closes, [1.0] * 20 + [1.9]), period=10, surge=2)[-1] == 0
    assert rule(bars_of(closes, [1.0] * 20 + [2.1]), period=10, surge=2)[-1] == 1


def test_a_volume_breakout_is_left_at_the_average_price():
    closes = [100.0 + at % 2 for at in range(20)] + [103.0, 103.0, 100.0]
    targets = volume.volume_breakout(bars_of(closes, [1.0] * 20 + [3.0, 1.0, 1.0]), period=10, surge=2)
    assert targets[-3:].tolist() == [1, 1, 0]
