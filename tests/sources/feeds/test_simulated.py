"""The simulated world is a function of its seed; its bars are whole, sound and there when they are over."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
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
from service.sources.feeds import open_feed
from service.sources.feeds.simulated import STEP, SimulatedFeed, bars
from service.sources.feeds.simulated_days import EPOCH, days

SEED = 42
SINCE = int(datetime(2026, 2, 1, tzinfo=UTC).timestamp())
WEEKS = 20 * 7 * DAY


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
    assert digest(SEED) == "5edc49a2ad3b1be2bee8cf0099e052cfd5e58e675e92ba2438efb39a2fb9c981"


def test_a_bar_of_it_by_name():
    time = second("2026-03-10 14:55")
    assert bars(SEED, "btc", time, time + STEP).rows() == [(time, 54270.13, 54276.25, 53890.37, 54041.56, 647.554)]
    assert bars(SEED, "gold", time, time + STEP).rows() == [(time, 2657.96, 2658.88, 2657.84, 2658.74, 8.1076)]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(ASSETS)), st.integers(0, WEEKS), st.integers(0, WEEKS))
def test_any_window_is_the_slice_of_a_larger_one(twenty_weeks, asset, start, end):
    window = bars(SEED, asset, SINCE + start, SINCE + end)
    assert equal(window, twenty_weeks[asset].since(SINCE + start).until(SINCE + end))


def test_a_simpler_processor_simulates_the_same_market():
    """NumPy chooses its arithmetic by the processor: here it may not use the wider registers."""
    environment = {"PYTHONHASHSEED": "7", "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"}
    code = f"import runpy; print(runpy.run_path({__file__!r})['digest']({SEED}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest(SEED)


def test_another_seed_is_another_market():
    assert digest(SEED) != digest(SEED + 1)


def test_a_day_in_progress_holds_its_complete_bars():
    noon = second("2026-11-21 12:00")
    window = bars(SEED, "btc", noon - noon % DAY, noon + STEP - 1)
    assert window.as_of == noon
    assert len(window) == 144


def test_a_bar_comes_at_the_second_in_which_it_is_over():
    noon = second("2026-11-21 12:00")
    assert len(bars(SEED, "btc", noon, noon + STEP - 1)) == 0
    assert len(bars(SEED, "btc", noon, noon + STEP)) == 1


@pytest.mark.parametrize("window", [(SINCE, SINCE), (SINCE, SINCE - DAY), (0, EPOCH), (0, 300)])
def test_an_empty_window_has_no_bars(window):
    assert len(bars(SEED, "btc", *window)) == 0


def test_the_world_begins_in_2020():
    assert bars(SEED, "btc", 0, EPOCH + DAY).time[0] == EPOCH


@pytest.mark.parametrize("asset", ASSETS)
def test_there_is_one_bar_for_every_five_minutes_of_trading(twenty_weeks, asset):
    grid = np.arange(SINCE, SINCE + WEEKS, STEP)
    assert np.array_equal(twenty_weeks[asset].time, grid[open_at(asset, grid)])


def test_metals_rest_at_the_weekend():
    saturday = second("2026-03-07 00:00")
    assert len(bars(SEED, "gold", saturday, saturday + DAY)) == 0
    assert len(bars(SEED, "btc", saturday, saturday + DAY)) == 288


@pytest.mark.parametrize("asset", ASSETS)
def test_every_bar_is_sound(twenty_weeks, asset):
    sound, refused = check(twenty_weeks[asset].rows(), STEP)
    assert equal(sound, twenty_weeks[asset])
    assert not refused
    assert sound.volume.min() > 0


@pytest.mark.parametrize("asset", ASSETS)
def test_a_bar_opens_where_the_one_before_it_closed(twenty_weeks, asset):
    bars = twenty_weeks[asset]
    adjacent = np.diff(bars.time) == STEP
    assert np.array_equal(bars.open[1:][adjacent], bars.close[:-1][adjacent])


def test_metals_open_with_a_gap_after_a_weekend(twenty_weeks):
    gold = twenty_weeks["gold"]
    after = np.flatnonzero(np.diff(gold.time) > DAY) + 1
    assert np.count_nonzero(gold.open[after] != gold.close[after - 1]) > len(after) / 2


@pytest.mark.parametrize("asset", ASSETS)
def test_prices_lie_on_the_price_steps_of_the_asset(twenty_weeks, asset):
    steps = twenty_weeks[asset].close / ASSETS[asset].tick
    assert np.abs(steps - np.rint(steps)).max() < 1e-4


def test_a_day_ends_where_the_skeleton_says():
    skeleton = days(SEED, "eth", 100, 103)
    assert skeleton.closes[:-1].tolist() == skeleton.opens[1:].tolist()
    closes = [bars(SEED, "eth", EPOCH, EPOCH + day * DAY).close[-1] for day in (101, 102, 103)]
    assert closes == pytest.approx(2600 * np.exp(skeleton.closes), abs=0.01)


def test_it_is_the_default_world_and_names_itself():
    feed = open_feed(Settings(world="simulated"), wall=second("2026-11-21 08:30"))
    assert (feed.world, feed.step, feed.assets) == ("simulated", STEP, tuple(ASSETS))
    fetched = feed.fetch("sol", SINCE, SINCE + DAY)
    assert (len(fetched.bars), fetched.refused, fetched.source) == (288, (), "simulated (seed 42)")


def test_history_begins_at_a_midnight_so_many_days_ago():
    wall = second("2026-11-21 08:30")
    assert open_feed(Settings(world="simulated", history_days=90), wall).history_from == second("2026-08-23 00:00")


def test_history_never_begins_before_the_world():
    assert open_feed(Settings(world="simulated", history_days=1500), second("2021-01-01 08:30")).history_from == EPOCH


def test_its_clock_is_the_wall():
    wall = second("2026-11-21 08:30")
    assert open_feed(Settings(world="simulated"), wall).clock(wall).at(wall + 77) == wall + 77


def test_another_seed_has_another_fingerprint():
    prints = {open_feed(Settings(world="simulated", simulated_seed=seed), SINCE).fingerprint for seed in (1, 2)}
    assert len(prints) == 2


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
    """It is known when the day begins; noon divides its variance."""
    first = (SINCE - EPOCH) // DAY
    feed, day = SimulatedFeed(SEED, 0), days(SEED, "btc", first, first + 1)
    _, whole = feed.expected_return("btc", SINCE, SINCE + DAY)
    _, morning = feed.expected_return("btc", SINCE, SINCE + DAY // 2)
    _, afternoon = feed.expected_return("btc", SINCE + DAY // 2, SINCE + DAY)
    assert whole == pytest.approx(day.volatility[0] ** 2)
    assert morning + afternoon == pytest.approx(whole)
    assert 0.2 < morning / whole < 0.45


def test_a_closed_market_has_no_variance():
    """Gold closes on a Friday at 22 UTC and opens on Sunday at 23 UTC, in winter."""
    feed = SimulatedFeed(SEED, 0)
    assert feed.expected_return("gold", second("2026-02-07 01:00"), second("2026-02-08 12:00"))[1] == pytest.approx(0)
    reopened = feed.expected_return("gold", second("2026-02-07 01:00"), second("2026-02-09 00:00"))
    assert reopened == feed.expected_return("gold", second("2026-02-06 22:00"), second("2026-02-09 00:00"))
