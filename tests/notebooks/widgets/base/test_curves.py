"""Gains and drawdowns, and labels at the ends of curves that do not overlap and stay near their curves."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebooks.widgets.base.curves import CurveEnd, drawdowns_pct, instants, labels, spread

HEIGHTS = st.floats(-1e6, 1e6)
ASCENTS = st.lists(HEIGHTS, max_size=12).map(sorted)
GAPS = st.floats(0.01, 1e3)


@given(ASCENTS, GAPS)
def test_labels_keep_their_gap_and_their_order(heights, gap):
    positions = spread(heights, gap)
    assert len(positions) == len(heights)
    assert all(np.diff(positions) >= gap - 1e-6)


@given(st.integers(1, 12), GAPS)
def test_labels_with_room_stay_at_their_curves(count, gap):
    heights = [gap * 1.01 * place for place in range(count)]
    assert spread(heights, gap) == pytest.approx(heights)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(1, 100))
def test_overlapping_labels_are_centred_on_their_curves(heights, gap):
    heights.sort()
    assert np.mean(spread(heights, gap)) == pytest.approx(np.mean(heights))


def test_a_label_has_the_text_and_the_colour_of_its_curve():
    ends = [CurveEnd(5, "high", "red"), CurveEnd(1, "low", "blue")]
    annotations = labels(ends, np.array([0.0, 1.0, 5.0, 10.0]), gap=0.1, axes="2")
    fields = [(annotation["text"], annotation["y"], annotation["font"]["color"]) for annotation in annotations]
    assert fields == [("low", pytest.approx(0.14), "blue"), ("high", pytest.approx(0.5), "red")]


def test_a_label_stays_when_the_reader_zooms():
    """Its height is a part of the axis, not a value on it; curves without a range have it in the middle."""
    (annotation,) = labels([CurveEnd(5, "only", "red")], np.array([5.0, 5.0]), gap=0.1)
    assert (annotation["y"], annotation["yref"], annotation["xref"]) == (0.5, "y domain", "paper")


def test_a_drawdown_is_the_decline_from_the_highest_value():
    assert drawdowns_pct(np.array([100.0, 200.0, 150.0, 250.0])) == pytest.approx([0, 0, -25, 0])


def test_instants_are_utc():
    """Without a zone, as plotly draws them."""
    assert instants([{"time": "2026-11-21T08:00:00Z"}])[0] == datetime(2026, 11, 21, 8)
    assert len(instants([])) == 0
