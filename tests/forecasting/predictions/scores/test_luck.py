"""The longest run of right answers to expect by luck alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from service.forecasting.predictions.scores.luck import best_of_flippers, never_beyond


def test_the_best_of_nine_flippers_has_a_run_of_eight_in_fifty():
    """20,000 times nine made flippers, counted one by one."""
    flips = np.random.default_rng(11).random((20_000 * 9, 50)) < 0.5
    current, best = np.zeros((2, len(flips)), dtype=int)
    for column in flips.T:
        current = np.where(column, current + 1, 0)
        best = np.maximum(best, current)
    simulated = best.reshape(-1, 9).max(axis=1).mean()
    assert best_of_flippers(9, 50) == pytest.approx(simulated, abs=0.05)
    assert round(best_of_flippers(9, 50)) == 8


@pytest.mark.parametrize("longest", range(9))
def test_the_chance_of_a_run_is_that_of_all_flips_counted(longest):
    counted = [
        max(len(run) for run in "".join(flips).split("0")) <= longest for flips in itertools.product("01", repeat=8)
    ]
    assert never_beyond(longest, 8) == pytest.approx(np.mean(counted))
