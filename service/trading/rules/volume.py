"""Volume: prices weighted by the volume traded at them."""

from __future__ import annotations

import numpy as np

from service.market.bars import Bars
from service.market.ta_lib import talib
from service.trading.rules.targets import Targets, earlier, fade_beyond, follow_sign, hold, ratio


def vwap_deviation(bars: Bars, *, period: int, width: float) -> Targets:
    """Against a close `width` usual distances away from the volume-weighted average price, until it returns to it.

    Berkowitz, Logue and Noser (1988), Journal of Finance 43(1).
    """
    average = talib.VWMA(talib.TYPPRICE(bars.high, bars.low, bars.close), bars.volume, period)
    # Where nothing was traded TA-Lib divides one rounding error by another, which gives an arbitrary number.
    silent = talib.MAX(bars.volume, period) == 0
    distance = bars.close / np.where(silent, bars.close, average) - 1
    return fade_beyond(ratio(distance, np.sqrt(np.maximum(talib.SMA(distance**2, period), 0))), width)


def obv_trend(bars: Bars, *, period: int) -> Targets:
    """Long while on-balance volume is above its exponential average, short while below.

    Granville (1963), Granville's New Key to Stock Market Profits.
    """
    balance = talib.OBV(bars.close, bars.volume)
    return follow_sign(ratio(balance - talib.EMA(balance, period), talib.SMA(bars.volume, period)))


def volume_breakout(bars: Bars, *, period: int, surge: float) -> Targets:
    """Enter beyond the extreme of the `period` bars before on `surge` times their mean volume, leave at the average.

    O'Neil (1988), How to Make Money in Stocks.
    """
    surged = bars.volume > surge * earlier(talib.SMA(bars.volume, period))
    middle = talib.SMA(bars.close, period)
    return hold(
        surged & (bars.close > earlier(talib.MAX(bars.high, period))),
        bars.close < middle,
        surged & (bars.close < earlier(talib.MIN(bars.low, period))),
        bars.close > middle,
    )
