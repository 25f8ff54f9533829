"""The open markets at their two probabilities, and the facts of one."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.widgets import PredictionsPanel
from notebooks.widgets.predictions.open_markets import UNKNOWN
from tests.notebooks.conftest import click


@pytest.fixture
def panel(predictions_panel: PredictionsPanel) -> PredictionsPanel:
    return predictions_panel


def markets(panel: PredictionsPanel) -> list[dict[str, Any]]:
    return panel.document["open"]["markets"]


def points(panel: PredictionsPanel) -> dict[str, tuple[float, float]]:
    """The drawn points of the open markets by id."""
    traces = [trace for trace in panel.markets.categories.values() if trace.visible]
    return {id_: place for trace in traces for id_, *place in zip(trace.ids, trace.x, trace.y, strict=True)}


def test_each_open_market_is_at_its_two_probabilities(open_view):
    assert points(open_view) == {
        market["id"]: pytest.approx([100 * market["market_odds"]["p_yes"], 100 * market["ai"]["p_yes"]])
        for market in markets(open_view)
        if market["ai"] and market["market_odds"]
    }
    assert f"n {len(points(open_view)):,} open markets" in open_view.figure.layout.title.subtitle.text


def test_the_title_has_the_largest_difference(open_view):
    market = max(markets(open_view), key=lambda market: abs(market["divergence_pts"]))
    title = open_view.figure.layout.title
    assert title.text.startswith(f"Largest difference {abs(market['divergence_pts']):.1f} pp: ")
    assert title.text.endswith(
        f"AI {100 * market['ai']['p_yes']:.1f}%, market {100 * market['market_odds']['p_yes']:.1f}%"
    )
    assert title.subtitle.text.startswith(market["question"][:40])


def test_a_market_without_odds_is_counted_as_not_drawn(open_view, stub):
    stub.changes["predictions"] = lambda document: {
        **document,
        "markets": [{**market, "market_odds": None} for market in document["markets"]],
    }
    open_view.refresh()
    assert open_view.figure.layout.title.text == "No open market has both probabilities"
    assert f"{len(markets(open_view))} not drawn" in open_view.figure.layout.title.subtitle.text
    assert points(open_view) == {}


def test_user_votes_make_a_mark_larger(open_view, stub):
    first = markets(open_view)[0]["id"]
    trace = next(trace for trace in open_view.markets.categories.values() if first in trace.ids)
    before = trace.marker.size[list(trace.ids).index(first)]

    def voted(document):
        document["markets"][0]["user_votes"] |= {"yes": 9, "total": 9}
        return document

    stub.changes["predictions"] = voted
    open_view.refresh()
    assert trace.marker.size[list(trace.ids).index(first)] > before


def test_an_unknown_category_stands_out(open_view, stub):
    def strange(document):
        document["markets"][0]["category"] = "<hourly>"
        return document

    stub.changes["predictions"] = strange
    open_view.refresh()
    trace = open_view.markets.categories["<hourly>"]
    assert trace.name == "&lt;hourly&gt;"
    assert trace.marker.symbol == UNKNOWN[1]
    assert len(trace.x) == 1


def test_a_click_shows_the_facts_of_a_market(open_view):
    trace = next(trace for trace in open_view.markets.categories.values() if len(trace.x) > 1)
    click(trace, 1)
    market = next(market for market in markets(open_view) if market["id"] == trace.ids[1])
    assert market["resolution"]["rule"].split("'")[0] in open_view.detail.value
    assert f"row {market['commitment']['seq']:,} of the ledger" in open_view.detail.value
    assert "SIMULATED" in open_view.detail.value
    for voter in (*market["ai_votes"], *market["abstained"]):
        assert f"<td>{voter}</td>" in open_view.detail.value
    text = open_view.detail.value
    open_view.refresh()
    assert open_view.detail.value == text


def test_texts_of_the_document_are_escaped(open_view, stub):
    def evil(document):
        for market in document["markets"]:
            market["question"] = "<script>1</script>"
            market["ai_votes"]["vol"]["reasoning"] = "<script>2</script>"
        return document

    stub.changes["predictions"] = evil
    open_view.refresh()
    open_view.pick(markets(open_view)[0]["id"])
    hover_texts = [text for trace in open_view.markets.categories.values() for text in trace.customdata or ()]
    subtitle = open_view.figure.layout.title.subtitle.text
    assert all("<script" not in text for text in (*hover_texts, subtitle, open_view.detail.value))
