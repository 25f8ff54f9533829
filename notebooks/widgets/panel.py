"""A chart that looks by itself: a thread asks the service every so often and draws what it says.

A panel's own file says what it asks of the service, what its figure looks like and how a document moves it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ipywidgets import Button, Dropdown, Layout, ToggleButton, Widget

from notebooks.widgets.chart import Chart
from notebooks.widgets.theme import Theme
from notebooks.widgets.wording import until
from service.client import Client, ConnectionFailed, RateLimited, Unavailable

INTERVALS = {"10 s": 10, "30 s": 30, "1 min": 60, "5 min": 300, "15 min": 900}
SOON_S = 30  # what was not answered was not counted either
FOR = timedelta(hours=1)  # a forgotten tab does not ask for ever


class Panel(Chart):
    """A panel over `client`; what is asked for and drawn is up to the class.

    `theme` is light or dark. It looks again every `every_s` seconds for an hour unless `refreshing` is False; `now`
    tells the time in UTC. `document` is what was drawn last, `fault` what went wrong since. `close` ends its thread.
    """

    EVERY_S = 30

    def __init__(
        self,
        client: Client,
        *,
        theme: Theme = "light",
        every_s: int | None = None,
        refreshing: bool = True,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._wanted, self._looked = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"panel {self.FILE}", daemon=True)
        self._begun = now()
        self._every_s = every_s or self.EVERY_S
        super().__init__(client, theme=theme, now=now)
        self.refreshing.value = refreshing
        self.refreshing.observe(self._toggled, "value")
        self.interval.observe(self.want, "value")
        self.again.on_click(self.want)
        self._say(f"Loading {self.TITLE} …")
        self._thread.start()

    def steering(self) -> Iterable[Widget]:
        known = self._every_s in INTERVALS.values()
        choices = INTERVALS if known else {**INTERVALS, f"{self._every_s} s": self._every_s}
        width = Layout(width="90px")
        self.interval = Dropdown(options=choices, value=self._every_s, layout=width, tooltip="how often")
        self.refreshing = ToggleButton(description="Refresh", tooltip="look again every so often")
        self.again = Button(description="Now", tooltip="look again at once", layout=Layout(width="60px"))
        return self.refreshing, self.interval, self.again

    def fetch(self) -> Any:
        """What is drawn, from the service; raises ClientError."""
        raise NotImplementedError

    def look_again(self) -> None:
        """Ask the service and draw what it says; a fault leaves the last chart and is told above it."""
        with self.telling():
            document = self.fetch()
            with self._lock:
                if self._closing.is_set():
                    return
                self.fault = None
                self.document = document
                self.redraw()

    def loaded(self, timeout_s: float = 30) -> bool:
        """Wait until the service was asked once; whether it was within `timeout_s`."""
        return self._looked.wait(timeout_s)

    def close(self) -> None:
        """End the thread and take the panel off the page."""
        self._closing.set()
        self._wanted.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=self.client.timeout_s)
        super().close()

    def retrying(self) -> str:
        pause = self._pause_s()
        return f" Trying again at {until(self.now(), pause)}." if pause else ""

    def want(self, _change: Any = None) -> None:
        self._begun = self.now()
        self._wanted.set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self.look_again()
            self._looked.set()
            self._rest()

    def _rest(self) -> None:
        """Wait until somebody asks, or for the interval if it is to refresh when that is over."""
        while not self._wanted.wait(self._pause_s()):
            self._stop_after_an_hour()
            if self.refreshing.value:
                return
        self._wanted.clear()

    def _pause_s(self) -> float | None:
        """Seconds until the next look; None: not before somebody asks for it."""
        if not self.refreshing.value:
            return None
        if isinstance(self.fault, RateLimited):
            return max(self.interval.value, self.fault.retry_after_s or 0)
        if isinstance(self.fault, Unavailable):
            return self.fault.retry_after_s or min(self.interval.value, SOON_S)
        return min(self.interval.value, SOON_S) if isinstance(self.fault, ConnectionFailed) else self.interval.value

    def _stop_after_an_hour(self) -> None:
        if self.refreshing.value and self.now() - self._begun > FOR:
            self.refreshing.value = False

    def _toggled(self, change: Mapping[str, Any]) -> None:
        if change["new"]:
            self.want()
