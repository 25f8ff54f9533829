"""A panel that refreshes itself: a thread requests the document at an interval and draws it.

A panel's own file says what it requests, what its figure looks like and how a document updates it.
"""

from __future__ import annotations

import logging
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from ipywidgets import Button, Dropdown, Layout, ToggleButton, Widget

from notebooks.widgets.base.chart_panel import ChartPanel, selected
from notebooks.widgets.base.theme import Theme
from notebooks.widgets.base.wording import minute, time_after
from service.client import (
    Client,
    ClientError,
    ConnectionFailed,
    HistoryPending,
    RateLimited,
    Unauthorized,
    Unavailable,
)

log = logging.getLogger(__name__)

SET_KEY = " Set ORACLE_KEY to a valid key and run the notebook again."
REFRESH, BUSY = "Refresh", "Loading …"  # the label of the button, and while a response is awaited
INTERVALS = {"10 s": 10.0, "30 s": 30.0, "1 min": 60.0, "5 min": 300.0, "15 min": 900.0}
RETRY_S = 30  # a request without a response is not charged
ACTIVE_FOR = timedelta(hours=1)  # a forgotten panel stops making requests
CLOSING_S = 1.0  # closing does not wait for a slow response: the thread ends after it
STATIC_S = 1.0  # a saved notebook holds what has arrived by then
BUSY_S = 0.7  # a slower response is announced


class RefreshingPanel(ChartPanel):
    """A panel over `client` that refreshes itself; the subclass says what it requests and draws.

    It refreshes every `every_s` seconds for an hour while it is on a screen, unless `refreshing` is False. `fault` is
    the error since the last document. `close` ends its thread.
    """

    EVERY_S: float = 30

    def __init__(
        self,
        client: Client,
        *,
        theme: Theme | None = None,
        every_s: float | None = None,
        refreshing: bool = True,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._request, self._first_response = threading.Event(), threading.Event()
        self._request_lock = threading.Lock()  # a response never arrives after that of a later request
        self._thread = threading.Thread(target=self._run, name=f"panel {self.FILE}", daemon=True)
        self._active_since, self._has_skipped = now(), False
        self._every_s = float(every_s or self.EVERY_S)
        self.client = client
        self.fault: ClientError | None = None
        super().__init__(theme=theme, now=now)
        self.refreshing.value = refreshing
        self.refreshing.observe(self._on_toggle, "value")
        self.interval.observe(self.request_refresh, "value")
        self.refresh_now.on_click(self.request_refresh)
        self.host_page.observe(self._on_visibility, "is_shown")
        self._set_status(f"Loading {self.TITLE} …")
        self._thread.start()

    def refresh_controls(self) -> Iterable[Widget]:
        is_listed = self._every_s in INTERVALS.values()
        choices = INTERVALS if is_listed else {**INTERVALS, f"{self._every_s:g} s": self._every_s}
        width = Layout(width="90px")
        self.interval = Dropdown(options=choices, value=self._every_s, layout=width, tooltip="refresh interval")
        self.refreshing = ToggleButton(description="Auto", tooltip="refresh automatically", layout=Layout(width="60px"))
        self.refresh_now = Button(description=REFRESH, tooltip="refresh now", layout=Layout(width="90px"))
        return self.refresh_now, self.refreshing, self.interval

    @abstractmethod
    def fetch(self) -> Any:
        """Request the document from the service; raises ClientError."""

    def refresh(self) -> None:
        """Request the document and draw it; an error leaves the last chart and is reported above it."""
        with self._request_lock, self.reporting_faults():
            with self._announcing():
                document = self.fetch()
            with self._lock:
                if self._end.is_set():
                    return
                self.fault = None
                self.document = document
                self.redraw()

    def wait_until_loaded(self, timeout_s: float = 30) -> bool:
        """Wait for the first request, answered or failed; False if it takes longer than `timeout_s`."""
        return self._first_response.wait(timeout_s)

    def close(self) -> None:
        """End the thread and remove the panel from the page."""
        self._end.set()
        self._request.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=CLOSING_S)
        super().close()
        with self._lock:  # the kernel keeps what cells have shown, also panels that are closed
            self.document, self.figure.widget.content = None, ""

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        self.wait_until_loaded(STATIC_S)
        return super()._repr_mimebundle_(**options)

    @contextmanager
    def reporting_faults(self) -> Iterator[None]:
        """Report errors raised inside in the status line; the last chart stays."""
        try:
            yield
        except ClientError as fault:
            with self._lock:
                self.fault = fault
                self._set_status(self._fault_text(fault), is_alarm=True)
        # For example a response of another version: the thread goes on, and the status line says the chart is old.
        except Exception as fault:
            log.exception("%s cannot be drawn", self.TITLE)
            with self._lock:
                reason = f"The response of the service cannot be drawn ({type(fault).__name__}: {fault})."
                self._set_status(
                    f"{reason} The service may be of another version. The chart below is older.", is_alarm=True
                )

    def _fault_text(self, fault: ClientError) -> str:
        pause = self._pause_s()
        retry = f" Trying again at {time_after(self.now(), pause)}." if pause else ""
        advice = SET_KEY if isinstance(fault, Unauthorized) else retry
        if self.document is None:
            return f"{fault}{advice}" if isinstance(fault, HistoryPending) else f"Nothing to show yet: {fault}{advice}"
        return f"No new data since {minute(self.header(self.document)['as_of'])}: {fault}{advice}"

    def request_refresh(self, _change: Any = None) -> None:
        """Wake the thread, which then refreshes; the hour until the panel stops begins again."""
        self._active_since = self.now()
        self._request.set()

    def _run(self) -> None:
        while not self._end.is_set():
            self.refresh()
            self._first_response.set()
            self._rest()

    def _rest(self) -> None:
        """Wait for a request, or for the interval if the panel still refreshes at its end."""
        while not self._request.wait(self._pause_s()):
            self._has_skipped = self.refreshing.value and not self.host_page.is_shown
            if not self._has_skipped:
                self._stop_when_inactive()
                if self.refreshing.value:
                    return
        self._request.clear()

    def _pause_s(self) -> float | None:
        """Seconds until the next refresh; None waits for a request."""
        if not self.refreshing.value:
            return None
        interval_s = selected(self.interval, float)
        if isinstance(self.fault, RateLimited):
            return max(interval_s, self.fault.retry_after_s or 0)
        if isinstance(self.fault, Unavailable):
            return self.fault.retry_after_s or min(interval_s, RETRY_S)
        return min(interval_s, RETRY_S) if isinstance(self.fault, ConnectionFailed) else interval_s

    def _stop_when_inactive(self) -> None:
        if self.refreshing.value and self.now() - self._active_since > ACTIVE_FOR:
            self.refreshing.value = False

    def _on_visibility(self, change: Mapping[str, Any]) -> None:
        """Refresh a panel that comes into view if it has skipped a refresh."""
        if change["new"] and self._has_skipped:
            self._has_skipped = False
            self.request_refresh()

    @contextmanager
    def _announcing(self) -> Iterator[None]:
        """Say on the button that a slow response is awaited."""
        is_awaited = threading.Event()
        is_awaited.set()
        timer = threading.Timer(BUSY_S, self._announce, (is_awaited,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            is_awaited.clear()
            self._announce(is_awaited)

    def _announce(self, is_awaited: threading.Event) -> None:
        with self._lock:
            is_busy = is_awaited.is_set()
            self.refresh_now.description = BUSY if is_busy else REFRESH
            self.refresh_now.disabled = is_busy

    def _on_toggle(self, change: Mapping[str, Any]) -> None:
        if change["new"]:
            self.request_refresh()
