"""What lanes read off an asset at each hour's close: one row of indicators an hour.

Computed from a fixed first hour like every strategy's, so that a row is bitwise the same whenever it is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from service.market.bars import Bars, Prices
from service.market.instants import DAY
from service.market.ta_lib import talib
from service.trading.performance import DAYS_A_YEAR
from service.trading.rules.targets import earlier, log_price, log_returns, ratio, z_score

# Counted in bars of an hour, so that a closed market has none.
TREND_FAST, TREND_SLOW = 48, 192
RANGE = 48
STRETCH = 48
TRUE_RANGE = 24
WEEK = 7 * 24
MONTH = 30 * 24


class Reading(NamedTuple):
    """The indicators of one asset at the close of one hour; NaN until their look-back is filled.

    `time` is the unix second of the hour's opening; `close`, `high`, `low` USD. `trend`: distance of the fast from
    the slow average in average true ranges. `stretch`: standard deviations of the close from its mean, and one hour
    earlier. `ceiling`, `floor`: the extremes of the hours before, USD. `true_range`: the average one, USD.
    `volatility`: of the last week, as a fraction a year. `turnover`: USD traded in an hour, the mean of up to a
    month. `busy`: the last week's turnover over that.
    """

    time: int
    close: float
    high: float
    low: float
    trend: float
    stretch: float
    stretch_before: float
    ceiling: float
    floor: float
    true_range: float
    volatility: float
    turnover: float
    busy: float


def readings(hours: Bars, since: int = 0) -> list[Reading]:
    """The rows of the complete `hours` (n,) that open at or after the unix second `since`, oldest first.

    `hours` must begin at the same bar every time: averages remember all there was.
    """
    if not len(hours):
        return []
    first = int(np.searchsorted(hours.time, since))
    columns = [hours.time, hours.close, hours.high, hours.low, *_indicators(hours)]
    return [Reading(*row) for row in zip(*(column[first:].tolist() for column in columns), strict=True)]


def _indicators(hours: Bars) -> list[Prices]:
    """The columns of Reading after its prices, each (n,)."""
    true_range = talib.ATR(hours.high, hours.low, hours.close, TRUE_RANGE)
    stretch = z_score(log_price(hours), STRETCH)
    traded = hours.volume * hours.close
    turnover = rolling_mean(traded, MONTH)
    return [
        ratio(talib.EMA(hours.close, TREND_FAST) - talib.EMA(hours.close, TREND_SLOW), true_range),
        stretch,
        earlier(stretch),
        earlier(talib.MAX(hours.high, RANGE)),
        earlier(talib.MIN(hours.low, RANGE)),
        true_range,
        _volatility(hours),
        turnover,
        ratio(rolling_mean(traded, WEEK), turnover),
    ]


def _volatility(hours: Bars) -> Prices:
    """Root of a week's squared log returns as a fraction a year, (n,); NaN before a week is full.

    By the time that passed, not by the bars: over a weekend metals have none, and the Monday's return is theirs.
    """
    squares = np.nan_to_num(log_returns(hours)) ** 2
    passed = (hours.time[WEEK:] - hours.time[:-WEEK]) / (DAYS_A_YEAR * DAY)
    yearly = np.full(len(hours), np.nan)
    yearly[WEEK:] = np.sqrt(np.maximum(rolling_mean(squares, WEEK)[WEEK:] * WEEK, 0) / passed)
    return yearly


def rolling_mean(values: Prices, period: int) -> Prices:
    """The mean of the last `period` of `values` (n,), or of as many as there are."""
    total = np.cumsum(values)
    counted = np.minimum(np.arange(1, len(values) + 1), period)
    total[period:] -= total[:-period].copy()
    return total / counted
