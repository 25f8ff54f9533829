"""Reversion: against a price far from its mean, until it returns."""

from __future__ import annotations

from service.market.bars import Bars
from service.market.ta_lib import talib
from service.trading.rules.targets import Targets, earlier, fade_beyond, hold, log_price, z_score


def rsi_reversion(bars: Bars, *, period: int, width: float) -> Targets:
    """Buy a relative strength index below 50 - `width`, sell one above 50 + `width`, leave at 50.

    Wilder (1978), New Concepts in Technical Trading Systems.
    """
    # RSI - 50 is half of TA-Lib's CMO. Where nothing moved CMO is 0, which is neutral; TA-Lib's RSI is 0 too: oversold.
    return fade_beyond(talib.CMO(bars.close, period) / 2, width)


def bollinger_reversion(bars: Bars, *, period: int, width: float) -> Targets:
    """Enter when the close comes back inside the band of `width` standard deviations, leave at its middle.

    Bollinger (2001), Bollinger on Bollinger Bands, method III.
    """
    score = z_score(log_price(bars), period)
    before = earlier(score)
    came_up = (before < -width) & (score >= -width)
    came_down = (before > width) & (score <= width)
    return hold(came_up, score > 0, came_down, score < 0)


def z_score_reversion(bars: Bars, *, period: int, width: float) -> Targets:
    """Against a log price `width` standard deviations from its mean, until it returns to the mean.

    Chan (2013), Algorithmic Trading, chapter 3.
    """
    return fade_beyond(z_score(log_price(bars), period), width)
