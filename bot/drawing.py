"""The thread that draws all charts, one after the other.

Drawing takes about 0.2 s of CPU and holds the interpreter's lock for most of it: several threads would not be faster,
and together they would delay the replies to other chats.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from bot.languages import SOURCE, spoken, zone

MAX_QUEUE = 10  # charts; with more, those that nobody pressed a button for are left out


class DrawingThread:
    """Draws charts in the order in which they are requested."""

    def __init__(self, max_queue: int = MAX_QUEUE) -> None:
        self._thread = ThreadPoolExecutor(1, "drawing")
        self._queue, self._max_queue = 0, max_queue

    @property
    def is_busy(self) -> bool:
        """Whether so many charts wait that only requested ones should be drawn."""
        return self._queue >= self._max_queue

    async def draw(self, chart: Callable[..., bytes], *values: Any) -> bytes:
        """The picture that `chart` returns for these values."""
        self._queue += 1
        try:
            # Charts are English, and their font has no Chinese; their dates are in the zone of the person.
            drawing = partial(spoken, SOURCE, partial(chart, *values), zone().key)
            return await asyncio.get_running_loop().run_in_executor(self._thread, drawing)
        finally:
            self._queue -= 1

    def close(self) -> None:
        """End the thread; charts that wait are not drawn."""
        self._thread.shutdown(wait=False, cancel_futures=True)
