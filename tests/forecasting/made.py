"""Bars made by a seeded generator."""

from __future__ import annotations

import numpy as np

from service.market.assets import open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR

FIRST = 1_735_689_600  # 2025-01-01T00:00:00Z
DAYS = 120
NOW = FIRST + DAYS * DAY


def made_bars(asset: str, days: int, seed: int, first: int = FIRST) -> Bars:
    """A random walk of 0.5 % an hour from 100 USD, in the hours in which the asset trades."""
    time = first + HOUR * np.arange(days * 24)
    time = time[open_at(asset, time)]
    close = 100 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 0.005, len(time))))
    opens = np.concatenate([[100.0], close[:-1]])
    high, low = np.maximum(opens, close) * 1.001, np.minimum(opens, close) * 0.999
    return Bars(time, opens, high, low, close, np.ones(len(time)), HOUR)
