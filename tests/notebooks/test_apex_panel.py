"""The apex panel: its call, the layers behind it, and the paper fund that follows it."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import ApexPanel
from notebooks.widgets.apex import UNKNOWN
from notebooks.widgets.apex_fund import UNKNOWN as UNKNOWN_SIDE
from notebooks.widgets.curves import drawdowns_pct
from service.client import ConnectionFailed


@pytest.fixture
def panel(shown, between) -> ApexPanel:
    return shown(ApexPanel, between)


def marks(panel: ApexPanel) -> Any:
    return panel.figure.data[1]


def at(panel: ApexPanel, layer: str, values: Any) -> Any:
    return values[list(marks(panel).y).index(layer)]


def curve(panel: ApexPanel, row: int, field: str, *, backfilled: bool) -> Any:
    return panel._fund.curves[row, field, backfilled]


def beside(panel: ApexPanel) -> dict[Any, str]:
    return {one.y: one.text for one in panel.figure.layout.annotations}


def test_every_layer_stands_at_its_chance_and_the_call_above_them(panel):
    apex = panel.document["apex"]
    chances = {layer["name"]: 50 if layer["p_up"] is None else 100 * layer["p_up"] for layer in apex["layers"]}
    drawn = dict(zip(marks(panel).y, marks(panel).x, strict=True))
    assert drawn == pytest.approx({"apex": 100 * apex["vote"]["p_up"], **chances})
    assert len(drawn) == 9
    for layer in apex["layers"]:
        if layer["p_up"] is not None:
            assert beside(panel)[layer["name"]] == f"{100 * layer['p_up']:.1f} % · weight {layer['weight']:.2f}"


def test_a_silent_layer_is_a_hollow_mark_with_the_reason(panel, between):
    def hush(document):
        document["layers"][5] |= {"p_up": None, "direction": None, "weight": 0.0, "silent": "no headline in a day"}
        return document

    between.changes["apex"] = hush
    panel.look_again()
    name = panel.document["apex"]["layers"][5]["name"]
    assert at(panel, name, marks(panel).marker.symbol) == "circle-open"
    assert beside(panel)[name] == "silent: no headline in a day"


def test_a_heavier_layer_has_a_larger_mark(panel, between):
    def heavier(document):
        document["layers"][1] |= {"weight": 4 * document["layers"][0]["weight"], "silent": None, "p_up": 0.5}
        return document

    between.changes["apex"] = heavier
    panel.look_again()
    names = [layer["name"] for layer in panel.document["apex"]["layers"]]
    sizes = [at(panel, name, marks(panel).marker.size) for name in names[:2]]
    assert sizes[1] == pytest.approx(2 * sizes[0])


def test_each_layer_tells_how_good_it_was_with_its_n(panel):
    for layer in panel.document["apex"]["layers"]:
        said = at(panel, layer["name"], marks(panel).customdata)
        for book in layer["accuracy"]:
            assert f"{'backfilled' if book['backfilled'] else 'live'}: " in said
            assert f"n {book['n']:,}" in said
            assert book["verdict"] in said


def test_the_title_tells_the_call_and_both_returns(panel):
    apex, fund = panel.document["apex"], panel.document["fund"]
    title = panel.figure.layout.title
    assert f"up {100 * apex['vote']['p_up']:.1f} %, confidence {apex['confidence']:.3f}" in title.text
    assert " · for 24 h, called " in title.subtitle.text
    assert title.text.endswith(f"fund {fund['pnl_pct']:+.1f} %, holding {fund['benchmark']['pnl_pct']:+.1f} %")
    assert "special mode" not in title.text


@pytest.mark.parametrize(
    ("direction", "words"),
    [
        ("BULLISH", "leans up"),
        ("BEARISH", "leans down"),
        ("NEUTRAL", "takes no side"),
        ("<SIDEWAYS>", "&lt;SIDEWAYS&gt;"),
    ],
)
def test_the_verdict_is_in_words(panel, between, direction, words):
    def turned(document):
        document["vote"]["direction"] = direction
        document["special_mode"]["active"] = True
        return document

    between.changes["apex"] = turned
    panel.look_again()
    assert panel.figure.layout.title.text.startswith(f"Apex {words}: up ")
    assert ", special mode ·" in panel.figure.layout.title.text


def test_it_says_that_all_is_paper_and_until_when_it_was_backfilled(panel):
    told = panel.figure.layout.title.subtitle.text
    last = [point["time"] for point in panel.document["fund"]["equity"] if point["backfilled"]][-1]
    assert told.startswith("PAPER · SIMULATED market · fund BACKFILLED until ")
    assert f"BACKFILLED until {last[:10]} {last[11:16]} UTC" in told
    assert f"n {panel.document['fund']['days']} days" in told


@pytest.mark.parametrize("field", ["equity_usd", "benchmark_usd"])
def test_the_fund_and_holding_are_drawn_as_the_service_tells_them(panel, field):
    fund = panel.document["fund"]
    told = [point for point in fund["equity"] if point["backfilled"]]
    worth, fall = (curve(panel, row, field, backfilled=True) for row in (2, 3))
    assert list(worth.y) == [point[field] for point in told]
    assert list(pd.to_datetime(worth.x, utc=True)) == [pd.Timestamp(point["time"]) for point in told]
    whole = drawdowns_pct([{"equity_usd": point[field]} for point in fund["equity"]], fund["initial_capital"])
    assert list(fall.y) == pytest.approx(whole[: len(told)])


def test_what_was_backfilled_is_dotted_and_what_is_live_goes_on_from_there(panel, between):
    def half_live(document):
        for point in document["equity"][10:]:
            point["backfilled"] = False
        for point in document["equity"][:10]:
            point["backfilled"] = True
        return document

    between.changes["fund"] = half_live
    panel.look_again()
    past, live = (curve(panel, 2, "equity_usd", backfilled=backfilled) for backfilled in (True, False))
    assert (past.line.dash, live.line.dash) == ("dot", "solid")
    assert (len(past.x), len(live.x)) == (10, len(panel.document["fund"]["equity"]) - 9)
    assert (past.x[-1], past.y[-1]) == (live.x[0], live.y[0])


def test_a_fund_that_only_lived_has_no_dots(panel, between):
    between.changes["fund"] = lambda document: {
        **document,
        "equity": [{**point, "backfilled": False} for point in document["equity"]],
    }
    panel.look_again()
    assert len(curve(panel, 2, "equity_usd", backfilled=True).x) == 0
    assert len(curve(panel, 2, "equity_usd", backfilled=False).x) == len(panel.document["fund"]["equity"])
    assert "fund BACKFILLED" not in panel.figure.layout.title.subtitle.text


def test_the_ends_of_the_curves_say_what_the_service_says(panel):
    fund = panel.document["fund"]
    said = set(beside(panel).values())
    assert f"fund {fund['equity_usd']:,.0f} USD" in said
    assert f"holding {fund['benchmark']['equity_usd']:,.0f} USD" in said
    assert f"fund, deepest -{fund['max_drawdown_pct']:.1f} %" in said


def test_every_trade_is_marked_when_it_was_made(panel):
    told, trace = panel.document["fund"]["trades"], panel._fund.trades
    assert told
    assert list(pd.to_datetime(trace.x, utc=True)) == [pd.Timestamp(trade["time"]) for trade in told]
    symbols = {"buy": "triangle-up-open", "sell": "triangle-down-open"}
    assert list(trace.marker.symbol) == [symbols[trade["side"]] for trade in told]


def test_a_click_on_a_layer_tells_its_record_with_intervals(panel):
    (callback,) = marks(panel)._click_callbacks
    callback(marks(panel), SimpleNamespace(point_inds=[list(marks(panel).y).index("brains")]), None)
    layer = next(one for one in panel.document["apex"]["layers"] if one["name"] == "brains")
    book = next(one for one in layer["accuracy"] if one["backfilled"])
    for told in (f"{book['n']:,}", *(f"{book[f'hit_rate_{name}pct']:.2f}" for name in ("", "low_", "high_"))):
        assert f">{told}</td>" in panel.detail.value
    assert "BACKFILLED" in panel.detail.value
    assert layer["reading"] in panel.detail.value


def test_a_click_on_a_trade_tells_the_trade(panel):
    (callback,) = panel._fund.trades._click_callbacks
    callback(panel._fund.trades, SimpleNamespace(point_inds=[1]), None)
    trade = panel.document["fund"]["trades"][1]
    assert f"PAPER {trade['side']} at {trade['time'][:10]}" in panel.detail.value
    assert f"{trade['price']:,.2f} USD" in panel.detail.value


def test_a_click_beside_the_marks_tells_nothing(panel):
    (callback,) = marks(panel)._click_callbacks
    callback(marks(panel), SimpleNamespace(point_inds=[]), None)
    assert panel.detail.value == ""


def test_a_direction_and_a_side_that_are_not_known_stand_out(panel, between):
    def strange(document):
        document["layers"][0] |= {"direction": "<SIDEWAYS>", "silent": None, "p_up": 0.5}
        return document

    def swapped(document):
        document["trades"][0]["side"] = "<swap>"
        return document

    between.changes |= {"apex": strange, "fund": swapped}
    panel.look_again()
    name = panel.document["apex"]["layers"][0]["name"]
    assert at(panel, name, marks(panel).marker.symbol) == UNKNOWN[1]
    assert beside(panel)[name].endswith("· &lt;SIDEWAYS&gt;")
    assert panel._fund.trades.marker.symbol[0] == UNKNOWN_SIDE
    assert panel._fund.trades.text[0].startswith("&lt;swap&gt; ")


def test_words_from_outside_are_no_html(panel, between):
    def evil(document):
        document["layers"][0]["reading"] = "<script>1</script>"
        return document

    between.changes["apex"] = evil
    panel.look_again()
    panel.pick(panel.document["apex"]["layers"][0]["name"])
    assert all("<script" not in text for text in (*marks(panel).customdata, panel.detail.value))


def test_a_fund_without_a_curve_says_when_it_begins(panel, between):
    between.changes["fund"] = lambda document: {**document, "equity": [], "trades": []}
    panel.look_again()
    assert "The fund has no curve yet" in panel.state.value
    assert all(len(trace.x) == 0 for trace in panel._fund.curves.values())


def test_a_new_document_moves_the_same_traces(panel, between):
    before = panel.figure.data

    def surer(document):
        document["vote"]["p_up"] = 0.71
        return document

    between.changes["apex"] = surer
    panel.look_again()
    assert panel.figure.data == before
    assert at(panel, "apex", marks(panel).x) == pytest.approx(71)
    assert panel.figure.layout.xaxis.range[1] > 71


def test_an_error_keeps_the_last_good_chart(panel, between):
    drawn = list(marks(panel).x)
    between.fault = ConnectionFailed("No connection.")
    panel.look_again()
    assert list(marks(panel).x) == drawn
    assert "No new data since 2026-11-21 08:00 UTC" in panel.state.value
    between.fault = None
    panel.look_again()
    assert "No new data" not in panel.state.value


def test_closing_ends_the_thread(panel):
    panel.close()
    assert not panel._thread.is_alive()


def test_the_table_and_the_page_hold_the_fund(panel):
    table = pd.read_csv(io.StringIO(panel.table().content))
    assert list(table["equity_usd"]) == [point["equity_usd"] for point in panel.document["fund"]["equity"]]
    assert panel.page().name == "ninefold-apex.html"
