"""What luck alone would show, by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.luck import SimulatedRecords


def luck_of(p, best: int, correct: int):
    return SimulatedRecords(11).luck(p, best, correct)


@settings(max_examples=20)
@given(st.lists(st.lists(st.floats(0.01, 0.99), max_size=20), max_size=6))
def test_luck_goes_on_as_if_it_had_begun_anew(parts):
    """Forecasts that come bit by bit have the luck of all at once."""
    kept, forecasts = SimulatedRecords(11), np.zeros(0)
    for part in parts:
        forecasts = np.concatenate([forecasts, part])
        assert kept.luck(forecasts, 3, 5) == luck_of(forecasts, 3, 5)


@pytest.mark.parametrize("other", [[0.9], [0.9, 0.7, 0.8], [0.6, 0.7, 0.8, 0.8]])
def test_another_past_begins_anew(other):
    """A question that is settled late is put before others; nothing of the old order is left."""
    kept = SimulatedRecords(11)
    kept.luck(np.array([0.9, 0.8, 0.7]), 3, 3)
    assert kept.luck(np.array(other), 1, 1) == luck_of(np.array(other), 1, 1)


def test_luck_is_that_of_all_records_counted():
    """Five forecasts of 80% and 30% YES in turn: each of the 32 records by hand, weighed by its probability."""
    p = np.array([0.8, 0.3, 0.8, 0.3, 0.8])
    share = np.maximum(p, 1 - p)
    mean = best = correct = 0.0
    for record in itertools.product([True, False], repeat=5):
        weight = np.prod(np.where(record, share, 1 - share))
        run = max(len(piece) for piece in "".join("R" if right else " " for right in record).split(" "))
        mean, best, correct = mean + weight * run, best + weight * (run >= 3), correct + weight * (sum(record) >= 4)
    simulated = luck_of(p, 3, 4)
    assert simulated.expected_best == pytest.approx(mean, abs=0.15)
    assert simulated.best_reached_pct == pytest.approx(100 * best, abs=4)
    assert simulated.accuracy_reached_pct == pytest.approx(100 * correct, abs=4)


def test_sure_forecasts_make_long_runs_ordinary():
    """Thirty right answers in a row: ordinary at 99%, a wonder at 55%, where .55^30 is one in 60 million."""
    sure, unsure = (luck_of(np.full(30, p), 30, 30) for p in (0.01, 0.55))
    assert sure.best_reached_pct == pytest.approx(100 * 0.99**30, abs=4)
    assert unsure.best_reached_pct == unsure.accuracy_reached_pct == 0


def test_the_same_seed_gives_the_same_luck():
    assert luck_of(np.full(9, 0.6), 3, 5) == luck_of(np.full(9, 0.6), 3, 5)


def test_without_a_forecast_there_is_no_luck():
    assert luck_of(np.zeros(0), 0, 0) is None
