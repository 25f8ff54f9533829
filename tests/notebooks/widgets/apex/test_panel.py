"""The apex panel: its call, the layers behind it, and the paper fund that follows it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import ApexPanel
from notebooks.widgets.apex.panel import UNKNOWN as UNKNOWN_SIDE
from notebooks.widgets.base.curves import drawdowns_pct, values
from notebooks.widgets.base.probability_rows import UNKNOWN
from notebooks.widgets.base.wording import number
from tests.notebooks.conftest import click


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
    marks = dict(zip(panel.marks.y, panel.marks.x, strict=True))
    assert marks == pytest.approx({"apex": 100 * apex["vote"]["p_up"], **percentages})
    assert len(marks) == 9
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


def test_the_hover_text_of_a_layer_has_its_accuracy_and_n(panel):
    for layer in panel.document["apex"]["layers"]:
        text = in_row(panel, layer["name"], panel.marks.customdata)
        for book in layer["accuracy"]:
            assert f"{'backfilled' if book['backfilled'] else 'live'}: " in text
            assert f"n {book['n']:,}" in text
            assert book["verdict"] in text


def test_the_title_has_the_call_and_both_gains(panel):
    apex, fund = panel.document["apex"], panel.document["fund"]
    title = panel.figure.layout.title
    assert f"P(up) {100 * apex['vote']['p_up']:.1f}%, confidence {apex['confidence']:.3f}" in title.text
    assert " · next 24 h, called " in title.subtitle.text
    assert title.text.endswith(
        f"fund {number(fund['pnl_pct'], '+.1f')}%, half in bitcoin {number(fund['benchmark']['pnl_pct'], '+.1f')}%"
    )
    assert "special mode" not in title.text


@pytest.mark.parametrize(
    ("direction", "stance"),
    [
        ("BULLISH", "leans up"),
        ("BEARISH", "leans down"),
        ("NEUTRAL", "is neutral"),
        ("<SIDEWAYS>", "&lt;SIDEWAYS&gt;"),
    ],
)
def test_the_title_has_the_stance_in_words(panel, stub, direction, stance):
    def turned(document):
        document["vote"]["direction"] = direction
        document["special_mode"]["active"] = True
        return document

    stub.changes["apex"] = turned
    panel.refresh()
    assert panel.figure.layout.title.text.startswith(f"Apex {stance}: P(up) ")
    assert ", special mode ·" in panel.figure.layout.title.text


def test_the_subtitle_says_paper_and_backfilled(panel):
    subtitle = panel.figure.layout.title.subtitle.text
    last = [point["time"] for point in panel.document["fund"]["equity"] if point["backfilled"]][-1]
    assert subtitle.startswith("PAPER · SIMULATED market · fund BACKFILLED until ")
    assert f"BACKFILLED until {last[:10]} {last[11:16]} UTC" in subtitle
    assert f"n {panel.document['fund']['days']} days" in subtitle


def test_a_click_on_a_layer_shows_its_track_record(panel):
    click(panel.marks, list(panel.marks.y).index("regime"))
    layer = next(layer for layer in panel.document["apex"]["layers"] if layer["name"] == "regime")
    book = next(book for book in layer["accuracy"] if book["backfilled"])
    for text in (f"{book['n']:,}", *(f"{book[f'hit_rate_{name}pct']:.2f}" for name in ("", "low_", "high_"))):
        assert f">{text}</td>" in panel.detail.value
    assert "BACKFILLED" in panel.detail.value
    assert layer["reading"] in panel.detail.value


def test_a_click_on_a_trade_shows_its_facts(panel):
    click(panel.fund.trades, 1)
    trade = panel.document["fund"]["trades"][1]
    assert f"PAPER {trade['side']} at {trade['time'][:10]}" in panel.detail.value
    assert f"{trade['price']:,.2f} USD" in panel.detail.value


@pytest.mark.parametrize("field", ["equity_usd", "benchmark_usd"])
def test_the_curves_are_those_of_the_document(panel, field):
    points = panel.document["fund"]["equity"]
    backfilled = [point for point in points if point["backfilled"]]
    equity, drawdown = (curve(panel, row, field, backfilled=True) for row in (2, 3))
    assert list(equity.y) == [point[field] for point in backfilled]
    assert list(pd.to_datetime(equity.x, utc=True)) == [pd.Timestamp(point["time"]) for point in backfilled]
    assert list(drawdown.y) == pytest.approx(drawdowns_pct(values(points, field))[: len(backfilled)])


def test_the_solid_live_curve_continues_the_dotted_one(panel, stub):
    def half_live(document):
        for place, point in enumerate(document["equity"]):
            point["backfilled"] = place < 10
        return document

    stub.changes["fund"] = half_live
    panel.refresh()
    past, live = (curve(panel, 2, "equity_usd", backfilled=backfilled) for backfilled in (True, False))
    assert (past.line.dash, live.line.dash) == ("dot", "solid")
    assert (len(past.x), len(live.x)) == (10, len(panel.document["fund"]["equity"]) - 9)
    assert (past.x[-1], past.y[-1]) == (live.x[0], live.y[0])


def test_a_live_fund_has_no_dotted_curve(panel, stub):
    stub.changes["fund"] = lambda document: {
        **document,
        "equity": [{**point, "backfilled": False} for point in document["equity"]],
    }
    panel.refresh()
    assert len(curve(panel, 2, "equity_usd", backfilled=True).x) == 0
    assert len(curve(panel, 2, "equity_usd", backfilled=False).x) == len(panel.document["fund"]["equity"])
    assert "fund BACKFILLED" not in panel.figure.layout.title.subtitle.text


def test_curve_labels_have_the_numbers_of_the_service(panel):
    fund = panel.document["fund"]
    texts = set(labels(panel).values())
    assert f"fund {fund['equity_usd']:,.0f} USD" in texts
    assert f"half in bitcoin {fund['benchmark']['equity_usd']:,.0f} USD" in texts
    assert f"fund, worst −{fund['max_drawdown_pct']:.1f}%" in texts


def test_every_trade_is_marked_at_its_time(panel):
    trades, trace = panel.document["fund"]["trades"], panel.fund.trades
    assert trades
    assert list(pd.to_datetime(trace.x, utc=True)) == [pd.Timestamp(trade["time"]) for trade in trades]
    symbols = {"buy": "triangle-up-open", "sell": "triangle-down-open"}
    assert list(trace.marker.symbol) == [symbols[trade["side"]] for trade in trades]
