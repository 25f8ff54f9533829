"""A refreshing panel requests its document, reports errors, changes its theme, pauses and ends."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.theme import PALETTES
from service.client import ConnectionFailed, HistoryPending, RateLimited, Refused, Unauthorized, Unavailable
from tests.processes import PATIENCE_S

NOW = datetime(2026, 11, 21, 8, 2, tzinfo=UTC)
SHORT_S = 0.2  # an unwanted request would come within it
OFTEN_S = 0.01
NO_CONNECTION = ConnectionFailed("No connection to http://ninefold: refused.")


class NumberService:
    """Responds with a number, an error, or not at all, as the test sets it."""

    timeout_s = 0.3

    def __init__(self) -> None:
        self.value, self.fault = 1.0, None
        self.requests = threading.Semaphore(0)
        self.open = threading.Event()
        self.open.set()

    def number(self) -> dict[str, Any]:
        self.requests.release()
        self.open.wait(PATIENCE_S)
        if self.fault:
            raise self.fault
        return {"value": self.value, "as_of": "2026-11-21T08:00:00Z", "world": "simulated"}


class NumberPanel(RefreshingPanel):
    """Draws one number."""

    TITLE = "a number"
    FILE = "ninefold-number"
    EVERY_S = 900

    def new_figure(self) -> Figure:
        figure = Figure()
        figure.add_scatter()
        return figure

    def fetch(self) -> dict[str, Any]:
        return self.client.number()

    def draw(self, document: dict[str, Any]) -> None:
        self.figure.data[0].update(x=[0], y=[document["value"]], marker={"color": self.palette.ink})

    def frame(self, document: dict[str, Any]) -> pd.DataFrame:
        return pd.DataFrame({"value": [document["value"]]})


@pytest.fixture
def service() -> NumberService:
    return NumberService()


@pytest.fixture
def clock() -> list[datetime]:
    return [NOW]


@pytest.fixture
def new_panel(service: NumberService, clock: list[datetime]) -> Iterator[Callable[..., NumberPanel]]:
    """Builds panels over the service, and closes them after the test."""
    panels = []

    def new_panel(**options: Any) -> NumberPanel:
        panels.append(NumberPanel(service, now=lambda: clock[0], **options))
        return panels[-1]

    yield new_panel
    service.open.set()
    for panel in panels:
        panel.close()


@pytest.fixture
def panel(new_panel: Callable[..., NumberPanel]) -> NumberPanel:
    """A panel that has refreshed once and refreshes again only on request."""
    panel = new_panel(refreshing=False)
    assert panel.wait_until_loaded(PATIENCE_S)
    return panel


def drawn(panel: NumberPanel) -> list[float]:
    return list(panel.figure.data[0].y)


def wait_until_silent(service: NumberService) -> None:
    while is_requested(service.requests, SHORT_S):
        pass


def report(panel: NumberPanel, view: str, is_shown: bool, theme: str = "light") -> None:
    """What a browser sends when a view of the panel comes onto the screen or leaves it, or when its theme changes."""
    panel.host_page._handle_custom_msg({"view": view, "is_shown": is_shown, "theme": theme}, [])


def is_requested(requests: threading.Semaphore, within_s: float = PATIENCE_S) -> bool:
    return requests.acquire(timeout=within_s)


def test_before_the_first_response_it_says_what_it_loads(new_panel, service):
    """A slow response is announced, then drawn with its world."""
    service.open.clear()
    panel = new_panel(refreshing=False)
    assert "Loading a number …" in panel.status_line.value
    assert panel.table() is None
    assert panel.page() is None
    busy = threading.Event()
    panel.refresh_now.observe(lambda change: change["new"] and busy.set(), "disabled")
    assert panel.refresh_now.disabled or busy.wait(PATIENCE_S)
    assert panel.refresh_now.description == "Loading …"
    service.open.set()
    assert panel.wait_until_loaded(PATIENCE_S)
    assert (panel.refresh_now.description, panel.refresh_now.disabled) == ("Refresh", False)
    assert drawn(panel) == [1.0]
    assert "SIMULATED market · as of 2026-11-21 08:00 UTC" in panel.status_line.value


def test_it_refreshes_at_every_interval(panel, service, new_panel):
    """Without refreshing it waits for the button."""
    assert is_requested(service.requests)
    assert not is_requested(service.requests, SHORT_S)
    panel.refresh_now.click()
    assert is_requested(service.requests)
    new_panel(every_s=OFTEN_S)
    assert all(is_requested(service.requests) for _ in range(4))


def test_switching_refreshing_off_requests_nothing(new_panel, service):
    """A request may use one of the key's daily calls. Switching it on, and a shorter interval, refresh at once."""
    panel = new_panel(every_s=900)
    assert panel.wait_until_loaded(PATIENCE_S)
    assert is_requested(service.requests)
    panel.refreshing.value = False
    assert not is_requested(service.requests, SHORT_S)
    panel.refreshing.value = True
    assert is_requested(service.requests)
    panel.interval.value = 10
    assert is_requested(service.requests)
    assert new_panel(every_s=7, refreshing=False).interval.options["7 s"] == 7


def test_a_forgotten_panel_stops_after_an_hour(new_panel, service, clock):
    """It goes on when refreshing is switched on again."""
    stop = threading.Event()
    panel = new_panel(every_s=OFTEN_S)
    panel.refreshing.observe(lambda change: change["new"] or stop.set(), "value")
    clock[0] += timedelta(minutes=59)
    assert is_requested(service.requests)
    assert panel.refreshing.value
    clock[0] += timedelta(minutes=2)
    assert stop.wait(PATIENCE_S)
    while service.requests.acquire(blocking=False):
        pass
    assert not is_requested(service.requests, SHORT_S)
    panel.refreshing.value = True
    assert all(is_requested(service.requests) for _ in range(3))


def test_a_hidden_panel_asks_for_nothing(new_panel, service):
    """A tab in the background or a panel scrolled away uses no call of the key until one view shows."""
    panel = new_panel(every_s=OFTEN_S)
    assert is_requested(service.requests)
    report(panel, "first", False)
    wait_until_silent(service)
    assert panel.refreshing.value
    report(panel, "first", True)
    assert is_requested(service.requests)
    report(panel, "first", True)
    report(panel, "second", False)
    assert panel.host_page.is_shown
    report(panel, "first", False)
    assert not panel.host_page.is_shown


def test_an_error_keeps_the_chart_and_states_its_age(panel, service, caplog):
    """Until the next document. A response of another version is reported, and the panel goes on refreshing."""
    service.fault = NO_CONNECTION
    panel.refresh()
    assert drawn(panel) == [1.0]
    assert "No new data since 2026-11-21 08:00 UTC: No connection to http://ninefold" in panel.status_line.value
    assert "alarm" in panel.status_line.value
    service.fault, service.value = None, 2.0
    panel.refresh()
    assert drawn(panel) == [2.0]
    assert "No new data" not in panel.status_line.value
    assert panel.fault is None
    number, service.number = service.number, lambda: {"as_of": "2026-11-21T09:00:00Z", "world": "simulated"}
    panel.refresh()
    assert "cannot be drawn" in panel.status_line.value
    assert "a number cannot be drawn" in caplog.text
    service.number, service.value = number, 7.0
    panel.refresh()
    assert drawn(panel) == [7.0]
    assert "cannot be drawn" not in panel.status_line.value


def test_a_response_never_follows_that_of_a_later_request(panel, service):
    """A person changes a control twice while the service is slow: the second selection is what stays drawn."""
    is_drawn = threading.Event()

    def number() -> dict[str, Any]:
        value = service.value
        service.requests.release()
        if value == 2.0:
            is_drawn.wait(SHORT_S)
        return {"value": value, "as_of": "2026-11-21T08:00:00Z", "world": "simulated"}

    wait_until_silent(service)
    service.number, service.value = number, 2.0
    panel._first_response.clear()
    panel.request_refresh()
    assert is_requested(service.requests)
    service.value = 3.0
    panel.refresh()
    is_drawn.set()
    assert panel.wait_until_loaded(PATIENCE_S)
    assert drawn(panel) == [3.0]


@pytest.mark.parametrize(
    ("fault", "texts"),
    [
        (NO_CONNECTION, ("Nothing to show yet: No connection",)),
        (Unauthorized(401, {"detail": "POST /register gives a key."}), ("POST /register gives", "Set ORACLE_KEY")),
        (ConnectionFailed("<script>"), ("&lt;script&gt;",)),
    ],
    ids=["no connection", "no key", "script"],
)
def test_a_panel_without_any_response_says_why(new_panel, service, fault, texts):
    """And what to do; the text of an error is escaped."""
    service.fault = fault
    panel = new_panel(refreshing=False)
    assert panel.wait_until_loaded(PATIENCE_S)
    assert all(text in panel.status_line.value for text in texts)
    assert not [text for text in ("Trying again", "<script>") if text in panel.status_line.value]


@pytest.mark.parametrize(
    ("fault", "time"),
    [
        (RateLimited(429, {"detail": "Used up.", "retry_after_s": 7200}), "10:02:00"),
        (RateLimited(429, {"detail": "Too many.", "retry_after_s": 1}), "08:17:00"),
        (Unavailable(503, {"detail": "Not available yet.", "retry_after_s": 5}), "08:02:05"),
        (HistoryPending(503, {"detail": "Arriving.", "retry_after_s": 40}), "08:02:40"),
        (NO_CONNECTION, "08:02:30"),
        (Refused(500, {"detail": "Something broke."}), "08:17:00"),
    ],
    ids=["quota used up", "too soon", "not ready", "history", "no connection", "broken"],
)
def test_after_an_error_it_waits_as_the_service_asks(new_panel, service, fault, time):
    """The interval is 15 minutes: a service that is starting is asked sooner, a used up quota later."""
    service.fault = fault
    panel = new_panel()
    assert panel.wait_until_loaded(PATIENCE_S)
    assert f"Trying again at {time} UTC." in panel.status_line.value


def test_a_panel_waits_for_an_arriving_history(new_panel, service):
    """It says how long the history still takes, and draws by itself once it is there."""
    fault = HistoryPending(503, {"detail": "The price history is arriving: about 40 s left.", "retry_after_s": OFTEN_S})
    service.fault = fault
    panel, is_drawn = new_panel(), threading.Event()
    panel.status_line.observe(lambda change: "as of" in change["new"] and is_drawn.set(), "value")
    assert panel.wait_until_loaded(PATIENCE_S)
    assert ">The price history is arriving: about 40 s left. Trying again at" in panel.status_line.value
    service.fault = None
    assert is_drawn.wait(PATIENCE_S)
    assert drawn(panel) == [1.0]


def test_another_theme_changes_the_chart_and_its_box(panel):
    """The panel follows the theme of its page."""
    report(panel, "first", True, "dark")
    assert (panel.theme.value, panel.palette) == ("dark", PALETTES["dark"])
    report(panel, "first", True, "light")
    assert panel.theme.value == "light"
    panel.theme.value = "dark"
    assert panel.figure.layout.template.layout.paper_bgcolor == PALETTES["dark"].paper
    assert panel.figure.data[0].marker.color == PALETTES["dark"].ink
    assert panel._dom_classes == ("ninefold-dark",)
    assert PALETTES["dark"].paper in panel._style.value
    content = json.loads(panel.figure.widget.content)
    assert content["layout"]["template"]["layout"]["paper_bgcolor"] == PALETTES["dark"].paper


def test_a_selected_theme_stays(new_panel):
    """Also one that is an argument; the panel follows its page again once both are the same."""
    panel = new_panel(refreshing=False, theme="dark")
    report(panel, "first", True, "light")
    assert panel.theme.value == "dark"
    panel.theme.value = "light"
    report(panel, "first", True, "dark")
    assert panel.theme.value == "dark"


@pytest.mark.slow
def test_closing_does_not_wait_for_a_missing_response(new_panel, service):
    """A response after the closing is not drawn."""
    service.open.clear()
    panel = new_panel()
    assert is_requested(service.requests)
    panel.close()
    assert panel._thread.is_alive()
    service.open.set()
    panel._thread.join(PATIENCE_S)
    assert not panel._thread.is_alive()
    assert panel.document is None


def test_a_closed_panel_holds_no_data(panel):
    """The kernel keeps what its cells have shown, for example in `Out`."""
    panel.close()
    assert (panel.document, panel.figure.widget.content) == (None, "")
