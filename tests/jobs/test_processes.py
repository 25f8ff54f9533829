"""Computations in a child process."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.jobs import processes
from service.jobs.processes import ChildFailed
from tests.processes import ROOT, wait_until

# Each process leaves a file named for it while it lives.
CHILD = "import os, pathlib, signal, sys; pathlib.Path(sys.argv[1], str(os.getpid())).touch(); signal.pause()"
PARENT = (
    "import sys; from service.jobs.processes import supervise; "
    "sys.exit(supervise([sys.executable, '-c', *sys.argv[1:]], 2))"
)


@contextmanager
def supervised(child: str, folder: Path) -> Iterator[subprocess.Popen]:
    command = [sys.executable, "-c", PARENT, child, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()


def started(folder: Path) -> set[int]:
    return {int(file.name) for file in folder.iterdir()}


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_a_killed_process_is_replaced_and_the_other_stays(tmp_path: Path):
    with supervised(CHILD, tmp_path):
        wait_until(lambda: len(started(tmp_path)) == 2)
        victim, other = sorted(started(tmp_path))
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len(started(tmp_path)) == 3)
        assert lives(other)


@pytest.mark.slow
def test_all_processes_end_with_the_one_that_started_them(tmp_path: Path):
    with supervised(CHILD, tmp_path) as parent:
        wait_until(lambda: len(started(tmp_path)) == 2)
        parent.terminate()
        assert parent.wait(20) == 0
        assert not any(lives(pid) for pid in started(tmp_path))


@pytest.mark.slow
def test_sighup_replaces_every_process(tmp_path: Path):
    with supervised(CHILD, tmp_path) as parent:
        wait_until(lambda: len(started(tmp_path)) == 2)
        before = started(tmp_path)
        parent.send_signal(signal.SIGHUP)
        wait_until(lambda: len(started(tmp_path)) == 4)
        wait_until(lambda: not any(lives(pid) for pid in before))


@pytest.mark.slow
def test_refused_settings_end_all_processes(tmp_path: Path):
    with supervised("import sys; sys.exit(2)", tmp_path) as parent:
        assert parent.wait(20) == 2


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
