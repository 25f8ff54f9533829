"""Computations in a child process."""

from __future__ import annotations

import math
import os
import signal
import time

import pytest

from service.jobs import processes
from service.jobs.processes import ChildFailed


def test_the_result_of_the_function_is_returned():
    assert processes.call_child(math.hypot, 3.0, 4.0) == 5.0


def test_a_child_has_the_session_of_its_parent_but_no_ctrl_c():
    """Its low priority counts against the web processes; the terminal's signals go to the parent alone."""
    assert processes.call_child(os.getsid, 0) == os.getsid(0)
    assert processes.call_child(os.getpgrp) != os.getpgrp()


def test_a_failure_has_the_end_of_the_childs_output():
    with pytest.raises(ChildFailed, match="math domain error"):
        processes.call_child(math.sqrt, -1.0)


def test_each_call_has_its_result_in_order():
    pairs = [(3.0, 4.0), (5.0, 12.0), (8.0, 15.0)]
    assert processes.call_child(processes.call_children, math.hypot, pairs) == [5.0, 13.0, 17.0]


def test_a_failure_among_several_is_raised():
    with pytest.raises(ChildFailed, match="math domain error"):
        processes.call_child(processes.call_children, math.sqrt, [(4.0,), (-1.0,)])


def test_a_process_that_is_killed_ends_the_others():
    """No result is waited for that cannot come; the other one would sleep a minute."""
    start = time.monotonic()
    with pytest.raises(ChildFailed, match="a process ended without a result"):
        processes.call_child(processes.call_children, _die_or_wait, [(True,), (False,)])
    assert time.monotonic() - start < 30


def _die_or_wait(dies: bool) -> None:
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)
