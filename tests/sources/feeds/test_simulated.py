"""The simulated world is a function of its seed; its bars are whole, sound and there when they are over."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.config import Settings
from service.market.assets import ASSETS, open_at
from service.market.bars import Bar, Bars, check
from service.market.instants import DAY, HOUR
from service.sources.feeds import open_feed, simulated_days
from service.sources.feeds.simulated import STEP, SimulatedFeed, bars
from service.sources.feeds.simulated_days import EPOCH, days, expected_days

SEED = 42
SINCE = int(datetime(2026, 2, 1, tzinfo=UTC).timestamp())
WEEKS = 20 * 7 * DAY
FIRST = (SINCE - EPOCH) // DAY


def second(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def equal(left: Bars, right: Bars) -> bool:
    """Bit by bit."""
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in Bar._fields)


def digest(seed: int) -> str:
    """Of a window of every asset that holds a weekend, two daily breaks and a change of clocks in New York."""
    total = sha256()
    for asset in ASSETS:
        window = bars(seed, asset, second("2026-03-05 12:00"), second("2026-03-10 15:00"))
        for name in Bar._fields:
            total.update(getattr(window, name).astype("<f8").tobytes())
    return total.hexdigest()


@pytest.fixture(scope="module")
def twenty_weeks() -> dict[str, Bars]:
    return {asset: bars(SEED, asset, SINCE, SINCE + WEEKS) for asset in ASSETS}


def test_the_market_is_the_one_it_was():
    """A change of this digest is another market: then raise VERSION, so that no database mixes the two."""
    assert SimulatedFeed(SEED, 0).fingerprint == "simulated/1 seed 42"
    assert digest(SEED) == "5edc49a2ad3b1be2bee8cf0099e052cfd5e58e675e92ba2438efb39a2fb9c981" != digest(SEED + 1)
    assert SimulatedFeed(SEED, 0).fingerprint != SimulatedFeed(SEED + 1, 0).fingerprint


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(ASSETS)), st.integers(0, WEEKS), st.integers(0, WEEKS))
def test_any_window_is_the_slice_of_a_larger_one(twenty_weeks, asset, start, end):
    window = bars(SEED, asset, SINCE + start, SINCE + end)
    assert equal(window, twenty_weeks[asset].since(SINCE + start).until(SINCE + end))


def test_a_simpler_processor_simulates_the_same_market():
    """NumPy chooses its arithmetic by the processor: here it may not use the wider registers."""
    environment = {"PYTHONHASHSEED": "7", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}
    code = f"import runpy; print(runpy.run_path({__file__!r})['digest']({SEED}))"
    options = {"env": os.environ | environment, "cwd": Path(__file__).parents[3]}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, **options)
    assert done.stdout.strip() == digest(SEED)


def test_a_bar_comes_at_the_second_in_which_it_is_over():
    """A day in progress holds its complete bars; it ends where the skeleton says. The world begins in 2020."""
    for window in ((SINCE, SINCE), (SINCE, SINCE - DAY), (0, EPOCH), (0, 300)):
        assert len(bars(SEED, "btc", *window)) == 0
    assert bars(SEED, "btc", 0, EPOCH + DAY).time[0] == EPOCH
    noon = second("2026-11-21 12:00")
    midnight = noon - noon % DAY
    for seconds, count in ((STEP - 1, 144), (STEP, 145)):
        window = bars(SEED, "btc", midnight, noon + seconds)
        assert (len(window), window.as_of) == (count, midnight + count * STEP)
    skeleton = days(SEED, "eth", 100, 103)
    assert skeleton.closes[:-1].tolist() == skeleton.opens[1:].tolist()
    closes = [bars(SEED, "eth", EPOCH, EPOCH + day * DAY).close[-1] for day in (101, 102, 103)]
    assert closes == pytest.approx(2600 * np.exp(skeleton.closes), abs=0.01)


@pytest.mark.parametrize("asset", ASSETS)
def test_there_is_one_sound_bar_for_every_five_minutes_of_trading(twenty_weeks, asset):
    """It opens where the one before closed, on the price steps of the asset, in twenty years near its start."""
    grid, history = np.arange(SINCE, SINCE + WEEKS, STEP), twenty_weeks[asset]
    assert np.array_equal(history.time, grid[open_at(asset, grid)])
    checked_bars, refusals = check(history.rows(), STEP)
    assert equal(checked_bars, history)
    assert not refusals
    assert history.volume.min() > 0
    adjacent = np.diff(history.time) == STEP
    assert np.array_equal(history.open[1:][adjacent], history.close[:-1][adjacent])
    assert np.abs(days(SEED, asset, 0, 7300).closes).max() < np.log(40)
    steps = history.close / ASSETS[asset].tick
    assert np.abs(steps - np.rint(steps)).max() < 1e-4


def test_metals_open_with_a_gap_after_a_weekend(twenty_weeks):
    gold = twenty_weeks["gold"]
    after = np.flatnonzero(np.diff(gold.time) > DAY) + 1
    assert np.count_nonzero(gold.open[after] != gold.close[after - 1]) > len(after) / 2


def test_it_is_the_default_world_and_names_itself():
    """Its history begins at a midnight so many days ago, but never before the world; its clock is the wall."""
    feed = open_feed(Settings(world="simulated"), wall=second("2026-11-21 08:30"))
    assert (feed.world, feed.step, feed.assets) == ("simulated", STEP, tuple(ASSETS))
    answer = feed.fetch("sol", SINCE, SINCE + DAY)
    assert (len(answer.bars), answer.refused, answer.source) == (288, (), "simulated (seed 42)")
    rows = (("2026-11-21 08:30", 90, second("2026-08-23 00:00")), ("2021-01-01 08:30", 1500, EPOCH))
    for wall, day_count, begins in rows:
        feed = open_feed(Settings(world="simulated", history_days=day_count), second(wall))
        assert feed.history_from == begins
        assert feed.clock(second(wall)).at(second(wall) + 77) == second(wall) + 77


def standardised(asset: str, hours: int) -> np.ndarray:
    """Returns of five worlds less their expected mean, over their expected standard deviation, shape (n,)."""
    values = []
    for seed in range(5):
        feed = SimulatedFeed(seed, SINCE)
        window = bars(seed, asset, SINCE - 5 * DAY, SINCE + 365 * DAY)
        for since in range(SINCE, SINCE + (365 - 8) * DAY, DAY):
            since += 12 * HOUR
            mean, variance = feed.expected_return(asset, since, since + hours * HOUR)
            before, after = (window.until(at).close[-1] for at in (since, since + hours * HOUR))
            if variance:
                values.append((np.log(after / before) - mean) / variance**0.5)
    return np.array(values)


@pytest.mark.slow
@pytest.mark.parametrize(("asset", "hours"), [("btc", 9), ("xrp", 36), ("gold", 36), ("sol", 168)])
def test_expected_returns_have_the_variance_of_the_world(asset, hours):
    """Standardised returns have standard deviation 1 within a tenth."""
    assert standardised(asset, hours).std() == pytest.approx(1, abs=0.1)


def test_a_whole_day_has_its_volatility():
    """It is known when the day begins, and noon divides it; gold has none from Friday 22 to Sunday 23 UTC."""
    feed, day = SimulatedFeed(SEED, 0), days(SEED, "btc", FIRST, FIRST + 1)
    _, day_variance = feed.expected_return("btc", SINCE, SINCE + DAY)
    _, morning_variance = feed.expected_return("btc", SINCE, SINCE + DAY // 2)
    _, afternoon_variance = feed.expected_return("btc", SINCE + DAY // 2, SINCE + DAY)
    assert day_variance == pytest.approx(day.volatility[0] ** 2)
    assert morning_variance + afternoon_variance == pytest.approx(day_variance)
    assert 0.2 < morning_variance / day_variance < 0.45
    assert feed.expected_return("gold", second("2026-02-07 01:00"), second("2026-02-08 12:00"))[1] == pytest.approx(0)
    weekend = feed.expected_return("gold", second("2026-02-07 01:00"), second("2026-02-09 00:00"))
    assert weekend == feed.expected_return("gold", second("2026-02-06 22:00"), second("2026-02-09 00:00"))


def test_expected_days_do_not_look_ahead(monkeypatch):
    """With other moves, and other volatilities of later cells, from the first day on nothing changes."""
    expected = expected_days(SEED, "eth", FIRST, FIRST + 30)
    closes = days(SEED, "eth", FIRST, FIRST + 30).closes
    own_move, block = simulated_days.own_move, simulated_days._block.__wrapped__

    def changed(seed, scale, asset, common, counters):
        move = own_move(seed, scale, asset, common, counters)
        return np.where((scale == "day") & (counters >= FIRST), 2.5, move)

    monkeypatch.setattr(simulated_days, "own_move", changed)
    monkeypatch.setattr(simulated_days, "_block", cache(block))  # without what it remembers of this future
    assert not np.array_equal(days(SEED, "eth", FIRST, FIRST + 30).closes, closes)
    assert np.array_equal(expected_days(SEED, "eth", FIRST, FIRST + 30), expected)


def test_later_cells_of_volatility_are_not_known():
    """Days far ahead have the variance of an average day, whatever their own will be."""
    _, variances = expected_days(SEED, "eth", FIRST, FIRST + 400)
    weekdays = (np.arange(FIRST, FIRST + 400) + 2) % 7 < 5
    assert len(set(np.round(variances[weekdays][200:], 12))) == 1
    assert len(set(np.round(variances[weekdays][:10], 12))) > 2
