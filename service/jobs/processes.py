"""Processes: several of one command, each replaced when it ends, and children for heavy computations.

Fitting holds the interpreter lock for seconds, which would delay all requests in the process that answers them. A child
has one thread for its sums, so that they are always taken in the same order.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import structlog

from service.signals import stop_signals

LOOK_S = 0.2
# A process that lived shorter than this is replaced later each time, up to the longest delay.
SOON_S = 10.0
LONGEST_DELAY_S = 30.0
# Running jobs have 20 s to finish; what is left of the process then is killed.
STOP_S = 30.0
# The exit code of a process that refuses its settings: another one would refuse them too.
REFUSAL = 2

log = structlog.stdlib.get_logger(__name__)


@dataclass
class _Place:
    """One of the processes: the present one, when it started, and how often in a row one ended soon."""

    process: subprocess.Popen[bytes]
    started_at: float
    failures: int = 0
    due: float | None = None  # when the next one starts, where this one has ended


def supervise(command: Sequence[str], count: int) -> int:
    """Keep `count` processes of `command` running until SIGTERM or SIGINT; returns the exit code.

    A process with exit code 2 has refused its settings and ends them all.
    """
    awake = Event()
    hangup = Event()

    def reload(*_: object) -> None:
        hangup.set()
        awake.set()

    with stop_signals(awake.set) as stop:
        before = signal.signal(signal.SIGHUP, reload)
        places = [_start(command) for _ in range(count)]
        try:
            while not stop.is_set():
                if any(place.process.poll() == REFUSAL for place in places):
                    return REFUSAL
                for place in places:
                    _replace_ended(command, place)
                if hangup.is_set():
                    hangup.clear()
                    _replace_all(command, places, stop)
                awake.wait(LOOK_S)
                awake.clear()
        finally:
            _stop(places)
            signal.signal(signal.SIGHUP, before)
    return 0


def _start(command: Sequence[str]) -> _Place:
    return _Place(subprocess.Popen(command), time.monotonic())


def _replace_ended(command: Sequence[str], place: _Place) -> None:
    """Start the next process of a place whose process has ended, later each time if it ended soon."""
    code, now = place.process.poll(), time.monotonic()
    if code is None:
        return
    if place.due is None:
        place.failures = place.failures + 1 if now - place.started_at < SOON_S else 0
        delay = min(2.0 ** (place.failures - 1), LONGEST_DELAY_S) if place.failures else 0.0
        place.due = now + delay
        log.error("job_process_ended", pid=place.process.pid, code=code, next_in_s=delay)
    if now >= place.due:
        successor = _start(command)
        place.process, place.started_at, place.due = successor.process, successor.started_at, None


def _replace_all(command: Sequence[str], places: list[_Place], stop: Event) -> None:
    """Replace one process after the other, so that the rest works on meanwhile."""
    for number, place in enumerate(places):
        if stop.is_set():
            return
        _stop([place])
        places[number] = _start(command)


def _stop(places: Sequence[_Place]) -> None:
    """End the processes and wait for them; those that do not end are killed."""
    for place in places:
        place.process.terminate()
    deadline = time.monotonic() + STOP_S
    for place in places:
        try:
            place.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            place.process.kill()
            place.process.wait()


T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 300
ONE_THREAD = ("env", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "VECLIB_MAXIMUM_THREADS=1")
CHILD = (
    "import pickle, sys; function, arguments = pickle.load(sys.stdin.buffer); "
    "pickle.dump(function(*arguments), sys.stdout.buffer)"
)


class ChildFailed(RuntimeError):
    """The child process ended without a result; contains the end of its error output."""


def call_child(function: Callable[..., T], *arguments: Any) -> T:
    """The result of `function(*arguments)` in a child process. Raises ChildFailed or subprocess.TimeoutExpired."""
    process = subprocess.run(
        [*ONE_THREAD, sys.executable, "-c", CHILD],
        input=pickle.dumps((function, arguments)),
        cwd=ROOT,
        capture_output=True,
        timeout=TIME_LIMIT_S,
        # A group of its own, so that the parent alone handles Ctrl-C, in the parent's session: Linux weighs priorities
        # within sessions, and a child in a new one would count as much as the web processes.
        process_group=0,
    )
    if process.returncode:
        raise ChildFailed(process.stderr.decode(errors="replace")[-500:])
    return pickle.loads(process.stdout)  # noqa: S301 - from our own child process


def call_children(function: Callable[..., T], arguments: Iterable[tuple[Any, ...]]) -> list[T]:
    """The result for each tuple of arguments, in their order; all at once, each in a process forked from this one.

    What this one has imported need not be imported again. It must have a single thread, so it is itself a child.
    """
    context = multiprocessing.get_context("fork")
    receivers, processes = [], []
    for call in arguments:
        receiver, sender = context.Pipe(duplex=False)
        receivers.append(receiver)
        processes.append(context.Process(target=_send, args=(sender, receivers, function, call), daemon=True))
        processes[-1].start()
        sender.close()
    try:
        results = [receiver.recv() for receiver in receivers]
    except EOFError as error:
        raise ChildFailed("a process ended without a result") from error
    finally:
        for process in processes:
            process.terminate()
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def _send(
    sender: Connection, receivers: Iterable[Connection], function: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Send a result or the exception.

    Only the parent keeps the receiving ends, so that a process never waits for a dead one.
    """
    for receiver in receivers:
        receiver.close()
    try:
        sender.send(function(*arguments))
    except Exception as error:  # the parent raises it
        sender.send(error)
