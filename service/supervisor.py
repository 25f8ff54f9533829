"""The supervisor of web and of job processes: it replaces those that end, and all of them on SIGHUP.

A process says that it is ready by `say_ready()`, or that it refuses its settings. On SIGHUP each gets a successor,
one after the other; it is asked to end when the successor is ready, and stays where the successor ends or hangs
before. So a passing fault, such as a database that is away, costs no process that works. A web process is one of
granian with the one that it forks.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import parent_process
from select import select
from threading import Event, Thread
from types import FrameType

import structlog

# What `signal.signal` takes and returns.
Handler = Callable[[int, FrameType | None], object] | int | None


@contextmanager
def stop_signals(wake: Callable[[], object] = lambda: None) -> Iterator[Event]:
    """An event that SIGTERM or SIGINT sets; `wake` is called then. A second signal has its usual effect."""
    stop_event = Event()
    before: dict[signal.Signals, Handler] = {}

    def restore() -> None:
        while before:
            signal.signal(*before.popitem())

    def stop(_number: int, _frame: FrameType | None) -> None:
        restore()
        stop_event.set()
        wake()

    for number in (signal.SIGTERM, signal.SIGINT):
        before[number] = signal.signal(number, stop)
    try:
        yield stop_event
    finally:
        restore()


LOOK_S = 0.2
# A process that lived shorter than this is replaced later each time, up to the longest delay.
SOON_S = 10.0
LONGEST_DELAY_S = 30.0
READY_S = 120.0  # how long a successor may take to be ready while the process before it still works
STOP_S = 30.0  # requests and jobs in progress have 20 s to finish; what is left of the process then is killed
REFUSAL = 2  # the exit code of a process that refuses its settings: another one would refuse them too
READY, REFUSED = b"\n", b"!"
# The variables with the file descriptor on which a process says one of them, and with the id of its supervisor.
READY_FD, SUPERVISOR = "NINEFOLD_READY_FD", "NINEFOLD_SUPERVISOR"

log = structlog.stdlib.get_logger(__name__)


def say_ready() -> None:
    """Tell the supervisor, if there is one, that this process does its work."""
    _say(READY)


def say_refused() -> bool:
    """Tell the supervisor that this process refuses its settings, and whether there is one."""
    return _say(REFUSED)


def _say(word: bytes) -> bool:
    if descriptor := os.environ.pop(READY_FD, ""):
        with suppress(OSError):
            os.write(int(descriptor), word)
            os.close(int(descriptor))
    return bool(descriptor)


def end_with_parent() -> None:
    """Ask this process to end when its parent was killed, and the parent when the supervisor was; kill it after STOP_S.

    Otherwise they would go on beside those of the next supervisor, and nobody would replace them. Granian stands
    between its process and the supervisor, and has a handler of SIGTERM that does nothing in its process.
    """
    if supervisor := os.environ.get(SUPERVISOR):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        master = parent_process()  # not `os.getppid()`, which is another one once that was killed
        parent = (master and master.pid) or int(supervisor)
        Thread(target=_watch, args=(int(supervisor), parent), name="parent", daemon=True).start()


def _watch(supervisor: int, parent: int) -> None:
    while os.getppid() == parent:
        try:
            os.kill(supervisor, 0)
        except ProcessLookupError:
            os.kill(parent, signal.SIGTERM)
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_S)
    os.kill(os.getpid(), signal.SIGKILL)  # a request that never ends would keep it, and nobody is left to end it


@dataclass
class _Process:
    """A process that was started at a monotonic second, and the descriptor on which it says that it is ready."""

    process: subprocess.Popen[bytes]
    started_at: float
    descriptor: int
    is_ready: bool = False
    is_refused: bool = False

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def look(self) -> None:
        """Notice whether it has said that it is ready, or that it refuses its settings."""
        if not self.is_ready and select([self.descriptor], [], [], 0)[0]:
            word = os.read(self.descriptor, 1)
            self.is_ready = word == READY
            self.is_refused |= word == REFUSED
        self.is_refused |= self.process.poll() == REFUSAL

    def has_left(self, *, is_due: bool) -> bool:
        """Whether it has ended, and its descriptor is closed; one that was due to end is killed."""
        if is_due and not self.has_ended():
            self.process.kill()
            self.process.wait()
        ended = self.has_ended()
        if ended:
            os.close(self.descriptor)
        return ended


@dataclass
class _Place:
    """One of the processes with its successor; `failures` counts how often in a row one ended soon.

    `due` is the monotonic second at which the next one starts where the present one has ended.
    """

    present: _Process
    successor: _Process | None = None
    failures: int = 0
    due: float | None = None


@dataclass
class Supervisor:
    """Keeps `count` processes of `command` running."""

    command: Sequence[str]
    count: int
    _places: list[_Place] = field(default_factory=list)
    _queue: list[_Place] = field(default_factory=list)  # for a successor
    _leavers: list[tuple[_Process, float]] = field(default_factory=list)  # each with the second at which it is killed
    _was_ready: bool = False

    def run(self) -> int:
        """Supervise until SIGTERM or SIGINT; returns the exit code.

        Where a process refuses its settings before any was ready, all end with exit code 2.
        """
        awake, hangup = Event(), Event()

        def reload(*_: object) -> None:
            hangup.set()
            awake.set()

        with stop_signals(awake.set) as stop:
            before = signal.signal(signal.SIGHUP, reload)
            self._places = [_Place(self._start()) for _ in range(self.count)]
            try:
                while not stop.is_set():
                    if hangup.is_set():
                        hangup.clear()
                        self._queue = list(self._places)
                    if self._is_refused():
                        return REFUSAL
                    self._look()
                    awake.wait(LOOK_S)
                    awake.clear()
            finally:
                self._stop()
                signal.signal(signal.SIGHUP, before)
        return 0

    def _start(self) -> _Process:
        reading, writing = os.pipe()
        environment = os.environ | {READY_FD: str(writing), SUPERVISOR: str(os.getpid())}
        process = subprocess.Popen(self.command, env=environment, pass_fds=(writing,))
        os.close(writing)
        return _Process(process, time.monotonic(), reading)

    def _is_refused(self) -> bool:
        """Whether a process refuses its settings, and none was ever ready."""
        for place in self._places:
            place.present.look()
            self._was_ready |= place.present.is_ready
        return not self._was_ready and any(place.present.is_refused for place in self._places)

    def _look(self) -> None:
        """Do what is due: replace what has ended, let successors take over, kill what does not leave."""
        now = time.monotonic()
        for place in self._places:
            if place.successor:
                self._succeed(place, place.successor, now)
            elif place.present.has_ended():
                self._replace(place, now)
        self._leavers = [(old, until) for old, until in self._leavers if not old.has_left(is_due=now >= until)]
        if self._queue and not self._leavers and not any(place.successor for place in self._places):
            self._queue.pop(0).successor = self._start()

    def _succeed(self, place: _Place, successor: _Process, now: float) -> None:
        """Let a successor that is ready take its place; give up one that has ended or hangs."""
        successor.look()
        if successor.is_ready or place.present.has_ended():
            place.present.process.terminate()
            self._leavers.append((place.present, now + STOP_S))
            place.present, place.successor, place.due = successor, None, None
        elif successor.has_ended() or now - successor.started_at >= READY_S:
            log.error("successor_not_ready", pid=successor.process.pid, code=successor.process.poll())
            self._leavers.append((successor, now))
            place.successor = None

    def _replace(self, place: _Place, now: float) -> None:
        """Start the next process of a place whose process has ended, later each time if it ended soon."""
        earlier = place.present
        if place.due is None:
            place.failures = place.failures + 1 if now - earlier.started_at < SOON_S else 0
            delay = min(2.0 ** (place.failures - 1), LONGEST_DELAY_S) if place.failures else 0.0
            place.due = now + delay
            log.error("process_ended", pid=earlier.process.pid, code=earlier.process.returncode, next_in_s=delay)
        if now >= place.due:
            os.close(earlier.descriptor)
            place.present, place.due = self._start(), None

    def _stop(self) -> None:
        """End all processes and wait for them; those that do not end are killed."""
        processes = [process for place in self._places for process in (place.present, place.successor) if process]
        for process in processes:
            process.process.terminate()
        deadline = time.monotonic() + STOP_S
        for process in [*processes, *(old for old, _ in self._leavers)]:
            with suppress(subprocess.TimeoutExpired):
                process.process.wait(max(0.0, deadline - time.monotonic()))
            process.has_left(is_due=True)
