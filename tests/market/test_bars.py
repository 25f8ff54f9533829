"""Only valid bars pass the check, and the past never changes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.bars import Bar, Bars, CoinBars, check, empty, from_rows, join, merge, resample, with_silent_bars
from service.market.instants import DAY, HOUR

STEP = 300
BAR = Bar(600, 10.0, 12.0, 9.0, 11.0, 5.0)
EARLY, LATE = BAR._replace(time=300), BAR._replace(time=900)
NOW = 500_000 * HOUR


def minute_bars(times) -> Bars:
    """Bars with simple prices and volumes."""
    return from_rows([(60 * time, 10 + time, 12 + time, 9 + time, 11 + time, 1 + time) for time in times], 60)


def bars_equal(left: Bars, right: Bars) -> bool:
    return left.step == right.step and left.rows() == right.rows()


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("a value is not a finite number", [{"close": math.nan}, {"high": math.inf}, {"time": math.nan}]),
        ("a value is not a finite number", [{"volume": None}]),
        ("its time is not a unix second", [{"time": -300}, {"time": 3e300}]),
        ("it opens off the 300-second grid", [{"time": 601}, {"time": 600.5}]),
        ("a price is not positive", [{"low": 0.0}, {"low": -1.0}]),
        ("its volume is negative", [{"volume": -0.5}]),
        ("its high is below its low", [{"open": 9.0, "close": 9.0, "high": 8.0}]),
        ("its high is more than 5 times its low", [{"low": 1.0}]),
        ("its open or close lies outside its low and high", [{"open": 8.5}, {"close": 12.5}]),
    ],
)
def test_an_invalid_bar_is_refused_with_its_reason(reason, changes):
    """An invalid time is reported as -1."""
    for values in changes:
        bars, (refusal,) = check([BAR._replace(**values)], STEP)
        assert (len(bars), refusal.reason) == (0, reason), values
    _, refusals = check([BAR._replace(time=math.inf), BAR._replace(time=3e300), BAR._replace(low=0.0)], STEP)
    assert [bar.time for bar in refusals] == [-1, -1, 600]


def test_a_bar_without_trades_is_valid():
    """Rows may be an array, and none give no bars."""
    bars, refusals = check([(0, 5, 5, 5, 5, 0)], STEP)
    assert (bars.rows(), refusals) == ([(0, 5.0, 5.0, 5.0, 5.0, 0.0)], [])
    assert bars_equal(check(np.array([BAR]), STEP)[0], check([BAR], STEP)[0])
    bars, refusals = check([], STEP)
    assert (len(bars), refusals) == (0, [])
    assert bars_equal(bars, empty(STEP))


@pytest.mark.parametrize(
    ("rows", "times", "expected"),
    [
        ([BAR, BAR._replace(close=10.5)], [600], [(600, "a second bar of the same instant")]),
        ([BAR, EARLY, LATE], [600, 900], [(300, "it is older than the bar before it")]),
        ([LATE._replace(low=0.0), BAR, LATE], [600, 900], [(900, "a price is not positive")]),
    ],
)
def test_a_bar_out_of_order_is_refused(rows, times, expected):
    """Of two bars of one instant the first is kept; a refused bar does not affect the order."""
    bars, refusals = check(rows, STEP)
    assert (bars.time.tolist(), refusals) == (times, expected)
    assert BAR in bars.rows()


NUMBERS = st.one_of(st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -1.0, 1e300]), st.floats(0.5, 4))
TIMES = st.one_of(st.integers(-2, 8).map(lambda n: n * STEP), st.sampled_from([math.nan, 1e300, 301, 450.5]))
WILD = st.tuples(TIMES, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
TAME = st.tuples(st.integers(0, 8).map(lambda n: n * STEP), st.lists(st.floats(0.5, 4), min_size=4, max_size=4)).map(
    lambda draw: (draw[0], sorted(draw[1])[1], max(draw[1]), min(draw[1]), sorted(draw[1])[2], 1.0)
)


def sound_rows(rows: list[tuple]) -> list[tuple]:
    """A second implementation of the check, row by row."""
    result: list[tuple] = []
    for row in rows:
        time, opens, high, low, closes, volume = row
        numbers = all(math.isfinite(value) for value in row) and 0 <= time < 1e12 and time % STEP == 0
        prices = numbers and 0 < low <= min(opens, closes) and max(opens, closes) <= high <= 5 * low and volume >= 0
        if prices and (not result or time > result[-1][0]):
            result.append(row)
    return result


@given(st.lists(st.one_of(WILD, TAME), max_size=30))
def test_valid_rows_are_kept_and_no_others(rows):
    """Those pass a second check."""
    bars, refusals = check(rows, STEP)
    assert bars.rows() == sound_rows(rows)
    assert len(bars) + len(refusals) == len(rows)
    repetition, refusals = check(bars.rows(), STEP)
    assert bars_equal(repetition, bars)
    assert not refusals


def test_until_returns_complete_bars_only():
    """Pieces join to the whole."""
    bars = minute_bars(range(5))
    assert [bars.until(119).time.tolist(), bars.until(120).time.tolist()] == [[0], [0, 60]]
    assert (bars.since(180).time.tolist(), bars.as_of) == ([180, 240], 300)
    assert bars_equal(join([bars[:2], bars[2:2], bars[2:]]), bars)


def test_stored_bars_are_kept_in_a_merge():
    base, update = minute_bars([1, 4]), from_rows([(60 * time, 5, 5, 5, 5, 0) for time in (0, 1, 2)], 60)
    result = merge(base, update)
    assert (result.time.tolist(), result.open.tolist()) == ([0, 60, 120, 240], [5, 11, 5, 14])
    assert bars_equal(merge(empty(60), base), base)


def test_five_minutes_of_minutes_by_hand():
    """An incomplete span gives no bar, one with a gap does, and the same step changes nothing."""
    longer = resample(minute_bars(range(10)), STEP)
    assert longer.rows() == [(0, 10.0, 16.0, 9.0, 15.0, 15.0), (300, 15.0, 21.0, 14.0, 20.0, 40.0)]
    assert longer.step == STEP
    assert resample(minute_bars(range(9)), STEP).time.tolist() == [0]
    assert not len(resample(minute_bars(range(4)), STEP))
    assert resample(minute_bars([1, 3, 4]), STEP).rows() == [(0, 11.0, 16.0, 10.0, 15.0, 11.0)]
    bars = minute_bars(range(3))
    assert resample(bars, 60) is bars
    assert bars_equal(resample(empty(60), STEP), empty(STEP))


@pytest.mark.parametrize("step", [30, 90])
def test_bars_cannot_be_resampled_to_other_steps(step):
    with pytest.raises(ValueError, match="bars of 60 s"):
        resample(minute_bars(range(3)), step)


@given(st.sets(st.integers(0, 60)), st.integers(0, 60), st.sampled_from([120, 300, 600]))
def test_resampling_a_prefix_gives_a_prefix(minutes, cut, step):
    rng = np.random.default_rng(len(minutes))
    times = np.array(sorted(minutes), dtype=np.int64) * 60
    bars = Bars(times, *rng.lognormal(size=(5, len(times))), step=60)
    total, part = resample(bars, step), resample(bars[:cut], step)
    assert bars_equal(part, total[: len(part)])


@pytest.mark.parametrize(("missing", "count"), [(11, 13), (12, 2)])
def test_a_gap_of_less_than_an_hour_is_filled(missing, count):
    """A time without a trade gets flat bars at the last close, of volume 0; a longer gap may be a fault."""
    times = (300 * 4000, 300 * (4001 + missing))
    result = with_silent_bars(_bars(times, STEP, price=3.0))
    assert (len(result), set(result.close.tolist()), result.volume.sum()) == (count, {3.0}, 2.0)
    assert with_silent_bars(empty(300)).rows() == [], "there is no gap before the first bar or behind the last one"


def _bars(times: range | list[int], step: int, price: float = 1.0) -> Bars:
    return from_rows([(time, price, price, price, price, 1.0) for time in times], step)


def test_hours_are_built_from_fine_bars_where_these_are_whole():
    """The first hour lacks its beginning and the last its end: the first keeps the bar of the exchange."""
    feed = _bars(range(NOW - 2 * HOUR + STEP, NOW + 2 * STEP, STEP), STEP, price=2.0)
    coin = CoinBars(_bars(range(NOW - 5 * HOUR, NOW - HOUR, HOUR), HOUR), feed)
    assert (coin.built.time.tolist(), coin.hours.close.tolist()) == ([NOW - HOUR], [1.0, 1.0, 1.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("hours", "reason"),
    [
        (range(NOW - 90 * DAY, NOW, HOUR), ""),
        (range(NOW - 90 * DAY + HOUR, NOW, HOUR), "has 89 days of hourly prices at the exchanges of this service; 90"),
        (
            range(NOW - 43 * DAY, NOW, HOUR),
            "has 43 days of hourly prices at the exchanges of this service; 90 are needed",
        ),
        (range(NOW - 120 * DAY, NOW, 2 * HOUR), "traded in only 50% of the hours of the last 30 days"),
        ([], "has 0 days"),
    ],
)
def test_too_little_history_is_refused_with_its_size(hours, reason):
    coin = CoinBars(_bars(hours, HOUR), empty(STEP))
    assert coin.refusal.startswith(reason) if reason else coin.refusal == ""
