"""Resolved questions as columns."""

from __future__ import annotations

import json

import numpy as np
import pytest

from service.forecasting.voters.resolved import (
    Band,
    Resolved,
    ResolvedColumns,
    ResolvedVote,
    band_of,
    columns_of,
    joined,
)


def question_at(at: int, band: Band = "week", happened: bool = True, **p: float) -> Resolved:
    """A question with the P(YES) of each voter."""
    votes = tuple(ResolvedVote(name, "embedded", value) for name, value in p.items())
    return Resolved(band, at, at + 10, happened, votes)


def equal(left: ResolvedColumns, right: ResolvedColumns) -> bool:
    assert left.engines == right.engines
    names = ("asked_at", "resolved_at", "happened", "p")
    same = [np.array_equal(getattr(left, name), getattr(right, name), equal_nan=True) for name in names]
    return all(same) and left.bands.tolist() == right.bands.tolist()


@pytest.mark.parametrize(
    ("comparator", "hours", "band"),
    [
        ("up", 0.25, "day"),
        ("touch_above", 24.001, "day"),
        ("range", 25.0, "week"),
        ("close_below", 168.0, "week"),
        ("between", 169.0, "longer"),
        ("topic", 3.0, "topic"),
    ],
)
def test_a_question_belongs_to_the_band_of_its_horizon(asking, comparator, hours, band):
    """Whatever its kind, except for what no price decides."""
    assert band_of(asking(comparator, hours=hours)) == band


def test_who_did_not_vote_has_no_number():
    columns = columns_of([question_at(1, vol=0.25, trend=0.5), question_at(2, happened=False, trend=0.75)])
    assert columns.engines == (("trend", "embedded"), ("vol", "embedded"))
    np.testing.assert_array_equal(columns.p, [[0.5, 0.25], [0.75, np.nan]])
    assert (columns.happened.tolist(), columns.resolved_at.tolist()) == ([1.0, 0.0], [11, 12])


def test_a_band_is_in_order_of_asking_with_its_own_engines():
    columns = columns_of([question_at(3, vol=0.3), question_at(2, "topic", trend=0.2), question_at(1, vol=0.1)]).of(
        "week"
    )
    assert columns.asked_at.tolist() == [1, 3]
    assert columns.engines == (("vol", "embedded"),)
    assert columns.p.tolist() == [[0.1], [0.3]]


def test_parts_are_joined_to_the_whole():
    questions = [question_at(1, vol=0.1), question_at(2, "topic", trend=0.2), question_at(3, news=0.3, vol=0.4)]
    assert equal(joined([columns_of(questions[:1]), columns_of([]), columns_of(questions[1:])]), columns_of(questions))


def test_columns_of_an_earlier_version_are_read():
    """They stored the weights of the votes, too."""
    columns = columns_of([question_at(1, vol=0.25)])
    assert equal(ResolvedColumns.from_plain(columns.to_plain() | {"weights": [[1.0]]}), columns)


@pytest.mark.parametrize("questions", [[], [question_at(1, vol=1 / 3), question_at(2, trend=0.2)]])
def test_columns_survive_json_without_loss(questions: list[Resolved]):
    columns = columns_of(questions)
    assert equal(ResolvedColumns.from_plain(json.loads(json.dumps(columns.to_plain()))), columns)
