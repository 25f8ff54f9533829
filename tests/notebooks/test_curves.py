"""Labels at the ends of curves do not overlap and stay near where they belong."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebooks.widgets.curves import End, drawdowns_pct, gains_pct, instants, labels, spread

HEIGHTS = st.floats(-1e6, 1e6)
RISING = st.lists(HEIGHTS, max_size=12).map(sorted)
APART = st.floats(0.01, 1e3)


@given(RISING, APART)
def test_no_two_labels_are_closer_than_they_may_be_and_their_order_is_that_of_the_curves(values, apart):
    placed = spread(values, apart)
    assert len(placed) == len(values)
    assert all(np.diff(placed) >= apart - 1e-6)


@given(st.lists(HEIGHTS, min_size=1, max_size=12), APART)
def test_labels_that_have_room_stay_where_their_curve_ends(gaps, apart):
    values = [apart * 1.01 * place for place in range(len(gaps))]
    assert spread(values, apart) == pytest.approx(values)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(1, 100))
def test_labels_that_would_all_overlap_are_centred_where_their_curves_end(values, apart):
    values.sort()
    assert np.mean(spread(values, apart)) == pytest.approx(np.mean(values))


def test_a_label_keeps_the_text_and_the_colour_of_its_curve():
    told = labels([End(5, "high", "red"), End(1, "low", "blue")], apart=1, axes="2")
    assert [(one["text"], one["y"], one["font"]["color"]) for one in told] == [("low", 1, "blue"), ("high", 5, "red")]
    assert {one["yref"] for one in told} == {"y2"}


def test_gains_are_percent_of_what_was_put_in():
    assert gains_pct([{"equity_usd": 110}, {"equity_usd": 90}], 100) == pytest.approx([10, -10])


def test_a_drawdown_is_measured_from_the_highest_before_it():
    points = [{"equity_usd": worth} for worth in (100, 200, 150, 250)]
    assert drawdowns_pct(points, 100) == pytest.approx([0, 0, -25, 0])


def test_a_lane_without_points_has_no_drawdown():
    assert len(drawdowns_pct([], 100)) == 0


def test_instants_are_utc():
    assert instants([{"time": "2026-11-21T08:00:00Z"}])[0] == datetime(2026, 11, 21, 8, tzinfo=UTC)
