"""The battle panel: how the lanes stand and how they came there."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import BattlePanel
from notebooks.widgets.theme import LOOKS
from service.client import ConnectionFailed


@pytest.fixture
def panel(shown, between) -> BattlePanel:
    return shown(BattlePanel, between)


def named(panel: BattlePanel, place: int) -> dict[str, Any]:
    """The traces by lane: 0 its gain, 1 its drawdown, 2 what it did."""
    return {name: traces[place] for name, traces in panel._curves.items()}


def lanes(panel: BattlePanel) -> list[dict[str, Any]]:
    return panel.document["history"]["lanes"]


def labelled(panel: BattlePanel, axis: str = "y") -> list[str]:
    return [one.text for one in panel.figure.layout.annotations if one.yref == axis]


def test_every_lane_is_drawn_as_the_service_tells_it(panel):
    assert len(lanes(panel)) == 6
    for lane in lanes(panel):
        gain = named(panel, 0)[lane["name"]]
        told = [100 * (point["equity_usd"] / lane["initial_capital"] - 1) for point in lane["points"]]
        assert list(gain.y) == pytest.approx(told)
        assert [time.isoformat() for time in pd.to_datetime(gain.x)] == [
            pd.Timestamp(point["time"]).isoformat() for point in lane["points"]
        ]


def test_a_browser_is_given_what_is_drawn(panel):
    given = {trace["uid"]: trace for trace in panel.figure._widget_data}
    for trace in named(panel, 0).values():
        assert list(given[trace.uid]["y"]) == list(trace.y)


def test_the_end_of_each_curve_names_its_lane_and_its_gain(panel):
    ends = {name: trace.y[-1] for name, trace in named(panel, 0).items()}
    assert sorted(labelled(panel)) == sorted(f"{name} {end:+.1f} %" for name, end in ends.items())


def test_exchange_lanes_are_solid_and_liquidity_lanes_dashed(panel):
    dashes = {lane["name"]: {"cex": "solid", "dex": "dash"}[lane["venue"]] for lane in lanes(panel)}
    assert {name: trace.line.dash for name, trace in named(panel, 0).items()} == dashes


def test_only_the_two_deepest_drawdowns_are_in_colour(panel):
    falls = {name: min(trace.y) for name, trace in named(panel, 1).items()}
    coloured = {name for name, trace in named(panel, 1).items() if trace.line.color != LOOKS["light"].grid}
    assert coloured == set(sorted(falls, key=falls.get)[:2]) == set(labelled(panel, "y2"))


def test_harvests_and_switches_are_marked_where_they_happened(panel):
    for lane in lanes(panel):
        told = [event["time"] for event in lane["events"] if event["kind"] in ("harvest", "switch")]
        marks = named(panel, 2)[lane["name"]]
        assert list(pd.to_datetime(marks.x, utc=True)) == list(pd.to_datetime(told, utc=True))
    assert any(len(marks.x) for marks in named(panel, 2).values())


def test_the_title_names_the_leader_and_what_all_made_and_that_it_is_paper(panel):
    best = max(panel._curves, key=lambda name: named(panel, 0)[name].y[-1])
    label = next(lane["label"] for lane in lanes(panel) if lane["name"] == best)
    title = panel.figure.layout.title
    assert title.text.startswith(f"{label} leads with ")
    assert f"{panel.document['battle']['summary']['pnl_pct']:+.1f} %" in title.text
    assert title.subtitle.text.startswith("PAPER · SIMULATED market")
    assert "UTC" in title.subtitle.text


@pytest.mark.parametrize("venue", ["cex", "dex"])
def test_a_venue_alone_can_be_seen(panel, venue):
    panel.venue.value = venue
    seen = {name for name, trace in named(panel, 0).items() if trace.visible}
    assert seen == {lane["name"] for lane in lanes(panel) if lane["venue"] == venue}
    assert set(panel.figure.data[0].y) == seen
    assert f"{panel.document['battle']['venues'][venue]['pnl_pct']:+.1f} %" in panel.figure.layout.title.text


def test_a_longer_span_is_asked_for(panel, between):
    short = len(lanes(panel)[0]["points"])
    before = pd.Timestamp(lanes(panel)[0]["points"][0]["time"])
    panel.span.value = 30
    panel.look_again()
    assert pd.Timestamp(lanes(panel)[0]["points"][0]["time"]) < before
    assert len(named(panel, 0)[lanes(panel)[0]["name"]].x) == len(lanes(panel)[0]["points"]) > short


def test_the_longest_span_is_asked_for_lane_by_lane(panel, between):
    """The service answers a longer window for one lane at a time."""
    panel.span.value = 120
    panel.look_again()
    asked = {call[1] for call in between.asked if call[0] == "battle_history" and len(call) > 1}
    assert asked == {lane["name"] for lane in panel.document["battle"]["lanes"]}
    assert len(lanes(panel)) == 6


def test_a_new_document_moves_the_same_traces(panel, between):
    before = panel.figure.data

    def richer(history):
        history["lanes"][0]["points"][-1]["equity_usd"] *= 2
        return history

    between.changes["battle_history"] = richer
    panel.look_again()
    first = lanes(panel)[0]
    assert panel.figure.data == before
    assert named(panel, 0)[first["name"]].y[-1] == pytest.approx(
        100 * (first["points"][-1]["equity_usd"] / first["initial_capital"] - 1)
    )


def test_a_lane_that_is_told_of_no_more_is_drawn_no_more(panel, between):
    gone = lanes(panel)[0]["name"]
    between.changes["battle_history"] = lambda history: {**history, "lanes": history["lanes"][1:]}
    panel.look_again()
    assert not named(panel, 0)[gone].visible
    assert not any(text.startswith(f"{gone} ") for text in labelled(panel))


def test_an_error_keeps_the_last_good_chart(panel, between):
    drawn = {name: list(trace.y) for name, trace in named(panel, 0).items()}
    between.fault = ConnectionFailed("No connection.")
    panel.look_again()
    assert {name: list(trace.y) for name, trace in named(panel, 0).items()} == drawn
    assert "No new data since 2026-11-21 08:00 UTC" in panel.state.value
    between.fault = None
    panel.look_again()
    assert "No new data" not in panel.state.value


def test_before_the_first_bar_it_says_when_the_lanes_begin(panel, between):
    between.changes["battle_history"] = lambda history: {
        **history,
        "lanes": [{**lane, "points": [], "events": []} for lane in history["lanes"]],
    }
    panel.look_again()
    assert "They begin with the next one, within five minutes." in panel.state.value
    assert labelled(panel) == []


def test_a_status_that_is_not_known_stands_out_under_its_own_name(panel, between):
    def frozen(history):
        history["lanes"][0]["points"][-1]["status"] = "<b>frozen"
        return history

    between.changes["battle_history"] = frozen
    panel.look_again()
    strip = panel.figure.data[0]
    assert strip.text[0][-1] == "&lt;b&gt;frozen"
    assert strip.z[0][-1] == strip.zmax
    assert strip.colorscale[-1][1] == LOOKS["light"].alarm


def test_words_from_outside_are_no_html(panel, between):
    def evil(history):
        for lane in history["lanes"]:
            lane["label"] = '<a href="http://elsewhere">x</a>'
            lane["events"] = [{**event, "note": "<i>note"} for event in lane["events"]]
        return history

    between.changes["battle_history"] = evil
    panel.look_again()
    texts = [text for marks in named(panel, 2).values() for text in marks.text]
    assert texts
    assert not any("<" in text for text in texts)
    assert "<a" not in panel.figure.layout.title.text
    assert not any("<" in trace.meta for trace in named(panel, 0).values())


def test_a_click_tells_the_facts_of_a_lane(panel):
    panel.pick("lp_wide")
    lane = next(lane for lane in panel.document["battle"]["lanes"] if lane["name"] == "lp_wide")
    assert lane["label"] in panel.detail.value
    assert f"{lane['pnl_pct']:,.2f} %" in panel.detail.value
    assert "against holding" in panel.detail.value


def test_the_facts_of_a_lane_are_those_of_the_newest_document(panel, between):
    name = panel.document["battle"]["lanes"][0]["name"]
    panel.pick(name)

    def moved(battle):
        battle["lanes"][0]["pnl_pct"] = 12.34
        return battle

    between.changes["battle"] = moved
    panel.look_again()
    assert "12.34 %" in panel.detail.value


def test_the_table_holds_the_numbers_of_the_response(panel):
    table = pd.read_csv(io.StringIO(panel.table().content))
    told = [point["equity_usd"] for lane in lanes(panel) for point in lane["points"]]
    assert sorted(table["equity_usd"]) == pytest.approx(sorted(told))
    assert panel.table().name == "ninefold-battle.csv"


def test_the_page_of_its_own_shows_the_same_chart(panel):
    assert panel.figure.layout.title.text in panel.page().content
    assert panel.page().name == "ninefold-battle.html"


def test_closing_ends_the_thread(panel):
    panel.close()
    assert not panel._thread.is_alive()
