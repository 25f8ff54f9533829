"""How far luck alone would bring a forecaster whose probabilities are right."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from service.forecasting.voters.scoring import Array

RECORDS = 500  # simulated for each forecaster
UNKNOWN = np.array([np.nan])


@dataclass(frozen=True)
class Luck:
    """What 500 simulated records of the same forecasts show, if every probability is right.

    `expected_best` is the mean longest run of right answers. A run as long as the observed one occurs in
    `best_reached_pct` of them, as many right answers in `accuracy_reached_pct`.
    """

    expected_best: float
    best_reached_pct: float
    accuracy_reached_pct: float


class SimulatedRecords:
    """The records of one forecaster whose probabilities are right, simulated as far as they are known.

    A new forecast goes on where the last one ended, so a job process that keeps them simulates only what is new; the
    same seed and forecasts give the same records, whether they came at once or one by one.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._begin()

    def _begin(self) -> None:
        self._generator = np.random.default_rng(self._seed)
        self._p = np.zeros(0)
        self._run, self._longest, self._right = (np.zeros(RECORDS, dtype=np.int32) for _ in range(3))

    def luck(self, p: Array, best: int, correct: int) -> Luck | None:
        """The luck behind a longest run of `best` and `correct` right sides; None without a forecast.

        `p` (n,) is P(YES) in order of resolution. Each side comes true with its own probability, independently of the
        others; correlated questions spread more, so long runs are somewhat more frequent than this.
        """
        if not len(p):
            return None
        if not np.array_equal(self._p, p[: len(self._p)]):
            self._begin()
        new = np.maximum(p, 1 - p)[len(self._p) :].tolist()
        self._p = UNKNOWN  # until all are simulated: a job that is interrupted here begins anew
        for likelier in new:
            self._simulate(likelier)
        self._p = p
        return Luck(
            expected_best=round(float(self._longest.mean()), 1),
            best_reached_pct=round(100 * float(np.mean(self._longest >= best)), 1),
            accuracy_reached_pct=round(100 * float(np.mean(self._right >= correct)), 1),
        )

    def _simulate(self, likelier: float) -> None:
        """One more forecast, right in each record with the probability `likelier`."""
        is_right = self._generator.random(RECORDS, dtype=np.float32) < likelier
        self._run += 1
        self._run *= is_right
        self._right += is_right
        np.maximum(self._longest, self._run, out=self._longest)


# By what names a forecaster: the table, the voter, the engine, the book.
RecordsByName = defaultdict[tuple[object, ...], SimulatedRecords]


def simulated_records(seed: int) -> RecordsByName:
    """No records yet; those of every name are simulated from the same seed."""
    return defaultdict(lambda: SimulatedRecords(seed))
