"""The apex panel: its call, the layers behind it, and the paper fund that follows it."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import ApexPanel
from notebooks.widgets.apex.fund import UNKNOWN as UNKNOWN_SIDE
from notebooks.widgets.base.probability_rows import UNKNOWN
from tests.notebooks.widgets.clicks import click


@pytest.fixture
def panel(open_panel, stub) -> ApexPanel:
    return open_panel(ApexPanel, stub)


def in_row(panel: ApexPanel, layer: str, column: Any) -> Any:
    """The element of a layer in one of the sequences of the marks."""
    return column[list(panel.marks.y).index(layer)]


def curve(panel: ApexPanel, row: int, field: str, *, backfilled: bool) -> Any:
    return panel.fund.curves[row, field, backfilled]


def labels(panel: ApexPanel) -> dict[Any, str]:
    """The annotations by their height: those of layers by name, those of curves by value."""
    return {annotation.y: annotation.text for annotation in panel.figure.layout.annotations}


def test_each_layer_is_at_its_probability(panel):
    """And so is the fused call above the layers."""
    apex = panel.document["apex"]
    percentages = {layer["name"]: 50 if layer["p_up"] is None else 100 * layer["p_up"] for layer in apex["layers"]}
    drawn = dict(zip(panel.marks.y, panel.marks.x, strict=True))
    assert drawn == pytest.approx({"apex": 100 * apex["vote"]["p_up"], **percentages})
    assert len(drawn) == 9
    for layer in apex["layers"]:
        if layer["p_up"] is not None:
            assert labels(panel)[layer["name"]] == f"{100 * layer['p_up']:.1f}% · weight {layer['weight']:.2f}"


def test_a_silent_layer_is_a_hollow_mark_with_its_reason(panel, stub):
    def silenced(document):
        document["layers"][5] |= {"p_up": None, "direction": None, "weight": 0.0, "silent": "no headline in a day"}
        return document

    stub.changes["apex"] = silenced
    panel.refresh()
    name = panel.document["apex"]["layers"][5]["name"]
    assert in_row(panel, name, panel.marks.marker.symbol) == "circle-open"
    assert labels(panel)[name] == "silent: no headline in a day"


def test_the_area_of_a_mark_is_its_weight(panel, stub):
    def heavier(document):
        for layer, weight in zip(document["layers"], (1.0, 4.0), strict=False):
            layer |= {"weight": weight, "silent": None, "p_up": 0.5}
        return document

    stub.changes["apex"] = heavier
    panel.refresh()
    names = [layer["name"] for layer in panel.document["apex"]["layers"]]
    sizes = [in_row(panel, name, panel.marks.marker.size) for name in names[:2]]
    assert sizes[1] == pytest.approx(2 * sizes[0])


def test_a_click_beside_the_marks_shows_nothing(panel):
    click(panel.marks)
    assert panel.detail.value == ""


def test_an_unknown_direction_and_side_stand_out(panel, stub):
    def strange(document):
        document["layers"][0] |= {"direction": "<SIDEWAYS>", "silent": None, "p_up": 0.5}
        return document

    def swapped(document):
        document["trades"][0]["side"] = "<swap>"
        return document

    stub.changes |= {"apex": strange, "fund": swapped}
    panel.refresh()
    name = panel.document["apex"]["layers"][0]["name"]
    assert in_row(panel, name, panel.marks.marker.symbol) == UNKNOWN[1]
    assert labels(panel)[name].endswith("· &lt;SIDEWAYS&gt;")
    assert panel.fund.trades.marker.symbol[0] == UNKNOWN_SIDE
    assert panel.fund.trades.text[0].startswith("&lt;swap&gt; ")


def test_texts_of_the_document_are_escaped(panel, stub):
    def evil(document):
        document["layers"][0]["reading"] = "<script>1</script>"
        return document

    stub.changes["apex"] = evil
    panel.refresh()
    panel.pick(panel.document["apex"]["layers"][0]["name"])
    assert all("<script" not in text for text in (*panel.marks.customdata, panel.detail.value))


def test_a_fund_without_points_says_when_it_starts(panel, stub):
    stub.changes["fund"] = lambda document: {**document, "equity": [], "trades": []}
    panel.refresh()
    assert "The fund has no curve yet" in panel.status_line.value
    assert all(len(trace.x) == 0 for trace in panel.fund.curves.values())


def test_the_axis_widens_for_a_confident_call(panel, stub):
    def surer(document):
        document["vote"]["p_up"] = 0.71
        return document

    stub.changes["apex"] = surer
    panel.refresh()
    assert in_row(panel, "apex", panel.marks.x) == pytest.approx(71)
    assert panel.figure.layout.xaxis.range[1] > 71


def test_the_downloads_have_the_equity_of_the_fund(panel):
    table = pd.read_csv(io.StringIO(panel.table().content))
    assert list(table["equity_usd"]) == [point["equity_usd"] for point in panel.document["fund"]["equity"]]
    assert panel.page().name == "ninefold-apex.html"
