"""The texts of apex: the call in words, the record of each layer, the trades of the fund."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.widgets import ApexPanel
from notebooks.widgets.base.wording import number
from tests.notebooks.widgets.clicks import click


@pytest.fixture
def panel(open_panel, stub) -> ApexPanel:
    return open_panel(ApexPanel, stub)


def in_row(panel: ApexPanel, layer: str, column: Any) -> Any:
    """The element of a layer in one of the sequences of the marks."""
    return column[list(panel.marks.y).index(layer)]


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
