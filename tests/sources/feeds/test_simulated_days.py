"""The daily skeleton of the simulated market and what is expected of it."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.assets import ASSETS
from service.market.instants import DAY
from service.sources.feeds import simulated_days
from service.sources.feeds.simulated_days import (
    EPOCH,
    days,
    expected_days,
    held_normals,
    in_first_cell,
    normals,
    stream,
    uniforms,
    words,
)

SEED = 42
FIRST = (int(datetime(2026, 2, 1, tzinfo=UTC).timestamp()) - EPOCH) // DAY


@pytest.mark.parametrize("asset", ASSETS)
def test_in_twenty_years_every_price_stays_near_its_start(asset):
    assert np.abs(days(SEED, asset, 0, 7300).closes).max() < np.log(40)


@pytest.fixture
def other_future(monkeypatch):
    """The moves of the day FIRST and of all later ones are others, and so are the volatilities of later cells."""

    def changed(seed, scale, asset, common, counters):
        return np.where(
            (scale == "day") & (counters >= FIRST), 2.5, really_own_move(seed, scale, asset, common, counters)
        )

    really_own_move = simulated_days.own_move
    simulated_days._block.cache_clear()
    monkeypatch.setattr(simulated_days, "own_move", changed)
    yield
    simulated_days._block.cache_clear()


def test_expected_days_do_not_look_ahead(request):
    """With other moves from the first day on, nothing changes."""
    expected = expected_days(SEED, "eth", FIRST, FIRST + 30)
    closes = days(SEED, "eth", FIRST, FIRST + 30).closes
    request.getfixturevalue("other_future")
    assert not np.array_equal(days(SEED, "eth", FIRST, FIRST + 30).closes, closes)
    assert np.array_equal(expected_days(SEED, "eth", FIRST, FIRST + 30), expected)


def test_later_cells_of_volatility_are_not_known():
    """Days far ahead have the variance of an average day, whatever their own will be."""
    _, variances = expected_days(SEED, "eth", FIRST, FIRST + 400)
    weekdays = (np.arange(FIRST, FIRST + 400) + 2) % 7 < 5
    tail = variances[weekdays][200:]
    assert len(set(np.round(tail, 12))) == 1
    assert len(set(np.round(variances[weekdays][:10], 12))) > 2


KEY = stream("test")
COUNTERS = np.arange(200_000)


def plain_word(key: int, counter: int) -> int:
    """SplitMix64 as published, in whole numbers without a limit."""
    mask = 2**64 - 1
    state = (key + counter * 0x9E3779B97F4A7C15) & mask
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & mask
    return state ^ (state >> 31)


def plain_normal(key: int, counter: int) -> float:
    sample = (plain_word(key, 2 * counter), plain_word(key, 2 * counter + 1))
    total = sum((word >> shift) & 0xFFFF for word in sample for shift in (0, 16, 32, 48))
    return (total - 8 * 65535 / 2) / (8 * (65536**2 - 1) / 12) ** 0.5


def test_words_are_the_published_sequence_of_splitmix64():
    sequence = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert words(np.uint64(1234567), np.arange(1, 5)).tolist() == sequence


@given(st.integers(-(2**40), 2**40), st.integers(0, 1000))
def test_a_normal_is_the_sum_of_eight_sixteen_bit_numbers(counter, name):
    key = stream(name)
    assert normals(key, np.array([counter]))[0] == pytest.approx(plain_normal(int(key), counter), abs=1e-12)


@given(st.integers(-(10**6), 10**6), st.integers(1, 50), st.sampled_from([1, 3, 12, 81]))
def test_a_stretch_of_a_held_stream_is_the_stream(first, count, length):
    long = held_normals(KEY, np.arange(first - 100, first + count + 100), length)
    assert held_normals(KEY, np.arange(first, first + count), length).tolist() == long[100:-100].tolist()


def test_a_held_normal_lasts_its_length_wherever_it_begins():
    changes = np.flatnonzero(np.diff(held_normals(KEY, np.arange(1000), 27)))
    assert set(np.diff(changes).tolist()) == {27}


@given(st.integers(-(10**6), 10**6), st.sampled_from([1, 3, 27]))
def test_the_first_cell_is_where_its_value_holds(first, length):
    """Neighbouring cells have different values."""
    counters = np.arange(first, first + 60)
    values = held_normals(KEY, counters, length)
    assert (
        in_first_cell(KEY, counters, length).tolist()
        == (np.cumsum(np.diff(values, prepend=values[0]) != 0) == 0).tolist()
    )


def test_streams_of_different_names_are_uncorrelated():
    left, right = normals(stream(1, "a"), COUNTERS), normals(stream(1, "b"), COUNTERS)
    assert stream(1, "a") == stream(1, "a") != stream(1, "b")
    assert abs(np.corrcoef(left, right)[0, 1]) < 0.01


def test_normals_have_mean_0_variance_1_and_tails_of_a_sum_of_eight():
    sample = normals(KEY, COUNTERS)
    assert sample.mean() == pytest.approx(0, abs=0.01)
    assert sample.var() == pytest.approx(1, abs=0.01)
    assert np.mean(sample**4) - 3 == pytest.approx(-0.15, abs=0.05)
    assert abs(np.corrcoef(sample[:-1], sample[1:])[0, 1]) < 0.01


def test_uniforms_are_even_independent_and_never_at_the_ends():
    first, second = uniforms(KEY, COUNTERS)
    for sample in (first, second):
        assert 0 < sample.min() < sample.max() < 1
        assert np.histogram(sample, bins=10, range=(0, 1))[0] == pytest.approx([20_000] * 10, rel=0.05)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.01
