"""A limit on how many threads of language models compute at the same time.

Python runs one thread at a time. When many answers arrive at once, many threads are ready to run, and a short request
has to wait for all of them. A thread of a model therefore computes only while it has one of a few turns; it gives its
turn back while it waits for a server, and takes the next free one afterwards.
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
