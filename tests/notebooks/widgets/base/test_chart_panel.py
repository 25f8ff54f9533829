"""The behaviour that every panel has, tried on each of them, and in every world."""

from __future__ import annotations

import gc
import json
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any
from unittest.mock import Mock

import ipywidgets
import pandas as pd
import pytest
from comm import get_comm_manager
from ipywidgets import Dropdown, ToggleButtons, Widget
from jupyter_client.manager import start_new_kernel

from notebooks import widgets
from notebooks.lab import calibration, tearsheet
from notebooks.widgets.base import chart_panel
from notebooks.widgets.base.chart_panel import CellPanels, CellRun, ChartPanel, DownloadButton, DownloadFile
from notebooks.widgets.base.figure import plain_text
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.base.wording import WORLDS, moment
from service.client import Client
from service.market.instants import utc
from tests.notebooks.conftest import client_of
from tests.notebooks.lab.planted import planted_record
from tests.processes import PATIENCE_S, ROOT
from tests.running_service import RunningService

CHARTS = [name for name in widgets.__all__ if name.endswith("Panel")]
DAYS = pd.Series([100.0, 101.0, 99.0], pd.date_range("2026-01-01", periods=3), name="mine")
LAB: dict[str, Callable[[], ChartPanel]] = {
    "tearsheet": lambda: tearsheet(DAYS),
    "calibration": lambda: calibration(planted_record(60)),
}


@pytest.fixture(params=(*CHARTS, *LAB))
def panel(request, open_panel, stub) -> Iterator[ChartPanel]:
    if request.param in CHARTS:
        yield open_panel(getattr(widgets, request.param), stub)
        return
    panel = LAB[request.param]()
    yield panel
    panel.close()


def descendants(widget: Widget) -> Iterator[Widget]:
    """A widget and everything in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from descendants(child)


def test_a_panel_has_controls_and_downloads(panel: ChartPanel):
    """A browser shows a selection of None as an empty field, whatever its label is."""
    choices = [widget for widget in descendants(panel) if isinstance(widget, (Dropdown, ToggleButtons))]
    assert choices
    assert not [choice.tooltip for choice in choices if choice.index is None]
    assert panel.theme.value == "light"
    assert {panel.csv.label, panel.html.label} == {"CSV", "HTML"}
    assert panel.figure.widget in panel.children
    table, page, frame = panel.table(), panel.page(), panel.frame(panel.document)
    assert len(frame) > 0
    assert table.content == frame.to_csv()
    assert panel.figure.layout.title.text in page.content
    assert f"<title>{panel.TITLE}</title>" in page.content
    assert (table.name, table.type) == (f"{panel.FILE}.csv", "text/csv")
    assert (page.name, page.type) == (f"{panel.FILE}.html", "text/html")


@pytest.mark.parametrize("name", CHARTS)
def test_a_new_document_updates_the_same_traces(name: str, open_panel, stub):
    """A browser keeps its zoom and its selection, because no trace is replaced."""
    panel = open_panel(getattr(widgets, name), stub)
    before = panel.figure.data
    panel.refresh()
    assert panel.figure.data == before


def test_a_page_without_widgets_shows_the_conclusion(panel: ChartPanel):
    """GitHub shows the HTML of a saved notebook; a page that draws widgets prefers the widget."""
    bundle = panel._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.model_id
    assert panel.figure.layout.title.text in bundle["text/html"]
    assert plain_text(panel.status_line.value) in bundle["text/plain"]
    assert "</table>" in bundle["text/html"]
    figure = panel.figure
    assert json.loads(figure.widget.content) == json.loads(figure.to_json())


def test_another_theme_recolours_everything(panel: ChartPanel):
    """No colour of the light theme is left, except in the texts that a person selected."""
    panel.theme.value = "dark"
    light, dark = (set(re.findall(r"#[0-9a-fA-F]{6}", repr(palette))) for palette in PALETTES.values())
    assert not set(re.findall(r"#[0-9a-fA-F]{6}", panel.figure.to_json())) & (light - dark)


def test_a_panel_without_its_own_figure_is_refused():
    """The abstract methods hold for widgets, too. So is a selection of another type."""

    class Unfinished(ChartPanel):
        TITLE, FILE = "nothing", "ninefold-nothing"

    with pytest.raises(TypeError, match=r"abstract methods '?draw"):
        Unfinished()
    control = Dropdown(options=["one", "two"])
    assert chart_panel.selected(control, str) == "one"
    with pytest.raises(TypeError, match="'one' is not of type int"):
        chart_panel.selected(control, int)


SETUP = f"""
import sys, threading; sys.path.insert(0, {str(ROOT)!r})
from tests.notebooks.widgets.base.test_refreshing_panel import NumberPanel, NumberService
"""
COUNT = "print(sum(thread.name.startswith('panel') for thread in threading.enumerate()))"


@pytest.mark.parametrize(
    ("runs", "closures"),
    [
        ([CellRun("a", "first"), CellRun("a", "first"), CellRun("a", "second")], [1, 1, 0]),
        ([CellRun("a", "first"), CellRun("b", "second"), CellRun("a", "first")], [0, 0, 0]),
        ([chart_panel.current_run()] * 3, [0, 0, 0]),
    ],
    ids=["a new run", "one run and another cell", "no notebook"],
)
def test_a_new_run_closes_the_panels_of_the_last(runs: list[CellRun], closures: list[int]):
    """Panels of one run and of other cells stay, and outside of a notebook every panel does."""
    cells, panels = CellPanels(), [Mock(spec=["close"]) for _ in runs]
    for panel, run in zip(panels, runs, strict=True):
        cells.add(panel, run)
    assert [panel.close.call_count for panel in panels] == closures


def counts() -> tuple[int, int, int]:
    """The open comms, the models of widgets, and the threads of panels in this process."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("panel")]
    return len(get_comm_manager().comms), len(ipywidgets.widgets.widget._instances), len(threads)


@pytest.mark.parametrize("name", [*CHARTS, *LAB])
def test_a_cell_run_again_leaves_nothing(name, client: Client):
    """No comm, model, thread or panel in memory: each would stay in the kernel and in the browser and slow both."""
    cells, panels = CellPanels(), list[weakref.ref[ChartPanel]]()
    before = counts()
    for number in range(4):
        panel = LAB[name]() if name in LAB else getattr(widgets, name)(client, refreshing=False)
        cells.add(panel, CellRun("a", str(number)))
        panels.append(weakref.ref(panel))
        if isinstance(panel, RefreshingPanel):
            assert panel.wait_until_loaded()
    gc.collect()
    assert [reference() for reference in panels] == [None, None, None, panel]
    panel.close()
    assert counts() == before


@pytest.mark.slow
def test_a_cell_run_ten_times_leaves_one_thread():
    """In a real kernel, with the requests that JupyterLab sends."""
    manager, client = start_new_kernel()
    try:
        run(client, SETUP, "setup")
        for _ in range(10):
            run(client, "NumberPanel(NumberService(), every_s=900)", "panel")
        assert run(client, COUNT, "count").strip() == "1"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client: Any, code: str, cell_id: str) -> str:
    """Run a cell as JupyterLab does, and return what it prints."""
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    request = client.session.msg("execute_request", content, metadata={"cellId": cell_id})
    client.shell_channel.send(request)
    lines = []
    while True:
        message = client.get_iopub_msg(timeout=PATIENCE_S)
        if message["parent_header"].get("msg_id") != request["header"]["msg_id"]:
            continue
        if message["msg_type"] == "stream":
            lines.append(message["content"]["text"])
        assert message["msg_type"] != "error", message["content"]
        if message["content"].get("execution_state") == "idle":
            return "".join(lines)


@pytest.mark.parametrize("file", [None, DownloadFile("a.csv", "text/csv", "é\n")], ids=["nothing yet", "a file"])
def test_a_press_sends_the_file_if_there_is_one(monkeypatch, file: DownloadFile | None):
    button = DownloadButton("CSV", "download", lambda: file)
    bundles: list[Any] = []
    monkeypatch.setattr(button, "send", lambda message, buffers: bundles.append((message, buffers)))
    button._handle_custom_msg({"pressed": True}, [])
    assert bundles == ([({"name": "a.csv", "type": "text/csv"}, ["é\n".encode()])] if file else [])


@pytest.fixture(scope="module", params=WORLDS)
def world_service(request, service_in) -> Iterator[RunningService]:
    """The service in a world, after its first start."""
    with service_in(request.param) as service:
        yield service


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS)
def test_a_panel_is_drawn_in_the_time_of_its_world(name: str, world_service: RunningService):
    """The curves of the lanes end at the document's instant, whatever the wall clock shows."""
    panel_class, clock = getattr(widgets, name), {"now": lambda: utc(world_service.wall)}
    with client_of(world_service) as client, closing(panel_class(client, refreshing=False, **clock)) as panel:
        assert panel.wait_until_loaded()
        status, world = panel.status_line.value, world_service.runtime.settings.world
        assert not [word for word in ("alarm", "STALE") if word in status], status
        assert WORLDS[world] in f"{status} {panel.figure.layout.title.subtitle.text}"
        assert any(len(trace.x) for trace in panel.figure.data if trace.x is not None)
        if isinstance(panel, widgets.BattlePanel):
            first, last = panel.holding_trace.x[0], panel.holding_trace.x[-1]
            as_of = pd.Timestamp(moment(panel.header(panel.document)["as_of"])).tz_localize(None)
            assert as_of - pd.Timedelta(days=7, hours=1) <= first < last <= as_of
