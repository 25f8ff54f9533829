"""The signals that end a process: the first one asks it to finish its work, the second ends it at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

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
