"""How far luck alone would bring a forecaster whose probabilities are right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting.voters.scoring import Array

RECORDS = 500  # simulated for each row
AT_ONCE = 20  # in memory


@dataclass(frozen=True)
class Luck:
    """What 500 simulated records of the same forecasts show, if every probability is right.

    `expected_best` is the mean longest run of right answers. A run as long as the observed one occurs in
    `best_reached_pct` of them, as many right answers in `accuracy_reached_pct`.
    """

    expected_best: float
    best_reached_pct: float
    accuracy_reached_pct: float


def luck_of(p: Array, best: int, correct: int, generator: np.random.Generator) -> Luck | None:
    """The luck behind a longest run of `best` and `correct` right sides; None without a forecast.

    `p` (n,) is P(YES) in order of resolution. Each side comes true with its own probability, independently of the
    others; correlated questions spread more, so long runs are somewhat more frequent than this.
    """
    if not len(p):
        return None
    likelier = np.maximum(p, 1 - p)
    records = (generator.random((AT_ONCE, len(p)), dtype=np.float32) < likelier for _ in range(RECORDS // AT_ONCE))
    parts = [(longest_runs(right), right.sum(axis=1)) for right in records]
    longest, rights = (np.concatenate(values) for values in zip(*parts, strict=True))
    return Luck(
        expected_best=round(float(longest.mean()), 1),
        best_reached_pct=round(100 * float(np.mean(longest >= best)), 1),
        accuracy_reached_pct=round(100 * float(np.mean(rights >= correct)), 1),
    )


def longest_runs(right: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The longest run of True in each row, shape (rows,), of at least one column.

    >>> longest_runs(np.array([[True, True, False, True], [False, False, False, False]])).tolist()
    [2, 0]
    """
    places = np.arange(1, right.shape[1] + 1, dtype=np.int32)
    last_wrong = np.maximum.accumulate(np.where(right, np.int32(0), places), axis=1)
    return (places - last_wrong).max(axis=1)
