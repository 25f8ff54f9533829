"""The predictions panel: the track record of AI versus market, and the open markets."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import PredictionsPanel
from notebooks.widgets.base.wording import number
from service.client import Client


@pytest.fixture
def panel(predictions_panel: PredictionsPanel) -> PredictionsPanel:
    return predictions_panel


def book(panel: PredictionsPanel) -> dict[str, Any]:
    return next(book for book in panel.document["record"]["books"] if book["backfilled"] == panel.book.value)


def markets(panel: PredictionsPanel) -> list[dict[str, Any]]:
    return panel.document["open"]["markets"]


def points(panel: PredictionsPanel) -> dict[str, tuple[float, float]]:
    """The drawn points of the open markets by id."""
    traces = [trace for trace in panel.markets.categories.values() if trace.visible]
    return {id_: place for trace in traces for id_, *place in zip(trace.ids, trace.x, trace.y, strict=True)}


def test_it_opens_the_book_with_resolved_markets(panel):
    assert panel.book.value is True
    assert book(panel)["n"] > 20


def test_it_opens_the_live_book_once_it_has_markets(open_panel, stub):
    def swapped(document):
        for book in document["books"]:
            book["backfilled"] = not book["backfilled"]
        return document

    stub.changes["ai_vs_market"] = swapped
    assert open_panel(PredictionsPanel, stub).book.value is False


def test_the_open_view_requests_the_markets_once(open_view, stub):
    assert points(open_view)
    open_view.view.value = "record"
    open_view.view.value = "open"
    assert [call[0] for call in stub.calls].count("predictions") == 1


def test_the_open_view_states_its_cost(open_view, client):
    left = client.usage()["quota"]["remaining"]
    assert f"each refresh uses one of the key&#x27;s daily calls, {left} left" in open_view.status_line.value


def test_only_the_selected_view_is_visible(open_view):
    assert not any(trace.visible for trace in open_view.record.traces)
    assert not open_view.figure.layout.xaxis2.visible
    open_view.view.value = "record"
    assert all(trace.visible for trace in open_view.record.traces)
    assert open_view.figure.layout.xaxis2.visible
    assert points(open_view) == {}
    assert not open_view.figure.layout.xaxis4.visible


@pytest.mark.parametrize("field", ["asset", "category"])
def test_the_open_markets_can_be_filtered(open_view, field):
    control = getattr(open_view, field)
    default = {"asset": "all assets", "category": "all categories"}[field]
    assert set(control.options) == {default, *(market[field] for market in markets(open_view))}
    selection = list(control.options)[1]
    control.value = selection
    assert set(points(open_view)) == {market["id"] for market in markets(open_view) if market[field] == selection}
    table = pd.read_csv(io.StringIO(open_view.table().content), index_col="id")
    assert set(table.index) == set(points(open_view))
    open_view.refresh()
    assert control.value == selection


def test_without_an_open_market_it_says_when_one_opens(open_view, stub):
    stub.changes["predictions"] = lambda document: {**document, "markets": []}
    open_view.refresh()
    assert "No market is open. New markets open daily at 12:00 UTC." in open_view.status_line.value


def test_without_a_key_the_track_record_stays(open_panel, client):
    """The status line says how to get a key for the open markets."""
    with Client("http://ninefold", transport=client._http._transport) as stranger:
        panel = open_panel(PredictionsPanel, stranger)
        panel.view.value = "open"
        panel.refresh()
        assert "POST /api/v1/register" in panel.status_line.value
        assert "Set ORACLE_KEY" in panel.status_line.value
        assert len(panel.record.curves["ai"].y)
        panel.close()


def test_the_details_decompose_both_scores(panel):
    """The Brier score is miscalibration minus discrimination plus uncertainty."""
    for name in ("ai", "market"):
        scores, report = book(panel)[name], book(panel)["calibration"][name]
        low, high = (number(scores[bound], ".4f") for bound in ("brier_low", "brier_high"))
        interval = f"[{low}, {high}], n {scores['n']:,}"
        assert f"<td>{scores['brier']:.4f} {interval}</td>" in panel.detail.value
        parts = [report[part] for part in ("miscalibration", "discrimination", "uncertainty")]
        assert all(f"<td>{part:.4f}</td>" in panel.detail.value for part in parts)
        assert parts[0] - parts[1] + parts[2] == pytest.approx(scores["brier"], abs=3e-5)
    panel.book.value = False
    assert panel.detail.value == ""
    panel.book.value = True


def test_a_narrow_record_has_its_charts_below_each_other(predictions_panel):
    """And the open markets, a single chart, have no narrow layout."""
    narrow = predictions_panel.figure.layout.meta["narrow"]
    parts = sorted(narrow[axis]["domain"] for axis in ("yaxis", "yaxis2", "yaxis3"))
    assert all(lower[1] < upper[0] for lower, upper in pairwise(parts))
    assert {tuple(narrow[axis]["domain"]) for axis in ("xaxis", "xaxis2", "xaxis3")} == {(0, 1)}
    predictions_panel._first_response.clear()
    predictions_panel.view.value = "open"
    assert predictions_panel.wait_until_loaded()
    assert predictions_panel.figure.layout.meta is None
