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
