"""Processes that are replaced when they end, and by successors that are ready."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import ROOT, children, wait_until

pytestmark = pytest.mark.slow

# Each process leaves a file named for it while it lives; it is ready where the folder has no file "not-yet".
CHILD = """
import os, pathlib, signal, sys, time
from service.supervisor import end_with_parent, say_ready
end_with_parent()
folder = pathlib.Path(sys.argv[1])
pathlib.Path(folder, str(os.getpid())).touch()
while (folder / "not-yet").exists():
    time.sleep(0.02)
say_ready()
signal.pause()
"""
# One that looks for its parent once it is ready.
LATECOMER = CHILD.replace("end_with_parent()\n", "", 1).replace("say_ready()\n", "end_with_parent()\nsay_ready()\n", 1)
# One that goes on after SIGTERM, as a web process does whose last request never ends.
STUBBORN = CHILD.replace("say_ready()\n", "signal.signal(signal.SIGTERM, lambda *_: None)\nsay_ready()\n", 1).replace(
    "signal.pause()", "from service import supervisor\nsupervisor.STOP_S = 0.2\nwhile True: signal.pause()"
)
# A master as granian's: it forks its process, which inherits a handler of SIGTERM that does nothing there.
MASTER = """
import multiprocessing, signal
process = multiprocessing.get_context("fork").Process(target=exec, args=({!r}, {{}}))
signal.signal(signal.SIGTERM, lambda *_: None)
process.start()
signal.signal(signal.SIGTERM, signal.SIG_DFL)
process.join()
"""
PARENT = """
import sys
from service import supervisor
supervisor.READY_S = float(sys.argv[1])
sys.exit(supervisor.Supervisor([sys.executable, "-c", *sys.argv[2:]], 2).run())
"""


@contextmanager
def supervised(child: str, folder: Path, ready_s: float = 60.0, count: int = 2) -> Iterator[subprocess.Popen]:
    """A supervisor, as soon as so many of its processes have started."""
    command = [sys.executable, "-c", PARENT, str(ready_s), child, str(folder)]
    log = folder.with_suffix(".log")
    with log.open("w") as output, subprocess.Popen(command, cwd=ROOT, stdout=output) as process:
        try:
            wait_until(lambda: len(started(folder)) == count)
            yield process
        finally:
            process.terminate()


def started(folder: Path) -> set[int]:
    return {int(file.name) for file in folder.iterdir() if file.name.isdecimal()}


def living(folder: Path) -> set[int]:
    return {pid for pid in started(folder) if lives(pid)}


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def hold(tmp_path: Path) -> Callable[[bool], None]:
    """Decides whether processes that start become ready."""
    file = tmp_path / "not-yet"
    return lambda is_held: file.touch() if is_held else file.unlink()


def test_a_killed_process_is_replaced_and_the_other_stays(tmp_path: Path):
    """Also the second time, within seconds."""
    with supervised(CHILD, tmp_path):
        target, other = sorted(started(tmp_path))
        for number in (3, 4):
            os.kill(target, signal.SIGKILL)
            wait_until(lambda number=number: len(started(tmp_path)) == number)
            (target,) = living(tmp_path) - {other}
        assert lives(other)


def test_all_processes_end_with_the_one_that_started_them(tmp_path: Path):
    with supervised(CHILD, tmp_path) as parent:
        parent.terminate()
        assert parent.wait(20) == 0
        assert not living(tmp_path)


@pytest.mark.parametrize(
    "child", [CHILD, MASTER.format(CHILD), STUBBORN], ids=["child", "grandchild", "one that does not stop"]
)
def test_no_process_outlives_a_supervisor_that_is_killed(tmp_path: Path, child: str):
    """Nor do those behind a master as granian's; they would go on unsupervised beside those of the next supervisor."""
    with supervised(child, tmp_path) as parent:
        parent.kill()
        parent.wait(20)
        wait_until(lambda: not living(tmp_path))


def test_a_process_whose_parent_died_before_it_looked_ends(tmp_path: Path, hold):
    """Otherwise it goes on beside those of the next master, and takes the parent that it got since for its own."""
    hold(True)
    with supervised(MASTER.format(LATECOMER), tmp_path) as parent:
        orphans = started(tmp_path)
        for master in children(parent.pid):
            os.kill(master, signal.SIGKILL)
        hold(False)
        try:
            wait_until(lambda: not orphans & living(tmp_path))
        finally:
            for pid in orphans & living(tmp_path):
                os.kill(pid, signal.SIGKILL)  # or it asks that parent to end


def test_a_process_stays_until_its_successor_is_ready(tmp_path: Path, hold):
    """One after the other: while the first successor is not ready, the second is not started."""
    with supervised(CHILD, tmp_path) as parent:
        before = started(tmp_path)
        hold(True)
        parent.send_signal(signal.SIGHUP)
        wait_until(lambda: len(started(tmp_path)) == 3)
        assert before <= living(tmp_path)
        hold(False)
        wait_until(lambda: len(started(tmp_path)) == 4 and not before & living(tmp_path))


def test_a_successor_that_is_never_ready_is_given_up(tmp_path: Path, hold):
    with supervised(CHILD, tmp_path, ready_s=0.5) as parent:
        before = started(tmp_path)
        hold(True)
        parent.send_signal(signal.SIGHUP)
        wait_until(lambda: tmp_path.with_suffix(".log").read_text().count("successor_not_ready") == 2)
        assert before <= living(tmp_path)


def test_a_process_that_ends_beside_its_successor_leaves_it_the_place(tmp_path: Path, hold):
    """A kill during a replacement costs neither process nor successor."""
    with supervised(CHILD, tmp_path) as parent:
        before = started(tmp_path)
        hold(True)
        parent.send_signal(signal.SIGHUP)
        wait_until(lambda: len(started(tmp_path)) == 3)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        hold(False)
        wait_until(lambda: len(living(tmp_path)) == 2)


@pytest.mark.parametrize("words", ["sys.exit(2)", "say_refused(); sys.exit(1)"])
def test_refused_settings_end_all_processes(tmp_path: Path, words: str):
    """By the exit code, or in words where a master of granian has another one."""
    code = f"import sys; from service.supervisor import say_refused; {words}"
    with supervised(code, tmp_path, count=0) as parent:
        assert parent.wait(20) == 2


def test_a_later_refusal_is_tried_again(tmp_path: Path):
    """What a process that works has accepted is not decided by the settings alone."""
    refusal = "len(list(folder.iterdir())) == 3 and sys.exit(2)"
    with supervised(CHILD.replace("say_ready()\nsignal", f"{refusal}\nsay_ready()\nsignal"), tmp_path):
        os.kill(min(started(tmp_path)), signal.SIGKILL)
        wait_until(lambda: len(started(tmp_path)) == 4 and len(living(tmp_path)) == 2)
