"""Trailing windows over the rows of an hour grid. Every step is sequential, so a prefix gives a prefix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gain(running: Array, span: int) -> Array:
    """The gain of a running sum over the last `span` rows, or since its start."""
    earlier = np.zeros_like(running)
    earlier[span:] = running[:-span] if span < len(running) else []
    return running - earlier


def trailing_mean(values: Array, opened: Array, span: int) -> Array:
    """The sum of the last `span` rows per open hour among them, `opened` being the running count of those."""
    return gain(np.cumsum(values), span) / np.maximum(gain(opened, span), 1.0)


def open_gain(running: Array, opened: Array, span: int) -> Array:
    """The gain of a running sum over the last `span` open hours, or since its start; it stays while a market is closed.

    `opened` is the running count of open hours.
    """
    start = np.searchsorted(opened, opened - span, side="right") - 1
    return running - np.where(start < 0, 0.0, running[np.maximum(start, 0)])


def open_mean(values: Array, opened: Array, span: int) -> Array:
    """The mean of the last `span` open hours, or of as many as there are."""
    return open_gain(np.cumsum(values), opened, span) / np.clip(opened, 1.0, span)


def decayed_mean(values: Array, opened: Array, half_life: float) -> Array:
    """Exponentially weighted mean per open hour; the weights decay in open hours alone."""
    decay, is_open = 0.5 ** (1 / half_life), np.diff(opened, prepend=0.0) > 0
    weights = decayed_sum(is_open.astype(float), is_open, decay)
    return decayed_sum(values, is_open, decay) / np.maximum(weights, 1.0)


def decayed_sum(values: Array, is_open: NDArray[np.bool_], decay: float, start: float = 0.0) -> Array:
    """The running sum of `values` from `start` on; in each open hour it is multiplied by `decay` before the value.

    Within a block of rows the weights differ by at most a factor of 2**30, so dividing by them loses no precision that
    matters.
    """
    sums, rows = np.empty(len(values)), int(-30 / np.log2(decay))
    for first in range(0, len(values), rows):
        block = slice(first, first + rows)
        weights = decay ** np.cumsum(is_open[block])
        sums[block] = weights * (start + np.cumsum(values[block] / weights))
        start = sums[block][-1]
    return sums


def trailing_max(values: Array, span: int) -> Array:
    """The largest of the last `span` values, by the maxima of blocks of that length (van Herk 1992)."""
    padded = np.concatenate([values, np.full(-len(values) % span, -np.inf)]).reshape(-1, span)
    ahead = np.maximum.accumulate(padded, axis=1).ravel()
    behind = np.maximum.accumulate(padded[:, ::-1], axis=1)[:, ::-1].ravel()
    first = np.maximum(np.arange(len(values)) - span + 1, 0)
    return np.maximum(ahead[: len(values)], np.where(first % span == 0, -np.inf, behind[first]))
