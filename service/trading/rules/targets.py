"""The arithmetic shared by the rules, from indicators to targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.market.bars import Bars, Prices
from service.market.ta_lib import talib

Targets = NDArray[np.int8]
Flags = NDArray[np.bool_]

# A value below this is a rounding error; without it a market that does not move would trade.
NOISE = 1e-9


def follow_sign(values: Prices) -> Targets:
    """Long where `values` (n,), a dimensionless figure, is positive, short where negative, 0 at zero and at NaN."""
    return (values > NOISE).astype(np.int8) - (values < -NOISE).astype(np.int8)


def hold(enter_long: Flags, leave_long: Flags, enter_short: Flags, leave_short: Flags) -> Targets:
    """Hysteresis: a position is held from its entry until its own exit or the entry of the other side.

    All four are (n,). Where a bar has both the entry and the exit of a side, the exit counts.
    """
    long = _hold_one_side(enter_long, leave_long | enter_short)
    short = _hold_one_side(enter_short, leave_short | enter_long)
    return long - short


def _hold_one_side(enter: Flags, leave: Flags) -> Targets:
    """1 from an `enter` up to the next `leave`: each event holds until the next one."""
    events = np.flatnonzero(enter | leave)
    lasting = np.diff(events, append=len(enter))
    held = np.repeat((enter & ~leave)[events].astype(np.int8), lasting)
    return np.append(np.zeros(len(enter) - len(held), np.int8), held)


def hold_beyond(values: Prices, width: float) -> Targets:
    """Long from above `width` until below 0, short from below `-width` until above 0; a NaN changes nothing."""
    return hold(values > width, values < 0, values < -width, values > 0)


def fade_beyond(values: Prices, width: float) -> Targets:
    """Short from above `width` until below 0, long from below `-width` until above 0: `hold_beyond` reversed."""
    return -hold_beyond(values, width)


def earlier(values: Prices) -> Prices:
    """`values` (n,) of the previous bar; NaN at the first."""
    shifted = np.full_like(values, np.nan)
    shifted[1:] = values[:-1]
    return shifted


def ratio(above: Prices, below: Prices) -> Prices:
    """`above / below`, NaN where `below` is unknown or not positive."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def log_price(bars: Bars) -> Prices:
    """Log of the close over the first close, shape (n,).

    TA-Lib's STDDEV is sqrt(E[x^2] - E[x]^2) and takes a variance below 1e-14 for zero, which loses that of a cheap
    coin's raw price. Logs relative to the first bar are near 0 at any price.
    """
    return np.log(bars.close / bars.close[:1])


def log_returns(bars: Bars) -> Prices:
    """Log return of each bar over the one before, shape (n,); NaN at the first."""
    logs = log_price(bars)
    return logs - earlier(logs)


def z_score(values: Prices, period: int) -> Prices:
    """The distance of `values` (n,) from their mean of `period` bars in standard deviations; NaN where these are 0."""
    return ratio(values - talib.SMA(values, period), talib.STDDEV(values, period))
