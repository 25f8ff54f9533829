"""The predictions panel: the track record of AI versus market, and the open markets."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import PredictionsPanel
from notebooks.widgets.open_markets import UNKNOWN
from notebooks.widgets.wording import number
from service.client import Client
from tests.notebooks.widgets.clicks import click

EMPTY_REPORT = {"n": 60, "miscalibration": 0.0, "discrimination": 0.0, "uncertainty": 0.25}


@pytest.fixture
def panel(open_panel, intercepted) -> PredictionsPanel:
    return open_panel(PredictionsPanel, intercepted)


@pytest.fixture
def open_view(panel: PredictionsPanel) -> PredictionsPanel:
    """The panel with the open markets, which the change of the view has requested."""
    panel._loaded.clear()
    panel.view.value = "open"
    assert panel.wait_until_loaded()
    return panel


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


def test_it_opens_the_live_book_once_it_has_markets(open_panel, intercepted):
    def swapped(document):
        for book in document["books"]:
            book["backfilled"] = not book["backfilled"]
        return document

    intercepted.changes["ai_vs_market"] = swapped
    assert open_panel(PredictionsPanel, intercepted).book.value is False


def test_reliability_is_that_of_the_document(panel):
    for name, trace in panel.record.bins.items():
        bins = book(panel)["calibration"][name]["bins"]
        assert list(trace.x) == pytest.approx([100 * bin_["p"] for bin_ in bins])
        assert list(trace.y) == [bin_["observed_pct"] for bin_ in bins]
        assert [y + up for y, up in zip(trace.y, trace.error_y.array, strict=True)] == pytest.approx(
            [bin_["high_pct"] for bin_ in bins]
        )
        assert [y - down for y, down in zip(trace.y, trace.error_y.arrayminus, strict=True)] == pytest.approx(
            [bin_["low_pct"] for bin_ in bins]
        )
        assert all(f"n {bin_['n']}" in text for bin_, text in zip(bins, trace.customdata, strict=True))


def test_mean_scores_start_at_twenty_markets(panel):
    """They are drawn beside the score of a coin flip."""
    expected = [point for point in book(panel)["cumulative"] if point["n"] >= 20]
    for name, trace in panel.record.curves.items():
        assert list(trace.y) == [point[f"brier_{name}"] for point in expected]
        assert list(pd.to_datetime(trace.x, utc=True)) == [pd.Timestamp(point["resolved_at"]) for point in expected]
    assert set(panel.record.coin_flip.y) == {0.25}


def test_the_paired_difference_has_its_interval(panel):
    difference, trace = book(panel)["difference"], panel.record.difference
    assert list(trace.x) == [difference["mean"]]
    assert trace.x[0] + trace.error_x.array[0] == pytest.approx(difference["high"])
    assert trace.x[0] - trace.error_x.arrayminus[0] == pytest.approx(difference["low"])


def test_the_title_has_the_verdict_and_n(panel):
    """The subtitle says paper, backfilled, the world, and how many odds are simulated."""
    title, n = panel.figure.layout.title, book(panel)["n"]
    assert title.text.lower().startswith(book(panel)["verdict"].lower())
    assert f"n {n:,}" in title.text
    assert "PAPER · BACKFILLED" in title.subtitle.text
    assert "SIMULATED market" in title.subtitle.text
    assert f"{n:,} of {n:,} odds SIMULATED" in title.subtitle.text


def test_a_book_with_too_few_markets_says_how_many_it_needs(panel):
    panel.book.value = False
    n = book(panel)["n"]
    assert list(panel.record.diagonal.x) == []
    assert list(panel.record.difference.x) == []
    assert all(list(trace.x) == [] for trace in panel.record.bins.values())
    assert not any(panel.figure.layout[f"xaxis{number}"].visible for number in ("", "2", "3", "4"))
    assert not panel.figure.layout.annotations
    assert f"{n} resolved markets; a difference needs 20" in panel.status_line.value
    assert f"n {n} of 20" in panel.figure.layout.title.text


def test_the_track_record_is_free_of_charge(panel, intercepted):
    assert {call[0] for call in intercepted.calls} == {"ai_vs_market"}
    assert "each refresh uses" not in panel.status_line.value


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


def test_the_open_view_requests_the_markets_once(open_view, intercepted):
    assert points(open_view)
    open_view.view.value = "record"
    open_view.view.value = "open"
    assert [call[0] for call in intercepted.calls].count("predictions") == 1


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
    every = {"asset": "all assets", "category": "all categories"}[field]
    assert set(control.options) == {every, *(market[field] for market in markets(open_view))}
    selection = list(control.options)[1]
    control.value = selection
    assert set(points(open_view)) == {market["id"] for market in markets(open_view) if market[field] == selection}
    table = pd.read_csv(io.StringIO(open_view.table().content), index_col="id")
    assert set(table.index) == set(points(open_view))
    open_view.refresh()
    assert control.value == selection


def test_a_market_without_odds_is_counted_as_not_drawn(open_view, intercepted):
    intercepted.changes["predictions"] = lambda document: {
        **document,
        "markets": [{**market, "market_odds": None} for market in document["markets"]],
    }
    open_view.refresh()
    assert open_view.figure.layout.title.text == "No open market has both probabilities"
    assert f"{len(markets(open_view))} not drawn" in open_view.figure.layout.title.subtitle.text
    assert points(open_view) == {}


def test_without_an_open_market_it_says_when_one_opens(open_view, intercepted):
    intercepted.changes["predictions"] = lambda document: {**document, "markets": []}
    open_view.refresh()
    assert "No market is open. New markets open daily at 12:00 UTC." in open_view.status_line.value


def test_user_votes_make_a_mark_larger(open_view, intercepted):
    first = markets(open_view)[0]["id"]
    trace = next(trace for trace in open_view.markets.categories.values() if first in trace.ids)
    before = trace.marker.size[list(trace.ids).index(first)]

    def voted(document):
        document["markets"][0]["user_votes"] |= {"yes": 9, "total": 9}
        return document

    intercepted.changes["predictions"] = voted
    open_view.refresh()
    assert trace.marker.size[list(trace.ids).index(first)] > before


def test_an_unknown_category_stands_out(open_view, intercepted):
    def strange(document):
        document["markets"][0]["category"] = "<hourly>"
        return document

    intercepted.changes["predictions"] = strange
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
    shown = open_view.detail.value
    open_view.refresh()
    assert open_view.detail.value == shown


def test_a_click_beside_the_marks_shows_nothing(open_view):
    click(next(iter(open_view.markets.categories.values())))
    assert open_view.detail.value == ""


def test_texts_of_the_document_are_escaped(open_view, intercepted):
    def evil(document):
        for market in document["markets"]:
            market["question"] = "<script>1</script>"
            market["ai_votes"]["vol"]["reasoning"] = "<script>2</script>"
        return document

    intercepted.changes["predictions"] = evil
    open_view.refresh()
    open_view.pick(markets(open_view)[0]["id"])
    hover_texts = [text for trace in open_view.markets.categories.values() for text in trace.customdata or ()]
    subtitle = open_view.figure.layout.title.subtitle.text
    assert all("<script" not in text for text in (*hover_texts, subtitle, open_view.detail.value))


def test_changed_scores_move_their_curve(panel, intercepted):
    def worse(document):
        for book in document["books"]:
            for point in book["cumulative"]:
                point["brier_ai"] = 0.4
        return document

    intercepted.changes["ai_vs_market"] = worse
    panel.refresh()
    assert set(panel.record.curves["ai"].y) == {0.4}


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


def test_the_downloads_have_the_track_record(panel):
    table = pd.read_csv(io.StringIO(panel.table().content), index_col="id")
    scores = {
        market["id"]: market["brier_ai"] for market in panel.document["record"]["markets"] if market["backfilled"]
    }
    assert table["brier_ai"].to_dict() == pytest.approx(scores)
    assert panel.page().name == "ninefold-predictions.html"


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


def test_reliability_shows_where_the_forecasts_are(panel, intercepted):
    """Four percentage points around the bins, and at most 0 to 100."""

    def narrow(document):
        bin_ = {"p": 0.5, "observed_pct": 48.0, "low_pct": 40.0, "high_pct": 99.0, "n": 30}
        for each in document["books"]:
            report = {**EMPTY_REPORT, "bins": [bin_, {**bin_, "p": 0.6}]}
            each["calibration"] = {"ai": report, "market": report}
        return document

    intercepted.changes["ai_vs_market"] = narrow
    panel.refresh()
    assert panel.figure.layout.xaxis.range == pytest.approx((46, 64))
    assert panel.figure.layout.yaxis.range == pytest.approx((36, 100))
