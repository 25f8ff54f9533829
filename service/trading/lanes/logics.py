"""Four ways to trade an exchange, each a function from what is known at an hour's close to what is wanted then.

An unknown reading (NaN) opens nothing. What is wanted is filled at the asset's next open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from service.market.instants import HOUR
from service.trading.lanes.readings import Reading

# Trend follower: average true ranges between the averages at which a trend begins, volatility a year it is sized for.
TREND_BEGINS = 1.0
TREND_VOLATILITY = 0.4
# Mean reverter: standard deviations from the mean, and how long it waits for the way back.
STRETCHED = 2.0
PATIENCE = 48 * HOUR
# Breakout: average true ranges between the best price and the stop.
STOP_WIDTH = 3.0
# Consensus: the probability from which a vote is followed, in either direction.
CONVINCED = 0.55


@dataclass(frozen=True)
class Intent:
    """What a lane wants of one asset: `side` 1, 0 or -1; `weight` the part of the asset's share of the capital it
    puts in, 0 to 1; `stop` the USD price at which an order to get out rests (None: no such order)."""

    side: int
    weight: float = 1.0
    stop: float | None = None


@dataclass(frozen=True)
class Holding:
    """A position that is held: `quantity` is negative when short, `entry_price` USD after slippage.

    `fee_usd` was paid to enter at the unix second `opened_at`; `stop` is the resting order, if any.
    """

    quantity: float
    entry_price: float
    fee_usd: float
    opened_at: int
    stop: float | None = None

    @property
    def side(self) -> int:
        return 1 if self.quantity > 0 else -1


@dataclass(frozen=True)
class View:
    """One asset at the close of its last hour: `vote` is the probability that it costs more in a day, if voted on."""

    reading: Reading
    held: Holding | None
    vote: float | None


Logic = Callable[[View], Intent]

OUT = Intent(0)


def follow_trend(view: View) -> Intent:
    """With the gap between two exponential averages, from one true range on until they cross.

    The position shrinks as the asset gets wilder than TREND_VOLATILITY.
    Appel (1979) for the averages; Moskowitz, Ooi and Pedersen (2012) for the size.
    """
    gap, held = view.reading.trend, view.held
    if held and held.side * gap > 0:
        return Intent(held.side)
    if abs(gap) > TREND_BEGINS and view.reading.volatility > 0:
        return Intent(1 if gap > 0 else -1, min(1.0, TREND_VOLATILITY / view.reading.volatility))
    return OUT


def fade_stretch(view: View) -> Intent:
    """Against a price that comes back inside two standard deviations, until it is at its mean or time is up.

    Bollinger (2001), Bollinger on Bollinger Bands, method III; the time stop of Chan (2013), Algorithmic Trading.
    """
    reading, held = view.reading, view.held
    if held:
        waited = reading.time + HOUR - held.opened_at
        back = held.side * reading.stretch >= 0
        return OUT if back or waited >= PATIENCE else Intent(held.side)
    if reading.stretch_before < -STRETCHED <= reading.stretch:
        return Intent(1)
    if reading.stretch_before > STRETCHED >= reading.stretch:
        return Intent(-1)
    return OUT


def break_out(view: View) -> Intent:
    """Beyond the range of the last hours, with a stop some true ranges away that only ever comes closer.

    Donchian (1960), Commodity Year Book; LeBeau's chandelier stop, in Elder (2002), Come Into My Trading Room.
    """
    reading, held = view.reading, view.held
    room = STOP_WIDTH * reading.true_range
    if held and held.side > 0:
        return Intent(1, stop=max(held.stop, reading.high - room))
    if held:
        return Intent(-1, stop=min(held.stop, reading.low + room))
    if reading.close > reading.ceiling:
        return Intent(1, stop=reading.close - room)
    if reading.close < reading.floor:
        return Intent(-1, stop=reading.close + room)
    return OUT


def follow_votes(view: View) -> Intent:
    """With the oracle's consensus from CONVINCED on, until it changes its mind; where nobody voted, out."""
    vote, held = view.vote, view.held
    if vote is None:
        return OUT
    if held and held.side * (vote - 0.5) > 0:
        return Intent(held.side)
    if vote >= CONVINCED:
        return Intent(1)
    return Intent(-1) if 1 - vote >= CONVINCED else OUT
