"""The indicators of an asset at each hour's close, which the lanes decide on.

They are computed from a fixed first hour, like those of every strategy, so that a row is always bitwise the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from service.market.bars import Bars, Prices
from service.market.instants import DAY
from service.market.ta_lib import talib
from service.trading.performance import DAYS_A_YEAR
from service.trading.rules import earlier, log_price, log_returns, ratio, z_score

# Counted in one-hour bars; hours in which the market is closed do not count.
TREND_FAST, TREND_SLOW = 48, 192
RANGE = 48
DEVIATION = 48
TRUE_RANGE = 24
WEEK = 7 * 24
MONTH = 30 * 24


class HourReading(NamedTuple):
    """The indicators of one asset at the close of one hour; NaN until their look-back is filled.

    `time` is the unix second of the hour's opening; `close`, `high`, `low` are USD. `trend`: fast less slow average,
    in average true ranges. `deviation`: distance of the log price from its mean in standard deviations;
    `deviation_before`: the same one hour earlier. `ceiling`, `floor`: the extremes of the preceding hours, USD.
    `true_range`: the average true range, USD. `volatility`: of the last week, as a fraction a year. `turnover`: mean
    USD traded in an hour over up to a month. `busy`: the mean of the last week over that.
    """

    time: int
    close: float
    high: float
    low: float
    trend: float
    deviation: float
    deviation_before: float
    ceiling: float
    floor: float
    true_range: float
    volatility: float
    turnover: float
    busy: float


def readings(hours: Bars, since: int = 0) -> list[HourReading]:
    """The rows of the complete `hours` (n,) that open at or after the unix second `since`, oldest first.

    `hours` must begin at the same bar every time: exponential averages depend on their whole history.
    """
    if not len(hours):
        return []
    first = int(np.searchsorted(hours.time, since))
    columns = [hours.time, hours.close, hours.high, hours.low, *_indicators(hours)]
    return [HourReading(*row) for row in zip(*(column[first:].tolist() for column in columns), strict=True)]


def _indicators(hours: Bars) -> list[Prices]:
    """The columns of Reading after its prices, each (n,)."""
    true_range = talib.ATR(hours.high, hours.low, hours.close, TRUE_RANGE)
    deviation = z_score(log_price(hours), DEVIATION)
    traded_usd = hours.volume * hours.close
    turnover = rolling_mean(traded_usd, MONTH)
    return [
        ratio(talib.EMA(hours.close, TREND_FAST) - talib.EMA(hours.close, TREND_SLOW), true_range),
        deviation,
        earlier(deviation),
        earlier(talib.MAX(hours.high, RANGE)),
        earlier(talib.MIN(hours.low, RANGE)),
        true_range,
        _volatility(hours),
        turnover,
        ratio(rolling_mean(traded_usd, WEEK), turnover),
    ]


def _volatility(hours: Bars) -> Prices:
    """Annualised root mean square of a week's log returns, (n,), as a fraction; NaN before a full week of bars.

    It is scaled by the time that passed, not by the number of bars: metals have none over a weekend.
    """
    squares = np.nan_to_num(log_returns(hours)) ** 2
    years = (hours.time[WEEK:] - hours.time[:-WEEK]) / (DAYS_A_YEAR * DAY)
    yearly = np.full(len(hours), np.nan)
    yearly[WEEK:] = np.sqrt(np.maximum(rolling_mean(squares, WEEK)[WEEK:] * WEEK, 0) / years)
    return yearly


def rolling_mean(values: Prices, period: int) -> Prices:
    """The mean of the last `period` of `values` (n,), or of all of them where there are fewer."""
    total = np.cumsum(values)
    counts = np.minimum(np.arange(1, len(values) + 1), period)
    total[period:] -= total[:-period].copy()
    return total / counts
