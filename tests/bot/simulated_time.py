"""An event loop whose clock goes on at once while nothing but timers is left to wait for."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from typing import Any

STEP_S = 1e-5  # each turn of the loop takes this time, as on a real clock


class SimulatedSelector(selectors.DefaultSelector):
    """Waits for a timer by moving the clock; `threads` is the number of calls that threads still work on."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.threads = 0.0, 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or (self.threads and timeout > 0):
            return super().select(None)
        self.now += max(timeout, STEP_S)
        return super().select(0)


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Its time counts from 0; work in threads takes real time, during which its clock stands still."""

    def __init__(self) -> None:
        self._timer = SimulatedSelector()
        super().__init__(self._timer)

    def time(self) -> float:
        return self._timer.now

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        future = super().run_in_executor(executor, func, *args)
        self._timer.threads += 1
        future.add_done_callback(self._end_of_thread)
        return future

    async def shutdown_default_executor(self, _timeout: float | None = None) -> None:
        """Wait for the threads, which end in real time, without the limit that is counted by this clock."""
        await super().shutdown_default_executor()

    def _end_of_thread(self, _future: asyncio.Future[Any]) -> None:
        self._timer.threads -= 1
