"""Resolved questions as columns."""

from __future__ import annotations

import json
from typing import get_args

import numpy as np
import pytest

from service.forecasting.voters.resolved import Resolved, ResolvedColumns, ResolvedVote, class_of, columns_of, joined
from service.questions.question import Comparator


def question_at(at: int, comparator: Comparator = "up", happened: bool = True, **p: float) -> Resolved:
    """A question with the P(YES) of each voter."""
    votes = tuple(ResolvedVote(name, "embedded", value) for name, value in p.items())
    return Resolved(comparator, at, at + 10, happened, votes)


def equal(left: ResolvedColumns, right: ResolvedColumns) -> bool:
    assert left.engines == right.engines
    names = ("asked_at", "resolved_at", "happened", "p")
    same = [np.array_equal(getattr(left, name), getattr(right, name), equal_nan=True) for name in names]
    return all(same) and left.classes.tolist() == right.classes.tolist()


def test_every_kind_of_question_has_a_class():
    assert [class_of(kind) for kind in ("up", "down", "relative", "open")] == ["direction"] * 4
    assert [class_of(kind) for kind in ("close_above", "touch_below", "between")] == ["event"] * 3
    assert [kind for kind in get_args(Comparator) if class_of(kind) == "topic"] == ["topic"]


def test_who_did_not_vote_has_no_number():
    columns = columns_of([question_at(1, vol=0.25, trend=0.5), question_at(2, happened=False, trend=0.75)])
    assert columns.engines == (("trend", "embedded"), ("vol", "embedded"))
    np.testing.assert_array_equal(columns.p, [[0.5, 0.25], [0.75, np.nan]])
    assert (columns.happened.tolist(), columns.resolved_at.tolist()) == ([1.0, 0.0], [11, 12])


def test_a_class_is_in_order_of_asking_with_its_own_engines():
    columns = columns_of([question_at(3, vol=0.3), question_at(2, "topic", trend=0.2), question_at(1, vol=0.1)]).of(
        "direction"
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
