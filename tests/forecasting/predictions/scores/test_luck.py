"""What luck alone would show, by simulation."""

from __future__ import annotations

import doctest
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions.scores import luck
from service.forecasting.predictions.scores.luck import longest_runs, luck_of


def dice() -> np.random.Generator:
    return np.random.default_rng(11)


def test_every_example_in_the_documentation_is_true():
    assert doctest.testmod(luck) == (0, 1)


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_the_longest_run_is_the_longest_piece(right):
    pieces = "".join("R" if is_right else " " for is_right in right).split(" ")
    assert longest_runs(np.array([right])).tolist() == [max(map(len, pieces))]


def test_luck_is_that_of_all_records_counted():
    """Five forecasts of 80% and 30% YES in turn: each of the 32 records by hand, weighed by its probability."""
    p = np.array([0.8, 0.3, 0.8, 0.3, 0.8])
    share = np.maximum(p, 1 - p)
    mean = best = correct = 0.0
    for record in itertools.product([True, False], repeat=5):
        weight = np.prod(np.where(record, share, 1 - share))
        run = max(len(piece) for piece in "".join("R" if right else " " for right in record).split(" "))
        mean, best, correct = mean + weight * run, best + weight * (run >= 3), correct + weight * (sum(record) >= 4)
    simulated = luck_of(p, 3, 4, dice())
    assert simulated.expected_best == pytest.approx(mean, abs=0.15)
    assert simulated.best_reached_pct == pytest.approx(100 * best, abs=4)
    assert simulated.accuracy_reached_pct == pytest.approx(100 * correct, abs=4)


def test_sure_forecasts_make_long_runs_ordinary():
    """Thirty right answers in a row: ordinary at 99%, a wonder at 55%, where .55^30 is one in 60 million."""
    sure, unsure = (luck_of(np.full(30, p), 30, 30, dice()) for p in (0.01, 0.55))
    assert sure.best_reached_pct == pytest.approx(100 * 0.99**30, abs=4)
    assert unsure.best_reached_pct == unsure.accuracy_reached_pct == 0


def test_the_same_seed_gives_the_same_luck():
    assert luck_of(np.full(9, 0.6), 3, 5, dice()) == luck_of(np.full(9, 0.6), 3, 5, dice())


def test_without_a_forecast_there_is_no_luck():
    assert luck_of(np.zeros(0), 0, 0, dice()) is None
