"""What holds for the controls of every panel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ipywidgets import Dropdown, ToggleButtons, Widget

from notebooks import widgets
from notebooks.widgets.chart import Chart
from notebooks.widgets.panel import Panel

PANELS = ("ApexPanel", "BattlePanel", "HospitalPanel", "LeaderboardPanel", "OraclePanel", "PredictionsPanel")


@pytest.fixture(params=PANELS)
def chart(request, client) -> Iterator[Chart]:
    made = getattr(widgets, request.param)
    chart = made(client, refreshing=False) if issubclass(made, Panel) else made(client)
    if isinstance(chart, Panel):
        assert chart.loaded()
    yield chart
    chart.close()


def every(widget: Widget) -> Iterator[Widget]:
    """A widget and all that stands in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from every(child)


def test_a_choice_shows_what_is_chosen(chart: Chart):
    """To a browser a choice of nothing is an empty field, whatever nothing is called."""
    choices = [widget for widget in every(chart) if isinstance(widget, (Dropdown, ToggleButtons))]
    assert choices
    assert not [choice.tooltip for choice in choices if choice.index is None]


def test_a_panel_is_made_in_one_line_and_has_theme_and_files(chart: Chart):
    assert chart.theme.value == "light"
    assert {chart.csv.label, chart.html.label} == {"CSV", "HTML"}
    assert chart.figure in chart.children
