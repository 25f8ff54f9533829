"""The battle panel: the state and the history of the lanes, the facts of one of them, and their benchmark."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import BattlePanel
from notebooks.widgets.base.theme import PALETTES
from notebooks.widgets.base.wording import number
from service.client import NotFound
from tests.notebooks.conftest import click


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
    return [note.text for note in panel.figure.layout.annotations if note.yref == f"{axis} domain" and note.x == 1]


def test_every_lane_has_the_gain_of_the_document(panel):
    """The label of a curve is its lane and gain; liquidity lanes are dashed."""
    assert len(lanes(panel)) == 6
    for lane in lanes(panel):
        gain = traces(panel, "gain")[lane["name"]]
        expected = [100 * (point["equity_usd"] / lane["initial_capital"] - 1) for point in lane["points"]]
        assert list(gain.y) == pytest.approx(expected)
        assert list(pd.to_datetime(gain.x, utc=True)) == [pd.Timestamp(point["time"]) for point in lane["points"]]
    ends = {name: trace.y[-1] for name, trace in traces(panel, "gain").items()}
    ends["bitcoin"] = panel.holding_trace.y[-1]
    assert sorted(labels(panel)) == sorted(f"{name} {number(end, '+.1f')}%" for name, end in ends.items())
    dashes = {lane["name"]: {"cex": "solid", "dex": "dash"}[lane["venue"]] for lane in lanes(panel)}
    assert {name: trace.line.dash for name, trace in traces(panel, "gain").items()} == dashes


def test_a_drawdown_is_since_the_start(panel):
    """Not since the beginning of the window; the two deepest are in colour, with a label of their depth."""
    drawdowns = traces(panel, "drawdown")
    for lane in lanes(panel):
        assert list(drawdowns[lane["name"]].y) == [-point["drawdown_pct"] for point in lane["points"]]
    assert min(trace.y[0] for trace in drawdowns.values()) < -1
    lowest = {name: min(trace.y) for name, trace in drawdowns.items()}
    names = {name for name, trace in drawdowns.items() if trace.line.color != PALETTES["light"].quiet}
    assert names == set(sorted(lowest, key=lowest.__getitem__)[:2])
    assert set(labels(panel, "y2")) == {f"{name} {number(drawdowns[name].y[-1], '.1f')}%" for name in names}


def test_harvests_and_switches_are_marked_at_their_times(panel):
    """A line at the pointer crosses all rows, because their traces have one horizontal axis."""
    for lane in lanes(panel):
        times = [event["time"] for event in lane["events"] if event["kind"] in ("harvest", "switch")]
        marks = traces(panel, "events")[lane["name"]]
        assert list(pd.to_datetime(marks.x, utc=True)) == list(pd.to_datetime(times, utc=True))
    assert any(len(marks.x) for marks in traces(panel, "events").values())
    assert {trace.xaxis for trace in panel.figure.data} <= {None, "x"}
    assert panel.figure.layout.xaxis.spikemode == "across"


def test_the_title_names_the_leader_and_the_total_gain(panel):
    """By the name at its curve; the subtitle says that it is paper trading, in which world."""
    best = max(panel.traces, key=lambda name: traces(panel, "gain")[name].y[-1])
    title = panel.figure.layout.title
    assert title.text.startswith(f"{best} leads with ")
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


@pytest.mark.slow
def test_a_longer_span_requests_an_earlier_history(panel, stub):
    """The API returns the longest for one lane at a time."""
    short = len(lanes(panel)[0]["points"])
    before = pd.Timestamp(lanes(panel)[0]["points"][0]["time"])
    panel.span.value = 30
    panel.refresh()
    assert pd.Timestamp(lanes(panel)[0]["points"][0]["time"]) < before
    first = lanes(panel)[0]
    assert len(traces(panel, "gain")[first["name"]].x) == len(first["points"]) > short
    panel.span.value = 120
    panel.refresh()
    names = {call[1] for call in stub.calls if call[0] == "battle_history" and len(call) > 1}
    assert names == {lane["name"] for lane in panel.document["battle"]["lanes"]}
    assert len(lanes(panel)) == 6


def test_a_lane_that_left_the_document_is_hidden(panel, stub):
    """Before the first bar the panel says when it arrives."""
    name = lanes(panel)[0]["name"]
    stub.changes["battle_history"] = lambda history: {**history, "lanes": history["lanes"][1:]}
    panel.refresh()
    assert not traces(panel, "gain")[name].visible
    assert not any(text.startswith(f"{name} ") for text in labels(panel))
    nothing = {"points": [], "events": []}
    stub.changes["battle_history"] = lambda history: {**history, "lanes": [lane | nothing for lane in history["lanes"]]}
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


def test_a_click_shows_the_facts_of_a_lane(panel, stub):
    """They follow the document."""
    click(panel.traces["lp_wide"].gain, 0)
    lane = next(lane for lane in panel.document["battle"]["lanes"] if lane["name"] == "lp_wide")
    assert lane["label"] in panel.detail.value
    assert f"{lane['pnl_pct']:+,.1f}%" in panel.detail.value
    assert "compared with holding" in panel.detail.value
    panel.pick(panel.document["battle"]["lanes"][0]["name"])

    def moved(battle):
        battle["lanes"][0]["pnl_pct"] = 12.34
        return battle

    stub.changes["battle"] = moved
    panel.refresh()
    assert "+12.3%" in panel.detail.value


def test_a_strip_has_the_statuses_and_their_key(panel, stub):
    """An unknown status stands out."""
    (key,) = [note.text for note in panel.figure.layout.annotations if note.yref == "y3 domain"]
    for status in ("waiting", "invested", "harvesting", "switching"):
        assert status in key

    def frozen(history):
        history["lanes"][0]["points"][-1]["status"] = "<b>frozen"
        return history

    stub.changes["battle_history"] = frozen
    panel.refresh()
    statuses = panel.figure.data[0]
    assert statuses.text[0][-1] == "&lt;b&gt;frozen"
    assert (statuses.z[0][-1], statuses.colorscale[-1][1]) == (statuses.zmax, PALETTES["light"].alarm)


def test_holding_bitcoin_is_the_benchmark(panel, client, stub):
    """Its gain is since the start of the lanes, like theirs, whatever the window; a world without bitcoin has none."""
    first = pd.Timestamp(client.lane_equity("trend", limit=1)["points"][0]["time"])
    bars = list(client.pages("candles", "btc", "1h"))
    entry = next(bar["open"] for bar in bars if pd.Timestamp(bar["time"]) == (first - pd.Timedelta("1s")).floor("h"))
    assert panel.holding_trace.y[-1] == pytest.approx(100 * (bars[-1]["close"] / entry - 1))
    assert pd.to_datetime(panel.holding_trace.x[-1], utc=True) == pd.Timestamp(bars[-1]["time"]) + pd.Timedelta("1h")
    assert f"holding bitcoin {number(panel.holding_trace.y[-1], '+.1f')}%" in panel.figure.layout.title.text

    def missing(_document):
        raise NotFound(404, {"detail": "This world has no bars of btc."})

    stub.changes["candles"] = missing
    panel.refresh()
    assert panel.fault is None
    assert len(panel.holding_trace.x) == 0
    assert "bitcoin" not in panel.figure.layout.title.text
