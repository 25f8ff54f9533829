"""What every panel does: it looks by itself, tells its faults, dresses, stops, and ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets.figure import Figure
from notebooks.widgets.panel import Panel
from notebooks.widgets.theme import LOOKS
from service.client import ClientError, ConnectionFailed, RateLimited, Refused, Unauthorized, Unavailable

NOW = datetime(2026, 11, 21, 8, 2, tzinfo=UTC)
PATIENCE_S = 10
SOON_S = 0.2  # within which what must not happen would have happened
OFTEN_S = 0.01
Unheard = ConnectionFailed("No connection to http://ninefold: refused.")


class Service:
    """Answers what a test says, when it says."""

    timeout_s = 0.3

    def __init__(self) -> None:
        self.value, self.fault = 1.0, None
        self.asked = threading.Semaphore(0)
        self.open = threading.Event()
        self.open.set()

    def number(self) -> dict[str, Any]:
        self.asked.release()
        self.open.wait(PATIENCE_S)
        if self.fault:
            raise self.fault
        return {"value": self.value, "as_of": "2026-11-21T08:00:00Z", "world": "simulated"}


class Small(Panel):
    """One number."""

    TITLE = "a number"
    FILE = "ninefold-number"
    EVERY_S = 900

    def figure_of(self) -> Figure:
        figure = Figure()
        figure.add_scatter()
        return figure

    def fetch(self) -> dict[str, Any]:
        return self.client.number()

    def draw(self, document: dict[str, Any]) -> None:
        self.figure.data[0].update(x=[0], y=[document["value"]], marker={"color": self.look.ink})

    def frame(self, document: dict[str, Any]) -> pd.DataFrame:
        return pd.DataFrame({"value": [document["value"]]})


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def clock() -> list[datetime]:
    return [NOW]


@pytest.fixture
def begin(service: Service, clock: list[datetime]) -> Iterator[Callable[..., Small]]:
    """Makes panels over the service, and closes them after the test."""
    panels = []

    def begin(**options: Any) -> Small:
        panels.append(Small(service, now=lambda: clock[0], **options))
        return panels[-1]

    yield begin
    service.open.set()
    for panel in panels:
        panel.close()


@pytest.fixture
def panel(begin: Callable[..., Small]) -> Small:
    """A panel that has looked once and looks again only when asked."""
    panel = begin(refreshing=False)
    assert panel.loaded(PATIENCE_S)
    return panel


def drawn(panel: Small) -> list[float]:
    return list(panel.figure.data[0].y)


def happens(asked: threading.Semaphore, within_s: float = PATIENCE_S) -> bool:
    return asked.acquire(timeout=within_s)


def test_before_the_first_answer_it_says_what_it_loads(begin, service):
    service.open.clear()
    panel = begin(refreshing=False)
    assert "Loading a number …" in panel.state.value
    assert panel.table() is None
    assert panel.page() is None


def test_it_draws_what_the_service_says_and_of_which_world_and_when_that_is(panel):
    assert drawn(panel) == [1.0]
    assert "SIMULATED market · as of 2026-11-21 08:00 UTC" in panel.state.value


def test_what_was_drawn_is_there_for_a_page_that_is_opened_later(panel):
    assert list(panel.figure._widget_data[0]["y"]) == [1.0]


def test_it_looks_again_after_every_interval_without_being_asked(begin, service):
    begin(every_s=OFTEN_S)
    assert all(happens(service.asked) for _ in range(4))


def test_without_refreshing_it_looks_once_and_then_when_asked(panel, service):
    assert happens(service.asked)
    assert not happens(service.asked, SOON_S)
    panel.again.click()
    assert happens(service.asked)


def test_switching_refreshing_off_asks_nothing(begin, service):
    """A look may cost a call of the key's day."""
    panel = begin(every_s=900)
    assert panel.loaded(PATIENCE_S)
    assert happens(service.asked)
    panel.refreshing.value = False
    assert not happens(service.asked, SOON_S)


def test_switching_refreshing_on_looks_at_once(panel, service):
    assert happens(service.asked)
    panel.refreshing.value = True
    assert happens(service.asked)


def test_a_shorter_interval_counts_at_once(begin, service):
    panel = begin(every_s=900)
    assert panel.loaded(PATIENCE_S)
    assert happens(service.asked)
    panel.interval.value = 10
    assert happens(service.asked)


def test_an_interval_of_ones_own_can_be_chosen_again(begin):
    assert begin(every_s=7, refreshing=False).interval.options["7 s"] == 7


def test_a_forgotten_panel_stops_after_an_hour_and_goes_on_when_asked(begin, service, clock):
    stopped = threading.Event()
    panel = begin(every_s=OFTEN_S)
    panel.refreshing.observe(lambda change: change["new"] or stopped.set(), "value")
    clock[0] += timedelta(minutes=59)
    assert happens(service.asked)
    assert panel.refreshing.value
    clock[0] += timedelta(minutes=2)
    assert stopped.wait(PATIENCE_S)
    while service.asked.acquire(blocking=False):
        pass
    assert not happens(service.asked, SOON_S)
    panel.refreshing.value = True
    assert all(happens(service.asked) for _ in range(3))


def test_a_fault_leaves_the_last_chart_and_says_since_when_it_is_old(panel, service):
    service.fault = Unheard
    panel.look_again()
    assert drawn(panel) == [1.0]
    assert "No new data since 2026-11-21 08:00 UTC: No connection to http://ninefold" in panel.state.value
    assert "alarm" in panel.state.value


def test_after_a_fault_new_data_is_drawn_and_nothing_is_said_of_the_fault(panel, service):
    service.fault = Unheard
    panel.look_again()
    service.fault, service.value = None, 2.0
    panel.look_again()
    assert drawn(panel) == [2.0]
    assert "No new data" not in panel.state.value
    assert panel.fault is None


def test_an_answer_that_cannot_be_drawn_is_told_and_does_not_end_the_looking(panel, service, caplog):
    """As from a service of another version: nobody takes the old chart for a new one."""
    known, service.number = service.number, lambda: {"as_of": "2026-11-21T09:00:00Z", "world": "simulated"}
    panel.look_again()
    assert "cannot be drawn" in panel.state.value
    assert "a number cannot be drawn" in caplog.text
    service.number, service.value = known, 7.0
    panel.look_again()
    assert list(panel.figure.data[0].y) == [7.0]
    assert "cannot be drawn" not in panel.state.value


def test_a_panel_that_never_had_an_answer_says_so(begin, service):
    service.fault = Unheard
    panel = begin(refreshing=False)
    assert panel.loaded(PATIENCE_S)
    assert "Nothing to show yet: No connection" in panel.state.value
    assert "Trying again" not in panel.state.value


def test_without_a_key_it_says_what_to_do(begin, service):
    service.fault = Unauthorized(401, {"detail": "Send your API key; POST /api/v1/register gives you one."})
    panel = begin()
    assert panel.loaded(PATIENCE_S)
    assert "POST /api/v1/register" in panel.state.value
    assert "Set ORACLE_KEY" in panel.state.value


@pytest.mark.parametrize(
    ("fault", "again"),
    [
        (RateLimited(429, {"detail": "Used up.", "retry_after_s": 7200}), "10:02:00"),
        (RateLimited(429, {"detail": "Too many.", "retry_after_s": 1}), "08:17:00"),
        (Unavailable(503, {"detail": "Not made yet.", "retry_after_s": 5}), "08:02:05"),
        (Unheard, "08:02:30"),
        (Refused(500, {"detail": "Something broke."}), "08:17:00"),
    ],
    ids=["a day used up", "a moment too soon", "not ready", "nobody there", "broken"],
)
def test_after_a_fault_it_waits_as_the_service_asks_and_says_until_when(begin, service, fault: ClientError, again):
    """The interval is 15 minutes: a service that only starts is asked again sooner, a used up day later."""
    service.fault = fault
    panel = begin()
    assert panel.loaded(PATIENCE_S)
    assert f"Trying again at {again} UTC." in panel.state.value


def test_what_a_fault_says_is_no_html(begin, service):
    service.fault = ConnectionFailed("<script>")
    panel = begin(refreshing=False)
    assert panel.loaded(PATIENCE_S)
    assert "<script>" not in panel.state.value


def test_another_theme_changes_the_chart_and_what_is_around_it(panel):
    panel.theme.value = "dark"
    assert panel.figure.layout.template.layout.paper_bgcolor == LOOKS["dark"].paper
    assert panel.figure.data[0].marker.color == LOOKS["dark"].ink
    assert panel._dom_classes == ("ninefold-dark",)
    assert LOOKS["dark"].paper in panel._style.value
    assert panel.figure._widget_layout["template"]["layout"]["paper_bgcolor"] == LOOKS["dark"].paper


def test_a_theme_that_is_not_there_is_refused_with_those_that_are(begin):
    with pytest.raises(ValueError, match="theme is light or dark, not 'sepia'"):
        begin(theme="sepia")


def test_closing_ends_the_thread(begin):
    panel = begin(every_s=OFTEN_S)
    assert panel.loaded(PATIENCE_S)
    panel.close()
    assert not panel._thread.is_alive()


def test_closing_does_not_wait_for_ever_for_an_answer_that_does_not_come(begin, service):
    """And what comes after all is not drawn any more."""
    service.open.clear()
    panel = begin()
    assert happens(service.asked)
    panel.close()
    assert panel._thread.is_alive()
    service.open.set()
    panel._thread.join(PATIENCE_S)
    assert not panel._thread.is_alive()
    assert panel.document is None


def test_what_is_drawn_can_be_taken_away_as_a_table_and_as_a_page(panel):
    table, page = panel.table(), panel.page()
    assert (table.name, table.type) == ("ninefold-number.csv", "text/csv")
    assert table.content == ",value\n0,1.0\n"
    assert (page.name, page.type) == ("ninefold-number.html", "text/html")
    assert "<title>a number</title>" in page.content


def test_a_button_hands_the_file_over_once_there_is_one(begin, service, monkeypatch):
    service.open.clear()
    panel = begin(refreshing=False)
    sent = []
    monkeypatch.setattr(panel.csv, "send", lambda told, buffers: sent.append((told, buffers)))
    panel.csv._asked(panel.csv, {"asked": True}, [])
    assert sent == []
    service.open.set()
    assert panel.loaded(PATIENCE_S)
    panel.csv._asked(panel.csv, {"asked": True}, [])
    assert sent == [({"name": "ninefold-number.csv", "type": "text/csv"}, [b",value\n0,1.0\n"])]
