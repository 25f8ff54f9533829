"""Momentum: long in assets that have risen, short in those that have fallen."""

from __future__ import annotations

import numpy as np

from service.market.bars import Bars, Prices
from service.market.ta_lib import talib
from service.trading.rules.targets import Targets, earlier, hold_beyond, log_price, ratio


def rate_of_change(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter in the direction of a change over `period` bars beyond `width`, a fraction; leave when its sign changes.

    Murphy (1999), Technical Analysis of the Financial Markets, chapter 10.
    """
    return hold_beyond(talib.ROCP(bars.close, period), width)


def time_series_momentum(bars: Bars, *, lookback: int, width: float) -> Targets:
    """Enter in the direction of a return over `lookback` bars beyond `width` volatilities; leave when its sign changes.

    Moskowitz, Ooi and Pedersen (2012), Journal of Financial Economics 104(2).
    """
    return hold_beyond(scaled_return(log_price(bars), lookback), width)


def scaled_return(logs: Prices, lookback: int) -> Prices:
    """The change of log prices (n,) over `lookback` bars in standard deviations of such a change; NaN until filled."""
    volatility = talib.STDDEV(logs - earlier(logs), lookback)
    return ratio(talib.MOM(logs, lookback), volatility * np.sqrt(lookback))
