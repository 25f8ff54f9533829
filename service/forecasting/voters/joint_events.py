"""The probability that two assets' events both take place.

Each event alone is as likely as the voter says of it. How far they go together is counted on the joint paths of the two
assets: the odds ratio of the two events, which with their probabilities gives that of both (Plackett 1965).
"""

from __future__ import annotations

import math

import numpy as np

from service.forecasting.voters.path_events import Flags, PathReader
from service.questions.question import Question

HALF = 0.5  # added to each count, so that an odds ratio is finite (Haldane 1956)


def odds_ratio(first: Flags, second: Flags) -> float:
    """The odds of the second event where the first took place, over its odds elsewhere; by path, shape (PATHS,)."""
    both, only_first, only_second, neither = (
        float(np.count_nonzero(cell)) + HALF
        for cell in (first & second, first & ~second, ~first & second, ~first & ~second)
    )
    return both * neither / (only_first * only_second)


def p_both(first: float, second: float, ratio: float) -> float:
    """P(both) of two events with these probabilities and this odds ratio.

    Solves `ratio = x (1 - p - q + x) / ((p - x) (q - x))` for x; independent events have the ratio 1.
    """
    if abs(ratio - 1) < 1e-9:
        return first * second
    total = 1 + (first + second) * (ratio - 1)
    return (total - math.sqrt(total * total - 4 * ratio * (ratio - 1) * first * second)) / (2 * (ratio - 1))


def on_paths(event: Question, reader: PathReader) -> Flags:
    """The paths on which the event of a leg takes place, shape (PATHS,); `negated` turns it round."""
    took_place = _took_place(event, reader)
    return ~took_place if event.negated else took_place


def _took_place(event: Question, reader: PathReader) -> Flags:
    paths = reader.paths
    match event.comparator:
        case "touch_above":
            return paths.maximum >= reader.extreme(event.threshold, event.spot)
        case "touch_below":
            return paths.minimum <= -reader.extreme(event.threshold, event.spot)
        case "close_above":
            return paths.closes[-1] > reader.close(event)
        case "close_below":
            return paths.closes[-1] < reader.close(event)
        case "up":
            return paths.closes[-1] > 0
    return paths.closes[-1] < 0
