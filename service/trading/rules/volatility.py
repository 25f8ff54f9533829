"""Volatility: a trend is followed only while the market is quiet."""

from __future__ import annotations

from service.market.bars import Bars
from service.market.ta_lib import talib
from service.trading.rules.targets import Targets, hold, log_returns, ratio


def volatility_regime(bars: Bars, *, period: int, quiet: float, loud: float) -> Targets:
    """In the direction of the price's side of its long average while volatility is low, flat while it is high.

    The regime is the volatility of `period` bars over that of four times as many: quiet below `quiet`, loud above
    `loud`. Moreira and Muir (2017), Journal of Finance 72(4).
    """
    returns = log_returns(bars)
    regime = ratio(talib.STDDEV(returns, period), talib.STDDEV(returns, 4 * period))
    average = talib.SMA(bars.close, 4 * period)
    above, below = bars.close > average, bars.close < average
    return hold((regime < quiet) & above, (regime > loud) | below, (regime < quiet) & below, (regime > loud) | above)
