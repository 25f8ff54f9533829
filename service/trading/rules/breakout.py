"""Breakout: in the direction in which the price leaves its range."""

from __future__ import annotations

from service.market.bars import Bars
from service.market.ta_lib import talib
from service.trading.rules.targets import Targets, earlier, hold, hold_beyond, log_price, ratio, z_score


def donchian_breakout(bars: Bars, *, entry: int, leave: int) -> Targets:
    """Enter beyond the extreme of the `entry` bars before, leave beyond the opposite extreme of the `leave` before.

    Donchian (1960), Commodity Year Book; with the shorter exit of the Turtles, Faith (2007), Way of the Turtle.
    """
    close = bars.close
    return hold(
        close > earlier(talib.MAX(bars.high, entry)),
        close < earlier(talib.MIN(bars.low, leave)),
        close < earlier(talib.MIN(bars.low, entry)),
        close > earlier(talib.MAX(bars.high, leave)),
    )


def bollinger_breakout(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter outside the band of `width` standard deviations of the log price, leave at its middle.

    Bollinger (2001), Bollinger on Bollinger Bands, method I.
    """
    return hold_beyond(z_score(log_price(bars), period), width)


def keltner_breakout(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter outside the channel of `width` average true ranges about the exponential average, leave at its middle.

    Keltner (1960), How to Make Money in Commodities; with average true ranges as Raschke and Connors (1995).
    """
    distance = bars.close - talib.EMA(bars.close, period)
    return hold_beyond(ratio(distance, talib.ATR(bars.high, bars.low, bars.close, period)), width)
