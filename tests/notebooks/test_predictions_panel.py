"""The panel of AI against market: the record of what resolved, and the open markets."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import PredictionsPanel
from notebooks.widgets.predictions_open import UNKNOWN
from service.client import Client, ConnectionFailed


@pytest.fixture
def panel(shown, between) -> PredictionsPanel:
    return shown(PredictionsPanel, between)


@pytest.fixture
def opened(panel: PredictionsPanel) -> PredictionsPanel:
    panel.view.value = "open"
    panel.look_again()
    return panel


def book(panel: PredictionsPanel) -> dict[str, Any]:
    return next(one for one in panel.document["record"]["books"] if one["backfilled"] == panel.book.value)


def points(panel: PredictionsPanel) -> dict[str, tuple[float, float]]:
    """What is drawn of the open markets, by id."""
    traces = [trace for trace in panel.markets.categories.values() if trace.visible]
    return {id_: at for trace in traces for id_, *at in zip(trace.ids, trace.x, trace.y, strict=True)}


def test_it_opens_on_the_book_that_has_resolved_markets(panel):
    assert panel.book.value is True
    assert book(panel)["n"] > 20


def test_it_opens_on_the_live_book_once_that_has_some(shown, between):
    def swapped(document):
        for one in document["books"]:
            one["backfilled"] = not one["backfilled"]
        return document

    between.changes["ai_vs_market"] = swapped
    assert shown(PredictionsPanel, between).book.value is False


def test_reliability_is_what_the_service_tells_for_both(panel):
    for name, trace in panel.record.bins.items():
        bins = book(panel)["calibration"][name]["bins"]
        assert list(trace.x) == pytest.approx([100 * one["p"] for one in bins])
        assert list(trace.y) == [one["observed_pct"] for one in bins]
        assert [y + up for y, up in zip(trace.y, trace.error_y.array, strict=True)] == pytest.approx(
            [one["high_pct"] for one in bins]
        )
        assert [y - down for y, down in zip(trace.y, trace.error_y.arrayminus, strict=True)] == pytest.approx(
            [one["low_pct"] for one in bins]
        )
        assert all(f"n {one['n']}" in text for one, text in zip(bins, trace.customdata, strict=True))


def test_mean_scores_are_drawn_from_twenty_markets_on_beside_that_of_a_coin(panel):
    told = [point for point in book(panel)["cumulative"] if point["n"] >= 20]
    for name, trace in panel.record.curves.items():
        assert list(trace.y) == [point[f"brier_{name}"] for point in told]
        assert list(pd.to_datetime(trace.x, utc=True)) == [pd.Timestamp(point["resolved_at"]) for point in told]
    assert set(panel.record.coin.y) == {0.25}


def test_the_paired_difference_has_its_band(panel):
    told, trace = book(panel)["difference"], panel.record.difference
    assert list(trace.x) == [told["mean"]]
    assert trace.x[0] + trace.error_x.array[0] == pytest.approx(told["high"])
    assert trace.x[0] - trace.error_x.arrayminus[0] == pytest.approx(told["low"])


def test_the_title_states_the_verdict_and_what_it_rests_on(panel):
    told, title = book(panel), panel.figure.layout.title
    assert title.text.lower().startswith(told["verdict"].lower())
    assert f"n {told['n']:,}" in title.text
    assert "PAPER · BACKFILLED" in title.subtitle.text
    assert "SIMULATED market" in title.subtitle.text
    assert f"{told['n']:,} of {told['n']:,} odds SIMULATED" in title.subtitle.text


def test_a_book_with_too_few_markets_says_how_many_are_needed(panel):
    panel.book.value = False
    panel.redraw()
    assert list(panel.record.even.x) == []
    assert list(panel.record.difference.x) == []
    assert all(list(trace.x) == [] for trace in panel.record.bins.values())
    assert not any(panel.figure.layout[f"xaxis{number}"].visible for number in ("", "2", "3", "4"))
    assert not panel.figure.layout.annotations
    assert f"{book(panel)['n']} of the 20 resolved markets that a difference needs" in panel.state.value
    assert f"n {book(panel)['n']} of 20" in panel.figure.layout.title.text


def test_the_record_costs_no_call(panel, between):
    assert {call[0] for call in between.asked} == {"ai_vs_market"}
    assert "each look costs" not in panel.state.value


def test_every_open_market_is_drawn_where_both_say_it_is(opened):
    told = opened.document["open"]["markets"]
    assert points(opened) == {
        one["id"]: pytest.approx([100 * one["market_odds"]["p_yes"], 100 * one["ai"]["p_yes"]])
        for one in told
        if one["ai"] and one["market_odds"]
    }
    assert f"n {len(points(opened)):,} open markets" in opened.figure.layout.title.subtitle.text


def test_the_title_tells_where_the_two_are_furthest_apart(opened):
    told = max(opened.document["open"]["markets"], key=lambda one: abs(one["divergence_pts"]))
    title = opened.figure.layout.title
    assert title.text.startswith(f"At most {abs(told['divergence_pts']):.1f} points apart: ")
    assert title.text.endswith(
        f"AI {100 * told['ai']['p_yes']:.1f} %, market {100 * told['market_odds']['p_yes']:.1f} %"
    )
    assert title.subtitle.text.startswith(told["question"][:40])


def test_choosing_the_open_markets_asks_for_them_once(panel, between):
    panel._looked.clear()
    panel.view.value = "open"
    assert panel.loaded()
    assert points(panel)
    panel.view.value = "record"
    panel.view.value = "open"
    assert [call[0] for call in between.asked].count("predictions") == 1


def test_a_look_at_the_open_markets_says_what_it_costs(opened, client):
    left = client.usage()["quota"]["remaining"]
    assert f"each look costs one of the key&#x27;s calls today, {left} left" in opened.state.value


def test_only_the_chosen_view_is_seen(opened):
    assert not any(trace.visible for trace in opened.record.traces)
    assert not opened.figure.layout.xaxis2.visible
    opened.view.value = "record"
    assert all(trace.visible for trace in opened.record.traces)
    assert opened.figure.layout.xaxis2.visible
    assert points(opened) == {}
    assert not opened.figure.layout.xaxis4.visible


@pytest.mark.parametrize("field", ["asset", "category"])
def test_the_open_markets_are_filtered(opened, field):
    control = getattr(opened, field)
    told = opened.document["open"]["markets"]
    assert set(control.options) == {"all", *(one[field] for one in told)}
    chosen = control.options[1]
    control.value = chosen
    assert set(points(opened)) == {one["id"] for one in told if one[field] == chosen}
    table = pd.read_csv(io.StringIO(opened.table().content), index_col="id")
    assert set(table.index) == set(points(opened))
    opened.look_again()
    assert control.value == chosen


def test_a_filter_that_leaves_nothing_says_so(opened, between):
    between.changes["predictions"] = lambda document: {
        **document,
        "markets": [{**one, "market_odds": None} for one in document["markets"]],
    }
    opened.look_again()
    assert opened.figure.layout.title.text == "No open market has both probabilities"
    assert "without both probabilities not drawn" in opened.figure.layout.title.subtitle.text
    assert points(opened) == {}


def test_without_an_open_market_it_says_when_there_will_be_some(opened, between):
    between.changes["predictions"] = lambda document: {**document, "markets": []}
    opened.look_again()
    assert "No market is open. New ones open every day at 12:00 UTC." in opened.state.value


def test_votes_of_users_make_a_mark_larger(opened, between):
    first = opened.document["open"]["markets"][0]["id"]
    trace = next(trace for trace in opened.markets.categories.values() if first in trace.ids)
    before = trace.marker.size[list(trace.ids).index(first)]

    def voted(document):
        document["markets"][0]["user_votes"] |= {"yes": 9, "total": 9}
        return document

    between.changes["predictions"] = voted
    opened.look_again()
    assert trace.marker.size[list(trace.ids).index(first)] > before


def test_a_category_that_is_not_known_stands_out_under_its_own_name(opened, between):
    def strange(document):
        document["markets"][0]["category"] = "<hourly>"
        return document

    between.changes["predictions"] = strange
    opened.look_again()
    trace = opened.markets.categories["<hourly>"]
    assert trace.name == "&lt;hourly&gt;"
    assert trace.marker.symbol == UNKNOWN[1]
    assert len(trace.x) == 1


def test_a_click_tells_all_of_a_market(opened):
    trace = next(trace for trace in opened.markets.categories.values() if len(trace.x) > 1)
    (callback,) = trace._click_callbacks
    callback(trace, SimpleNamespace(point_inds=[1]), None)
    told = next(one for one in opened.document["open"]["markets"] if one["id"] == trace.ids[1])
    assert told["resolution"]["rule"].split("'")[0] in opened.detail.value
    assert f"row {told['commitment']['seq']:,} of the ledger" in opened.detail.value
    assert "SIMULATED" in opened.detail.value
    for voter in (*told["ai_votes"], *told["abstained"]):
        assert f"<td>{voter}</td>" in opened.detail.value


def test_a_click_beside_the_marks_tells_nothing(opened):
    trace = next(iter(opened.markets.categories.values()))
    (callback,) = trace._click_callbacks
    callback(trace, SimpleNamespace(point_inds=[]), None)
    assert opened.detail.value == ""


def test_words_from_outside_are_no_html(opened, between):
    def evil(document):
        for one in document["markets"]:
            one["question"] = "<script>1</script>"
            one["ai_votes"]["vol"]["reasoning"] = "<script>2</script>"
        return document

    between.changes["predictions"] = evil
    opened.look_again()
    opened.pick(opened.document["open"]["markets"][0]["id"])
    said = [text for trace in opened.markets.categories.values() for text in trace.customdata or ()]
    assert all("<script" not in text for text in (*said, opened.figure.layout.title.subtitle.text, opened.detail.value))


def test_a_new_document_moves_the_same_traces(panel, between):
    before = panel.figure.data

    def worse(document):
        for one in document["books"]:
            for point in one["cumulative"]:
                point["brier_ai"] = 0.4
        return document

    between.changes["ai_vs_market"] = worse
    panel.look_again()
    assert panel.figure.data == before
    assert set(panel.record.curves["ai"].y) == {0.4}


def test_an_error_keeps_the_last_good_chart(panel, between):
    drawn = list(panel.record.curves["ai"].y)
    between.fault = ConnectionFailed("No connection.")
    panel.look_again()
    assert list(panel.record.curves["ai"].y) == drawn
    assert "No new data since 2026-11-21 08:00 UTC" in panel.state.value
    between.fault = None
    panel.look_again()
    assert "No new data" not in panel.state.value


def test_without_a_key_the_record_stays_and_it_says_how_to_get_one(shown, client):
    with Client("http://ninefold", transport=client._http._transport) as stranger:
        panel = shown(PredictionsPanel, stranger)
        panel.view.value = "open"
        panel.look_again()
        assert "POST /api/v1/register gives you one." in panel.state.value
        assert "Set ORACLE_KEY" in panel.state.value
        assert len(panel.record.curves["ai"].y)
        panel.close()


def test_closing_ends_the_thread(panel):
    panel.close()
    assert not panel._thread.is_alive()


def test_the_table_and_the_page_hold_the_record(panel):
    table = pd.read_csv(io.StringIO(panel.table().content), index_col="id")
    told = {one["id"]: one["brier_ai"] for one in panel.document["record"]["markets"] if one["backfilled"]}
    assert table["brier_ai"].to_dict() == pytest.approx(told)
    assert panel.page().name == "ninefold-predictions.html"
