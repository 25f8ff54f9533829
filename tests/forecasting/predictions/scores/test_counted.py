"""Which questions count: of those that overlap, the first, and that for ever."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.counted import count_once
from tests.forecasting.markets import MONDAY, days, settled, waiting


def ids(markets):
    return [market.id for market in count_once(columns_of(markets)).market]


def test_of_overlapping_questions_only_the_first_counts():
    """The second is opened while the first is unresolved; the third when that has just been resolved."""
    first = settled("first", hours=36)
    second = settled("second", opened=days(1), hours=36)
    third = settled("third", opened=first.settlement.resolved_at, hours=36)
    assert ids([third, second, first]) == ["first", "third"]


def test_a_question_that_resolves_late_holds_its_place():
    late = settled("late", resolved=days(3))
    assert ids([late, settled("next", opened=days(2)), settled("after", opened=days(3))]) == ["late", "after"]


def test_a_question_that_is_still_open_holds_its_place():
    """Else the later one would count today, and no longer once the first resolves."""
    first, later = waiting("first", hours=48), settled("later", opened=days(1))
    assert ids([later]) == ["later"]
    assert ids([later, first]) == []


def test_a_question_without_votes_holds_no_place():
    unvoted = replace(settled("first", hours=36), commitment=None, odds=None)
    assert ids([unvoted, settled("second", opened=days(1))]) == ["second"]


@pytest.mark.parametrize(
    "other",
    [
        {"asset": "eth"},
        {"comparator": "close_above"},
        {"comparator": "relative", "other": "eth"},
        {"hours": 168},
        {"backfilled": True},
    ],
    ids=["asset", "kind", "relative", "window", "book"],
)
def test_another_asset_kind_window_or_book_is_no_overlap(other):
    assert set(ids([settled("one"), settled("two", **other)])) == {"one", "two"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"comparator": "up"}, {"comparator": "down"}),
        ({"comparator": "close_above"}, {"comparator": "touch_above"}),
        ({"comparator": "close_below"}, {"comparator": "touch_below"}),
        ({"comparator": "relative", "other": "eth"}, {"comparator": "relative", "asset": "eth", "other": "btc"}),
        ({"hours": 24}, {"hours": 48}),
        ({"hours": 49}, {"hours": 192}),
        ({"hours": 193}, {"hours": 768}),
    ],
)
def test_of_one_side_and_window_the_earliest_deadline_counts(first, second):
    assert ids([settled("b", **second), settled("a", **first)]) == ["a"]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 40), st.sampled_from(["btc", "eth"])), max_size=12),
    st.integers(0, 100),
)
def test_what_counted_once_counts_for_ever(spans, hour):
    """Seen at any hour, with the rest still open, the counted questions are the first of those counted at the end."""
    questions = [
        (f"q{place}", {"opened": MONDAY + 3600 * begins, "hours": hours, "asset": asset})
        for place, (begins, hours, asset) in enumerate(spans)
    ]
    now = MONDAY + 3600 * hour
    over = [settled(name, **fields) for name, fields in questions]
    seen = [
        market if market.settlement.resolved_at <= now else waiting(name, **fields)
        for market, (name, fields) in zip(over, questions, strict=True)
        if market.voted_at <= now
    ]
    early = ids(seen)
    assert ids(over)[: len(early)] == early
