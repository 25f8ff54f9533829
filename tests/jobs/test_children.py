"""Computations in a child process."""

from __future__ import annotations

import math

import pytest

from service.jobs import children
from service.jobs.children import ChildFailed


def test_the_result_of_the_function_is_returned():
    assert children.call(math.hypot, 3.0, 4.0) == 5.0


def test_a_failure_has_the_end_of_the_childs_output():
    with pytest.raises(ChildFailed, match="math domain error"):
        children.call(math.sqrt, -1.0)


def test_each_call_has_its_result_in_order():
    assert children.each(math.hypot, [(3.0, 4.0), (5.0, 12.0), (8.0, 15.0)]) == [5.0, 13.0, 17.0]


def test_a_failure_among_several_is_raised():
    with pytest.raises(ChildFailed, match="math domain error"):
        children.each(math.sqrt, [(4.0,), (-1.0,)])
