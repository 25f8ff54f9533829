"""Detects that the wall clock was set while this process was running."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

# How far the two clocks may part between two looks; a clock that is corrected by less is followed.
TOLERANCE_S = 5.0
# A clock that counts while the machine sleeps. Linux has one of its own for that.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

log = structlog.stdlib.get_logger(__name__)


def elapsed_s() -> float:
    """Seconds since the machine started; nobody can set this clock."""
    return time.clock_gettime(_CLOCK)


class ClockGuard:
    """Compares the wall clock `now` with the steady clock `elapsed`, both in seconds.

    After a jump of more than 5 s the wall clock is refused until it is back within 5 s of where it should be, or until
    the process is restarted, by which the operator confirms the new time.
    """

    def __init__(self, now: Callable[[], float], elapsed: Callable[[], float]) -> None:
        self._now = now
        self._elapsed = elapsed
        self._offset = now() - elapsed()
        self._refusing = False

    def refuses(self) -> bool:
        """Whether the wall clock has jumped; the first refusal and the end of it are logged."""
        offset = self._now() - self._elapsed()
        jump = offset - self._offset
        refusing = abs(jump) > TOLERANCE_S
        if refusing and not self._refusing:
            log.error("clock_jumped", seconds=round(jump, 1), until="the clock is right again, or a restart")
        if self._refusing and not refusing:
            log.warning("clock_right_again")
        if not refusing:
            self._offset = offset
        self._refusing = refusing
        return refusing
