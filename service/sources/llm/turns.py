"""Turns to compute: threads that wait for language models delay nobody when many answers arrive at once.

Python runs one thread at a time. Each of many threads that want to run wakes up every few milliseconds, and a short
request waits behind all of them. A thread of a model therefore computes only while it has one of a few turns, and
gives it back while it waits for its server.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 2

_turns = threading.BoundedSemaphore(AT_ONCE)
_thread = threading.local()


@contextmanager
def computing() -> Iterator[None]:
    """Have a turn, once one is free."""
    with _turns:
        _thread.has_turn = True
        try:
            yield
        finally:
            _thread.has_turn = False


@contextmanager
def waiting() -> Iterator[None]:
    """Give the turn of this thread, if it has one, to others for the time of the block."""
    if not getattr(_thread, "has_turn", False):
        yield
        return
    _turns.release()
    try:
        yield
    finally:
        _turns.acquire()
