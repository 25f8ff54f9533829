"""Relative strength: an asset against the others that trade the same hours."""

from __future__ import annotations

import numpy as np

from service.market.bars import Bars, Prices
from service.trading.rules.momentum import scaled_return
from service.trading.rules.targets import Targets, hold_beyond, log_price, ratio


def relative_strength(bars: Bars, peers: Prices, *, lookback: int, width: float) -> Targets:
    """Long while the volatility-scaled return is ahead of the peers' mean by `width`, short while behind, until level.

    `peers` are the closes of the assets that trade the same hours, at this asset's bars: shape (assets, n), USD,
    NaN before a peer's first bar; a peer counts once its look-back is filled, and without any the target is 0.
    Levy (1967), Journal of Finance 22(4); Jegadeesh and Titman (1993), Journal of Finance 48(1).
    """
    theirs = np.array([scaled_return(np.log(closes), lookback) for closes in peers]).reshape(len(peers), len(bars))
    known = np.isfinite(theirs)
    average = ratio(np.where(known, theirs, 0).sum(axis=0), known.sum(axis=0).astype(float))
    return hold_beyond(scaled_return(log_price(bars), lookback) - average, width)
