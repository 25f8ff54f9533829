"""Relative strength: an asset against the others with the same trading hours."""

from __future__ import annotations

import numpy as np

from service.market.bars import Bars, Prices
from service.trading.rules.momentum import scaled_return
from service.trading.rules.targets import Targets, hold_beyond, log_price, ratio


def relative_strength(bars: Bars, peers: Prices, *, lookback: int, width: float) -> Targets:
    """Long when the volatility-scaled return is above the peers' mean by `width`, short when below, until it crosses.

    `peers` are the closes of the assets with the same trading hours, at this asset's bars: shape (assets, n), USD,
    NaN before a peer's first bar. A peer counts once its look-back is filled; without any the target is 0.
    Levy (1967), Journal of Finance 22(4); Jegadeesh and Titman (1993), Journal of Finance 48(1).
    """
    theirs = np.array([scaled_return(np.log(closes), lookback) for closes in peers]).reshape(len(peers), len(bars))
    counted = np.isfinite(theirs)
    average = ratio(np.where(counted, theirs, 0).sum(axis=0), counted.sum(axis=0).astype(float))
    return hold_beyond(scaled_return(log_price(bars), lookback) - average, width)
