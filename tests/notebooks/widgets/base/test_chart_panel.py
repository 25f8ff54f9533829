"""The behaviour that every panel has, tried on each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from ipywidgets import Dropdown, ToggleButtons, Widget

from notebooks import widgets
from notebooks.widgets.base.chart_panel import ChartPanel, selected
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from service.client import Client, ConnectionFailed

REFRESHING = ("ApexPanel", "BattlePanel", "ForecastPanel", "HospitalPanel", "LeaderboardPanel", "PredictionsPanel")


@pytest.fixture(params=(*REFRESHING, "OraclePanel"))
def panel(request, client) -> Iterator[ChartPanel]:
    panel_class = getattr(widgets, request.param)
    options = {"refreshing": False} if issubclass(panel_class, RefreshingPanel) else {}
    panel = panel_class(client, **options)
    if isinstance(panel, RefreshingPanel):
        assert panel.wait_until_loaded()
    yield panel
    panel.close()


@pytest.fixture(params=REFRESHING)
def refreshing_panel(request, open_panel, stub) -> RefreshingPanel:
    return open_panel(getattr(widgets, request.param), stub)


def descendants(widget: Widget) -> Iterator[Widget]:
    """A widget and everything in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from descendants(child)


def test_a_control_shows_its_selection(panel: ChartPanel):
    """A browser shows a selection of None as an empty field, whatever its label is."""
    choices = [widget for widget in descendants(panel) if isinstance(widget, (Dropdown, ToggleButtons))]
    assert choices
    assert not [choice.tooltip for choice in choices if choice.index is None]


def test_a_panel_has_a_theme_and_downloads(panel: ChartPanel):
    assert panel.theme.value == "light"
    assert {panel.csv.label, panel.html.label} == {"CSV", "HTML"}
    assert panel.figure.widget in panel.children


def test_an_error_keeps_the_last_chart(refreshing_panel: RefreshingPanel, stub):
    """The status line says since when the chart is old, and no longer says so after the next response."""
    drawn = refreshing_panel.figure.to_json()
    stub.fault = ConnectionFailed("No connection.")
    refreshing_panel.refresh()
    assert refreshing_panel.figure.to_json() == drawn
    as_of = refreshing_panel.header(refreshing_panel.document)["as_of"]
    assert f"No new data since {as_of[:10]} {as_of[11:16]} UTC" in refreshing_panel.status_line.value
    stub.fault = None
    refreshing_panel.refresh()
    assert "No new data" not in refreshing_panel.status_line.value


def test_closing_a_panel_ends_its_thread(refreshing_panel: RefreshingPanel):
    refreshing_panel.close()
    assert not refreshing_panel._thread.is_alive()


def test_a_new_document_updates_the_same_traces(refreshing_panel: RefreshingPanel):
    """A browser keeps its zoom and its selection, because no trace is replaced."""
    before = refreshing_panel.figure.data
    refreshing_panel.refresh()
    assert refreshing_panel.figure.data == before


def test_a_page_without_widgets_shows_the_conclusion(refreshing_panel: RefreshingPanel):
    """GitHub shows the HTML of a saved notebook; a page that draws widgets prefers the widget."""
    bundle = refreshing_panel._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == refreshing_panel.model_id
    assert refreshing_panel.figure.layout.title.text in bundle["text/html"]
    assert "SIMULATED market" in bundle["text/plain"]
    assert "</table>" in bundle["text/html"]


def test_a_browser_receives_what_is_drawn(refreshing_panel: RefreshingPanel):
    figure = refreshing_panel.figure
    assert json.loads(figure.widget.content) == json.loads(figure.to_json())


def test_a_panel_without_its_own_figure_is_refused(client: Client):
    """The abstract methods hold for widgets, too."""

    class Unfinished(ChartPanel):
        TITLE, FILE = "nothing", "ninefold-nothing"

    with pytest.raises(TypeError, match="abstract methods draw, frame, new_figure"):
        Unfinished(client)


def test_a_selection_of_another_type_is_refused():
    control = Dropdown(options=["one", "two"])
    assert selected(control, str) == "one"
    with pytest.raises(TypeError, match="'one' is not of type int"):
        selected(control, int)
