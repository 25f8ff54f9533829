from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import ROOT, wait_until

pytestmark = pytest.mark.slow

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


def test_a_killed_process_is_replaced_and_the_other_stays(tmp_path: Path):
    with supervised(CHILD, tmp_path):
        wait_until(lambda: len(started(tmp_path)) == 2)
        killed, other = sorted(started(tmp_path))
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: len(started(tmp_path)) == 3)
        assert lives(other)


def test_all_processes_end_with_the_one_that_started_them(tmp_path: Path):
    with supervised(CHILD, tmp_path) as parent:
        wait_until(lambda: len(started(tmp_path)) == 2)
        parent.terminate()
        assert parent.wait(20) == 0
        assert not any(lives(pid) for pid in started(tmp_path))


def test_sighup_replaces_every_process(tmp_path: Path):
    with supervised(CHILD, tmp_path) as parent:
        wait_until(lambda: len(started(tmp_path)) == 2)
        before = started(tmp_path)
        parent.send_signal(signal.SIGHUP)
        wait_until(lambda: len(started(tmp_path)) == 4)
        wait_until(lambda: not any(lives(pid) for pid in before))


def test_refused_settings_end_all_processes(tmp_path: Path):
    with supervised("import sys; sys.exit(2)", tmp_path) as parent:
        assert parent.wait(20) == 2
