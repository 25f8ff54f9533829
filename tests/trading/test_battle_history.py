"""Curves of the lanes, thinned without averages."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.instants import DAY, HOUR, iso
from service.trading.battle_history import MOST_POINTS, HistoryEvent, history, spacing, thinned
from service.trading.lanes.lane import LaneEvent
from tests.trading.markets import NEW_YEAR

STEP = 300
BAR_LENGTHS = st.sampled_from([60, 300, 720, 900, 1200, HOUR])


def curve(bars: int, step: int = STEP) -> list[tuple[int, float, str]]:
    """This many bars from new year on, each a cent higher than the previous one."""
    return [(NEW_YEAR + step * count, 10_000 + count / 100, "in_market") for count in range(1, bars + 1)]


def history_of(bars, events=(), step: int = STEP, peaks: dict[str, float] | None = None):
    window = {"since": NEW_YEAR, "until": NEW_YEAR + 40 * DAY}
    return history({"trend": bars}, {"trend": list(events)}, peaks or {}, **window, step=step, world="replay")


@pytest.mark.parametrize(
    ("span", "step", "cell"),
    [
        (0, 300, 300),
        (500 * 300, 300, 300),
        (500 * 300 + 1, 300, 900),
        (7 * DAY, 300, 1800),
        (31 * DAY, 300, 2 * HOUR),
        (365 * DAY, 300, DAY),
        (365 * DAY, HOUR, DAY),
        (1501 * DAY, HOUR, 4 * DAY),
        (7 * DAY, 1200, HOUR),
    ],
)
def test_points_have_the_smallest_round_spacing(span: int, step: int, cell: int):
    assert spacing(span, step) == cell


@given(st.integers(0, 3000 * DAY), BAR_LENGTHS)
def test_spacing_is_whole_bars_and_gives_about_500_points(span: int, step: int):
    cell = spacing(span, step)
    assert cell % step == 0
    assert span / cell <= MOST_POINTS


@given(st.lists(st.integers(1, 5000), unique=True).map(sorted), st.integers(1, 40))
def test_a_thinned_curve_has_the_last_bar_of_each_cell(places: list[int], bars_a_cell: int):
    bars = [(STEP * place, float(place), "in_lp") for place in places]
    cell = STEP * bars_a_cell
    points = thinned(bars, cell)
    assert [bar for bar in bars if bar in points] == points
    assert points[-1:] == bars[-1:]
    assert [at - NEW_YEAR for at, *_ in thinned(curve(2 * 288), DAY)] == [DAY, 2 * DAY], "whole days end at midnight"
    for bar in bars:
        in_its_cell = [other for other in bars if -(-other[0] // cell) == -(-bar[0] // cell)]
        assert (bar in points) == (bar == in_its_cell[-1])


def test_all_lanes_share_one_grid():
    long, short = curve(2016), curve(2016)[-10:]
    bars, events = {"trend": long, "lp_wide": short}, {"trend": [], "lp_wide": []}
    document = history(bars, events, {}, since=NEW_YEAR, until=NEW_YEAR + 7 * DAY, step=STEP, world="live")
    first, second = ([point.time for point in lane.points] for lane in document.lanes)
    assert document.step_s == 1800
    assert set(second) <= set(first)
    assert document.as_of == first[-1] == second[-1]


def test_all_events_are_listed_however_thin_the_curve():
    events = [
        LaneEvent("trade", NEW_YEAR + STEP * count, "btc", "closes long", 50_000.123456789, 99.999, 0.0149, -1.005)
        for count in range(2000)
    ]
    lane = history_of(curve(8928), [asdict(event) for event in events]).lanes[0]
    assert len(lane.points) < MOST_POINTS + 2
    assert len(lane.events) == 2000
    fields = (iso(NEW_YEAR), "trade", "btc", "closes long", 50_000.12345679, 100.0, 0.01, -1.0)
    assert lane.events[0] == HistoryEvent(*fields)


def test_a_short_curve_has_every_bar_and_an_empty_one_no_as_of():
    document = history_of([])
    assert (document.as_of, document.lanes[0].points, document.lanes[0].events) == (None, (), ())
    assert (document.step_s, document.lanes[0].label, document.lanes[0].initial_capital) == (300, "Trend follower", 1e4)
    short = history_of(curve(MOST_POINTS + 1))
    assert (short.bar_s, short.step_s) == (STEP, STEP)
    assert [point.time for point in short.lanes[0].points] == [iso(bar[0]) for bar in curve(MOST_POINTS + 1)]


@pytest.mark.parametrize(
    ("peaks", "drawdowns"),
    [({}, [2.0, 0.0, 10.0]), ({"trend": 20_000.0}, [51.0, 45.0, 50.5])],
    ids=["from the start", "later window"],
)
def test_a_drawdown_is_since_the_start(peaks, drawdowns):
    """The first maximum is the capital, and a maximum before the window counts."""
    bars = [(NEW_YEAR + STEP * (1 + count), usd, "in_lp") for count, usd in enumerate((9_800.0, 11_000.0, 9_900.0))]
    assert [point.drawdown_pct for point in history_of(bars, peaks=peaks).lanes[0].points] == drawdowns


def test_a_drawdown_counts_bars_that_are_not_points():
    """A maximum between two points of a thinned curve is a maximum all the same."""
    bars = curve(8928)
    bars[1] = (bars[1][0], 20_000.0, "in_market")
    points = history_of(bars).lanes[0].points
    assert 20_000.0 not in [point.equity_usd for point in points]
    assert points[-1].drawdown_pct == pytest.approx(100 * (1 - points[-1].equity_usd / 20_000.0), abs=1e-3)
