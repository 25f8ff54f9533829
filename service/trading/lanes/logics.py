"""The logics of the four exchange lanes: functions from the market at an hour's close to the position wanted.

An unknown reading (NaN) opens nothing. A wanted position is filled at the asset's next open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from service.market.instants import HOUR
from service.trading.lanes.lane import HourReading, LaneVote

# The volatility a year at which a position that is sized by volatility is reduced.
TARGET_VOLATILITY = 0.4
# Trend follower: the gap between the averages, in average true ranges, at which a trend begins.
TREND_BEGINS = 1.0
# Mean reverter: standard deviations from the mean, and how long it waits for the price to return.
EXTREME = 2.0
LONGEST_WAIT = 48 * HOUR
# Breakout: average true ranges between the best price and the stop.
STOP_WIDTH = 3.0
# Consensus: the least change of a weight that is traded.
LEAST_CHANGE = 0.1


@dataclass(frozen=True)
class Intent:
    """The position a lane wants in one asset.

    `side` is 1, 0 or -1; `weight` the fraction of the asset's share of the capital to use, 0 to 1; `stop` the price in
    USD of a stop order (None: no such order). A position whose weight changes is enlarged or reduced.
    """

    side: int
    weight: float = 1.0
    stop: float | None = None


@dataclass(frozen=True)
class Holding:
    """An open position: `quantity` is negative when short, `entry_price` the mean price in USD after slippage.

    `fee_usd` was paid for it since the unix second `opened_at`; `stop` is the price of the stop order, if any. `weight`
    is that of the last order. `owed` is the interest of a short so far, in units of the asset.
    """

    quantity: float
    entry_price: float
    fee_usd: float
    opened_at: int
    stop: float | None = None
    weight: float = 1.0
    owed: float = 0.0

    @property
    def side(self) -> int:
        return 1 if self.quantity > 0 else -1

    @property
    def kept(self) -> Intent:
        """The intent that changes nothing."""
        return Intent(self.side, self.weight, self.stop)


# From one asset at the close of its last hour, what is held of it, and the pool's forecast if there is one.
Logic = Callable[[HourReading, Holding | None, LaneVote | None], Intent]

OUT = Intent(0)


def follow_trend(reading: HourReading, holding: Holding | None, _vote: LaneVote | None) -> Intent:
    """In the direction of the gap between two averages, from one average true range on until they cross.

    The position is reduced in proportion where the volatility exceeds TARGET_VOLATILITY.
    Appel (1979) for the averages; Moskowitz, Ooi and Pedersen (2012) for the size.
    """
    gap = reading.trend
    if holding and holding.side * gap > 0:
        return holding.kept
    if abs(gap) > TREND_BEGINS and reading.volatility > 0:
        return Intent(1 if gap > 0 else -1, min(1.0, TARGET_VOLATILITY / reading.volatility))
    return OUT


def fade_deviation(reading: HourReading, holding: Holding | None, _vote: LaneVote | None) -> Intent:
    """Against an extreme price that has returned inside two standard deviations, until the mean or the time limit.

    Bollinger (2001), Bollinger on Bollinger Bands, method III; the time stop of Chan (2013), Algorithmic Trading.
    """
    if holding:
        age = reading.time + HOUR - holding.opened_at
        back = holding.side * reading.deviation >= 0
        return OUT if back or age >= LONGEST_WAIT else holding.kept
    if reading.deviation_before < -EXTREME <= reading.deviation:
        return Intent(1)
    if reading.deviation_before > EXTREME >= reading.deviation:
        return Intent(-1)
    return OUT


def break_out(reading: HourReading, holding: Holding | None, _vote: LaneVote | None) -> Intent:
    """In the direction of a break of the last hours' range, with a trailing stop of STOP_WIDTH average true ranges.

    Donchian (1960), Commodity Year Book; LeBeau's chandelier stop, in Elder (2002), Come Into My Trading Room.
    """
    room = STOP_WIDTH * reading.true_range
    if holding and holding.stop is not None:
        long = holding.side > 0
        stop = max(holding.stop, reading.high - room) if long else min(holding.stop, reading.low + room)
        return Intent(holding.side, stop=stop)
    if reading.close > reading.ceiling:
        return Intent(1, stop=reading.close - room)
    if reading.close < reading.floor:
        return Intent(-1, stop=reading.close + room)
    return OUT


def follow_forecast(reading: HourReading, holding: Holding | None, vote: LaneVote | None) -> Intent:
    """Long, and smaller the more volatility is forecast: TARGET_VOLATILITY over it, times twice the pool's P(up).

    Moreira and Muir (2017), Volatility-Managed Portfolios. Without a forecast the volatility of the last week counts,
    with even odds. Changes of the weight below LEAST_CHANGE are not worth their cost.
    """
    volatility, p_up = vote or LaneVote(reading.volatility, 0.5)
    if not volatility > 0:
        return holding.kept if holding else OUT
    weight = min(1.0, 2 * p_up * TARGET_VOLATILITY / volatility)
    if holding and abs(weight - holding.weight) < LEAST_CHANGE:
        return holding.kept
    return Intent(1, weight)
