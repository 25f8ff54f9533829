"""The six paper-trading lanes: gain, drawdown, events and status over time; a click shows the facts of a lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget

from notebooks.widgets import frames
from notebooks.widgets.base.chart_panel import selected
from notebooks.widgets.base.curves import CurveEnd, gains_pct, heading, instants, labels, values
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.wording import Document, escaped, moment, number, world
from notebooks.widgets.battle.lanes import HoldingBenchmark, StatusStrip, facts, gain_of
from service.client import Client

VENUES = {"all lanes": "", "exchange": "cex", "liquidity": "dex"}
SPANS = {"1 day": 1, "7 days": 7, "30 days": 30, "120 days": 120}
ALL_LANES_DAYS = 35  # the API returns a longer history for one lane at a time
MARKS = {"harvest": "triangle-up-open", "switch": "diamond-open"}
DEEPEST = 2  # lanes whose drawdown is drawn in colour
# The three rows by the number of their vertical axis: the part of the height, and the heading.
ROWS = {
    "": ([0.47, 1], "gain since the start"),
    "2": ([0.23, 0.41], "below the highest equity since the start"),
    "3": ([0, 0.16], ""),
}
TIME = "%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"


class LaneTraces(NamedTuple):
    """The traces of one lane."""

    gain: go.Scatter
    drawdown: go.Scatter
    events: go.Scatter


class BattlePanel(RefreshingPanel):
    """The lanes today and over the selected time span, beside holding bitcoin; `days` is the span shown first."""

    TITLE = "the paper-trading lanes"
    FILE = "ninefold-battle"

    def __init__(self, client: Client, *, days: int = 7, **options: Any) -> None:
        self._first_days = days
        super().__init__(client, **options)

    def controls(self) -> Iterable[Widget]:
        self.venue = ToggleButtons(options=VENUES, style={"button_width": "92px"})
        self.span = Dropdown(options=SPANS, value=self._first_days, layout=Layout(width="100px"), tooltip="time span")
        self.venue.observe(self.redraw, "value")
        self.span.observe(self.request_refresh, "value")
        return self.venue, self.span

    def new_figure(self) -> Figure:
        figure = Figure()
        # All rows have the same horizontal axis: the line at the pointer crosses them all.
        for axes, (domain, _) in ROWS.items():
            figure.layout[f"yaxis{axes}"] = {"domain": domain, "anchor": "x", "ticksuffix": "%", "zeroline": True}
        figure.update_layout(height=700, showlegend=False, hovermode="closest", margin={"r": 150, "t": 100})
        figure.update_xaxes(
            anchor="y3", showspikes=True, spikemode="across", spikesnap="cursor", spikethickness=1, spikedash="dot"
        )
        figure.layout.meta = {"narrow": {"yaxis2": {"domain": [0.29, 0.41]}}}  # the key of the strip has four lines
        self.statuses = StatusStrip(figure, axes="3")
        self.holding_trace = figure.new_scatter(
            mode="lines", line={"width": 2, "dash": "dot"}, hovertemplate=f"holding bitcoin: %{{y:+.2f}}%<br>{TIME}"
        )
        self.holding = HoldingBenchmark(self.client)
        self.traces: dict[str, LaneTraces] = {}
        self.selection: str | None = None
        return figure

    def fetch(self) -> dict[str, Any]:
        battle, days = self.client.battle(), selected(self.span, int)
        since = (moment(battle["as_of"]) - timedelta(days=days)).isoformat()  # a replay's clock is not that of the wall
        holding = self.holding.fetch(battle["lanes"][0]["name"], since)
        if days <= ALL_LANES_DAYS:
            return {"battle": battle, "history": self.client.battle_history(since=since), "holding": holding}
        parts = [self.client.battle_history(lane["name"], since=since) for lane in battle["lanes"]]
        history = {**parts[0], "lanes": [lane for part in parts for lane in part["lanes"]]}
        return {"battle": battle, "history": history, "holding": holding}

    def header(self, document: dict[str, Any]) -> Document:
        return document["battle"]

    def empty_reason(self, document: dict[str, Any]) -> str | None:
        if any(lane["points"] for lane in document["history"]["lanes"]):
            return None
        return "No lane has received a bar yet. The first bar arrives within five minutes."

    def frame(self, document: dict[str, Any]) -> pd.DataFrame:
        return frames.lane_history(document["history"])

    def draw(self, document: dict[str, Any]) -> None:
        lanes = [lane for lane in document["history"]["lanes"] if lane["points"]]
        colours = {lane["name"]: self.palette.colour(index) for index, lane in enumerate(lanes)}
        entries = [lane for lane in lanes if self.venue.value in ("", lane["venue"])]
        gains = {lane["name"]: gains_pct(values(lane["points"]), lane["initial_capital"]) for lane in entries}
        times = {lane["name"]: instants(lane["points"]) for lane in entries}
        ends = [
            self._draw_gain(lane, times[name], gains[name], colours[name])
            for lane in entries
            for name in [lane["name"]]
        ]
        holding = gain_of(document["holding"]) if entries else None
        self._draw_holding(holding)
        self._show_only(lane["name"] for lane in entries)
        self.statuses.draw(entries, times, self.palette)
        self.figure.update_xaxes(spikecolor=self.palette.quiet)
        layout = self.figure.layout
        layout.annotations = [
            *self._gain_labels(ends, [*gains.values()], holding),
            *self._draw_drawdowns(entries, times, colours),
            *(heading(axes, text) for axes, (_, text) in ROWS.items() if text and entries),
            *self.statuses.key(entries, self.palette),
        ]
        if ends:
            layout.title = self._title(document["battle"], entries, ends, holding)
        if self.selection:
            self.pick(self.selection)

    def pick(self, name: str) -> None:
        """Show the facts of a lane below the chart, also for each new document."""
        with self._lock:
            self.selection = name
            self.detail.value = facts(self.document["battle"], self.document["history"], name)

    def _draw_gain(self, lane: Document, times: pd.DatetimeIndex, gains: np.ndarray, colour: str) -> CurveEnd:
        """Draw the gain of a lane with its events, and return the end of the curve."""
        traces = self._traces_of(lane)
        traces.gain.update(x=times, y=gains, line={"color": colour})
        events = [event for event in lane["events"] if event["kind"] in MARKS]
        event_times = instants(events)
        traces.events.update(
            x=event_times,
            y=np.interp(event_times.asi8, times.asi8, gains) if events else [],
            text=[escaped(f"{event['subject']}: {event['note']}") for event in events],
            marker={"symbol": [MARKS[event["kind"]] for event in events], "color": colour},
        )
        return CurveEnd(gains[-1], f"{escaped(lane['name'])} {number(gains[-1], '+.1f')}%", colour)

    def _draw_holding(self, holding: pd.Series | None) -> None:
        curve = pd.Series(dtype=float) if holding is None else holding
        self.holding_trace.update(x=curve.index, y=curve.to_numpy(), line={"color": self.palette.ink})

    def _gain_labels(
        self, ends: list[CurveEnd], curves: list[np.ndarray], holding: pd.Series | None
    ) -> list[dict[str, Any]]:
        if holding is not None:
            ends = [*ends, CurveEnd(holding.iloc[-1], f"bitcoin {number(holding.iloc[-1], '+.1f')}%", self.palette.ink)]
            curves = [*curves, holding.to_numpy()]
        return labels(ends, np.concatenate([*curves, [0.0]]), gap=0.06)

    def _draw_drawdowns(
        self, lanes: list[Document], times: Mapping[str, pd.DatetimeIndex], colours: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """Draw the drawdowns, the deepest in colour, and return their labels."""
        falls = {lane["name"]: -values(lane["points"], "drawdown_pct") for lane in lanes}
        deepest = sorted(falls, key=lambda name: falls[name].min())[:DEEPEST]
        for name in falls:
            line = (
                {"color": colours[name], "width": 2} if name in deepest else {"color": self.palette.quiet, "width": 1}
            )
            self.traces[name].drawdown.update(x=times[name], y=falls[name], line=line)
        ends = [
            CurveEnd(falls[name][-1], f"{escaped(name)} {number(falls[name][-1], '.1f')}%", colours[name])
            for name in deepest
        ]
        return labels(ends, np.concatenate([*falls.values(), [0.0]]), gap=0.18, axes="2")

    def _traces_of(self, lane: Document) -> LaneTraces:
        """The traces of a lane, added to the figure when the lane is first drawn."""
        name = lane["name"]
        if name not in self.traces:
            line = {"dash": "dash" if lane["venue"] == "dex" else "solid", "width": 2}
            curve = {"name": name, "mode": "lines", "meta": escaped(lane["label"])}
            traces = LaneTraces(
                self.figure.new_scatter(line=line, hovertemplate=f"%{{meta}}: %{{y:+.2f}}%<br>{TIME}", **curve),
                self.figure.new_scatter(yaxis="y2", hovertemplate=f"%{{meta}}: %{{y:.2f}}%<br>{TIME}", **curve),
                self.figure.new_scatter(
                    name=name, mode="markers", marker={"size": 9}, hovertemplate=f"%{{text}}<br>{TIME}"
                ),
            )
            for trace in traces:
                self.figure.on_click(trace, lambda _point: self.pick(name))
            self.traces[name] = traces
        return self.traces[name]

    def _show_only(self, names: Iterable[str]) -> None:
        visible_names = set(names)
        for name, traces in self.traces.items():
            for trace in traces:
                trace.visible = name in visible_names

    def _title(
        self, battle: Document, lanes: list[Document], ends: list[CurveEnd], holding: pd.Series | None
    ) -> dict[str, Any]:
        leader, end = max(zip(lanes, ends, strict=True), key=lambda pair: pair[1].value)
        total = battle["venues"][self.venue.value] if self.venue.value else battle["summary"]
        numbers = [f"all together {number(total['pnl_pct'], '+.1f')}%"]
        if holding is not None:
            numbers.append(f"holding bitcoin {number(holding.iloc[-1], '+.1f')}%")
        legend = "dashed: liquidity · dotted: holding bitcoin · △ harvest ◇ pool switch · UTC"
        return {
            "text": f"{escaped(leader['name'])} leads with {number(end.value, '+.1f')}%; {', '.join(numbers)}",
            "subtitle": {"text": f"PAPER · {escaped(world(battle))} · {legend}"},
        }
