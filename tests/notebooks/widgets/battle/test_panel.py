"""The battle panel: the state and the history of the lanes."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import BattlePanel
from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.base.wording import number


@pytest.fixture
def panel(open_panel, stub) -> BattlePanel:
    return open_panel(BattlePanel, stub)


def traces(panel: BattlePanel, field: str) -> dict[str, Any]:
    """The traces of one field, gain, drawdown or events, by lane."""
    return {name: getattr(lane, field) for name, lane in panel.traces.items()}


def lanes(panel: BattlePanel) -> list[dict[str, Any]]:
    return panel.document["history"]["lanes"]


def labels(panel: BattlePanel, axis: str = "y") -> list[str]:
    """The labels at the right ends of curves."""
    notes = panel.figure.layout.annotations
    return [note.text for note in notes if note.yref == f"{axis} domain" and note.x == 1]


def test_every_lane_has_the_gain_of_the_document(panel):
    assert len(lanes(panel)) == 6
    for lane in lanes(panel):
        gain = traces(panel, "gain")[lane["name"]]
        expected = [100 * (point["equity_usd"] / lane["initial_capital"] - 1) for point in lane["points"]]
        assert list(gain.y) == pytest.approx(expected)
        assert [time.isoformat() for time in pd.to_datetime(gain.x, utc=True)] == [
            pd.Timestamp(point["time"]).isoformat() for point in lane["points"]
        ]


def test_the_label_of_a_curve_is_its_lane_and_gain(panel):
    ends = {name: trace.y[-1] for name, trace in traces(panel, "gain").items()}
    ends["bitcoin"] = panel.holding_trace.y[-1]
    assert sorted(labels(panel)) == sorted(f"{name} {number(end, '+.1f')}%" for name, end in ends.items())


def test_liquidity_lanes_are_dashed(panel):
    dashes = {lane["name"]: {"cex": "solid", "dex": "dash"}[lane["venue"]] for lane in lanes(panel)}
    assert {name: trace.line.dash for name, trace in traces(panel, "gain").items()} == dashes


def test_a_drawdown_is_since_the_start(panel):
    """Not since the beginning of the window: a lane far below its highest equity does not start at zero."""
    for lane in lanes(panel):
        drawdown = traces(panel, "drawdown")[lane["name"]]
        assert list(drawdown.y) == [-point["drawdown_pct"] for point in lane["points"]]
    assert min(trace.y[0] for trace in traces(panel, "drawdown").values()) < -1


def test_the_two_deepest_drawdowns_are_in_colour(panel):
    """They have a label with their present depth; the other lines are grey and legible."""
    drawdowns = traces(panel, "drawdown")
    lowest = {name: min(trace.y) for name, trace in drawdowns.items()}
    names = {name for name, trace in drawdowns.items() if trace.line.color != PALETTES["light"].quiet}
    assert names == set(sorted(lowest, key=lowest.__getitem__)[:2])
    assert set(labels(panel, "y2")) == {f"{name} {number(drawdowns[name].y[-1], '.1f')}%" for name in names}


def test_all_rows_share_the_line_at_the_pointer(panel):
    """A line at the pointer crosses all rows only if their traces have one horizontal axis."""
    assert {trace.xaxis for trace in panel.figure.data} <= {None, "x"}
    assert panel.figure.layout.xaxis.spikemode == "across"


def test_harvests_and_switches_are_marked_at_their_times(panel):
    for lane in lanes(panel):
        times = [event["time"] for event in lane["events"] if event["kind"] in ("harvest", "switch")]
        marks = traces(panel, "events")[lane["name"]]
        assert list(pd.to_datetime(marks.x, utc=True)) == list(pd.to_datetime(times, utc=True))
    assert any(len(marks.x) for marks in traces(panel, "events").values())


def test_the_title_names_the_leader_and_the_total_gain(panel):
    """The subtitle says that it is paper trading, in which world."""
    best = max(panel.traces, key=lambda name: traces(panel, "gain")[name].y[-1])
    label = next(lane["label"] for lane in lanes(panel) if lane["name"] == best)
    title = panel.figure.layout.title
    assert title.text.startswith(f"{label} leads with ")
    assert f"all together {number(panel.document['battle']['summary']['pnl_pct'], '+.1f')}%" in title.text
    assert title.subtitle.text.startswith("PAPER · SIMULATED market")
    assert "UTC" in title.subtitle.text


@pytest.mark.parametrize("venue", ["cex", "dex"])
def test_one_venue_can_be_shown_alone(panel, venue):
    panel.venue.value = venue
    names = {name for name, trace in traces(panel, "gain").items() if trace.visible}
    assert names == {lane["name"] for lane in lanes(panel) if lane["venue"] == venue}
    assert set(panel.figure.data[0].y) == names
    assert f"{number(panel.document['battle']['venues'][venue]['pnl_pct'], '+.1f')}%" in panel.figure.layout.title.text


def test_a_longer_span_requests_an_earlier_history(panel):
    short = len(lanes(panel)[0]["points"])
    before = pd.Timestamp(lanes(panel)[0]["points"][0]["time"])
    panel.span.value = 30
    panel.refresh()
    assert pd.Timestamp(lanes(panel)[0]["points"][0]["time"]) < before
    first = lanes(panel)[0]
    assert len(traces(panel, "gain")[first["name"]].x) == len(first["points"]) > short


@pytest.mark.slow
def test_the_longest_span_is_requested_lane_by_lane(panel, stub):
    """The API returns a longer history for one lane at a time."""
    panel.span.value = 120
    panel.refresh()
    names = {call[1] for call in stub.calls if call[0] == "battle_history" and len(call) > 1}
    assert names == {lane["name"] for lane in panel.document["battle"]["lanes"]}
    assert len(lanes(panel)) == 6


def test_a_lane_that_left_the_document_is_hidden(panel, stub):
    name = lanes(panel)[0]["name"]
    stub.changes["battle_history"] = lambda history: {**history, "lanes": history["lanes"][1:]}
    panel.refresh()
    assert not traces(panel, "gain")[name].visible
    assert not any(text.startswith(f"{name} ") for text in labels(panel))


def test_before_the_first_bar_it_says_when_it_arrives(panel, stub):
    stub.changes["battle_history"] = lambda history: {
        **history,
        "lanes": [{**lane, "points": [], "events": []} for lane in history["lanes"]],
    }
    panel.refresh()
    assert "The first bar arrives within five minutes." in panel.status_line.value
    assert labels(panel) == []


def test_texts_of_the_document_are_escaped(panel, stub):
    def evil(history):
        for lane in history["lanes"]:
            lane["label"] = '<a href="http://elsewhere">x</a>'
            lane["events"] = [{**event, "note": "<i>note"} for event in lane["events"]]
        return history

    stub.changes["battle_history"] = evil
    panel.refresh()
    texts = [text for marks in traces(panel, "events").values() for text in marks.text]
    assert texts
    assert not any("<" in text for text in texts)
    assert "<a" not in panel.figure.layout.title.text
    assert not any("<" in trace.meta for trace in traces(panel, "gain").values())
