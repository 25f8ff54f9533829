"""Trend: in the direction of past prices."""

from __future__ import annotations

import numpy as np

from service.market.bars import Bars
from service.market.ta_lib import talib
from service.trading.rules.targets import Targets, follow_sign, hold


def moving_average_cross(bars: Bars, *, fast: int, slow: int) -> Targets:
    """Long while the fast simple average of the close is above the slow one, short while below.

    Brock, Lakonishok and LeBaron (1992), Journal of Finance 47(5).
    """
    return follow_sign(talib.SMA(bars.close, fast) / talib.SMA(bars.close, slow) - 1)


def macd(bars: Bars, *, fast: int, slow: int, signal: int) -> Targets:
    """Long while the MACD line is above its signal line, short while below.

    Appel (1979), The Moving Average Convergence-Divergence Trading Method.
    """
    _line, _signal, histogram = talib.MACD(bars.close, fast, slow, signal)
    return follow_sign(histogram / bars.close)


def adx_trend(bars: Bars, *, period: int, strong: float, weak: float) -> Targets:
    """In the direction of the larger directional indicator from an ADX above `strong` until one below `weak`.

    `strong` and `weak` are ADX points, 0 to 100. Wilder (1978), New Concepts in Technical Trading Systems.
    """
    strength = talib.ADX(bars.high, bars.low, bars.close, period)
    up = talib.PLUS_DI(bars.high, bars.low, bars.close, period)
    down = talib.MINUS_DI(bars.high, bars.low, bars.close, period)
    begins, ends = strength > strong, strength < weak
    return hold(begins & (up > down), ends | (up < down), begins & (up < down), ends | (up > down))


def supertrend(bars: Bars, *, period: int, width: float) -> Targets:
    """Long or short by the last band the close broke, of two at `width` average true ranges from the middle.

    TA-Lib starts every series in a rising trend; here the target is 0 until the first break.
    Seban (2008), Tout le monde mérite d'être riche.
    """
    _line, direction = talib.SUPERTREND(bars.high, bars.low, bars.close, period, width)
    turned = np.diff(direction, prepend=direction[:1])
    rose, fell = turned == 2, turned == -2
    return hold(rose, fell, fell, rose)


def parabolic_sar(bars: Bars, *, acceleration: float, maximum: float) -> Targets:
    """Long while the close is above the parabolic stop-and-reverse line, short while below.

    The line gains `acceleration` of its gap at each new extreme, at most `maximum`.
    Wilder (1978), New Concepts in Technical Trading Systems.
    """
    return follow_sign(bars.close / talib.SAR(bars.high, bars.low, acceleration, maximum) - 1)
