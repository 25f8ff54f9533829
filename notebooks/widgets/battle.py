"""The six paper-trading lanes: gain, drawdown, events and status over time; a click shows the facts of a lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.battle_facts import facts
from notebooks.widgets.chart_panel import selected
from notebooks.widgets.curves import CurveEnd, drawdowns_pct, gains_pct, instants, labels, values
from notebooks.widgets.figure import Figure
from notebooks.widgets.refreshing_panel import RefreshingPanel
from notebooks.widgets.wording import Document, escaped, world

VENUES = {"all lanes": "", "exchange": "cex", "liquidity": "dex"}
SPANS = {"1 day": 1, "7 days": 7, "30 days": 30, "120 days": 120}
ALL_LANES_DAYS = 35  # the API returns a longer history for one lane at a time
MARKS = {"harvest": "triangle-up-open", "switch": "diamond-open"}
# Shades of grey; an unknown status is drawn in the colour of faults.
STATUSES = {"waiting": 0.0, "in_market": 0.35, "in_lp": 0.35, "harvesting": 0.6, "switching": 0.8}
UNKNOWN_STATUS = 1.0
DEEPEST = 2  # lanes whose drawdown is drawn in colour


class LaneTraces(NamedTuple):
    """The traces of one lane."""

    gain: go.Scatter
    drawdown: go.Scatter
    events: go.Scatter


class BattlePanel(RefreshingPanel):
    """The lanes today and over the selected time span."""

    TITLE = "the paper-trading lanes"
    FILE = "ninefold-battle"

    def controls(self) -> Iterable[Widget]:
        self.venue = ToggleButtons(options=VENUES, style={"button_width": "92px"})
        self.span = Dropdown(options=SPANS, value=7, layout=Layout(width="100px"), tooltip="time span")
        self.venue.observe(self.redraw, "value")
        self.span.observe(self.request_refresh, "value")
        return self.venue, self.span

    def new_figure(self) -> Figure:
        rows = make_subplots(rows=3, shared_xaxes=True, row_heights=[0.58, 0.24, 0.18], vertical_spacing=0.04)
        figure = Figure(rows)
        figure.add_heatmap(
            row=3, col=1, zmin=0, zmax=1, showscale=False, ygap=3, hovertemplate="%{text}<extra>%{y}</extra>"
        )
        figure.update_layout(height=640, showlegend=False, hovermode="closest", margin={"r": 150})
        figure.update_yaxes(ticksuffix="%", row=1, col=1, title="gain")
        figure.update_yaxes(ticksuffix="%", row=2, col=1, title="drawdown")
        figure.update_yaxes(autorange="reversed", row=3, col=1, showgrid=False, dtick=1)
        self.traces: dict[str, LaneTraces] = {}
        self.picked: str | None = None
        return figure

    def fetch(self) -> dict[str, Document]:
        battle, days = self.client.battle(), selected(self.span, int)
        since = (self.now() - timedelta(days=days)).isoformat(timespec="seconds")
        if days <= ALL_LANES_DAYS:
            return {"battle": battle, "history": self.client.battle_history(since=since)}
        parts = [self.client.battle_history(lane["name"], since=since) for lane in battle["lanes"]]
        return {"battle": battle, "history": {**parts[0], "lanes": [lane for part in parts for lane in part["lanes"]]}}

    def header(self, document: dict[str, Document]) -> Document:
        return document["battle"]

    def empty_reason(self, document: dict[str, Document]) -> str | None:
        if any(lane["points"] for lane in document["history"]["lanes"]):
            return None
        return "No lane has received a bar yet. The first bar arrives within five minutes."

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        return frames.lane_history(document["history"])

    def draw(self, document: dict[str, Document]) -> None:
        lanes = [lane for lane in document["history"]["lanes"] if lane["points"]]
        colours = {lane["name"]: self.palette.colour(index) for index, lane in enumerate(lanes)}
        shown = [lane for lane in lanes if self.venue.value in ("", lane["venue"])]
        drawdowns = {lane["name"]: drawdowns_pct(values(lane["points"])) for lane in shown}
        deepest = sorted(drawdowns, key=lambda name: drawdowns[name].min())[:DEEPEST]
        ends = [self._draw_gain(lane, colours[lane["name"]]) for lane in shown]
        for lane in shown:
            name = lane["name"]
            line = {"color": colours[name] if name in deepest else self.palette.grid}
            self.traces[name].drawdown.update(x=instants(lane["points"]), y=drawdowns[name], line=line)
        self._show_only(drawdowns)
        self._draw_statuses(shown)
        depths = [CurveEnd(drawdowns[name][-1], escaped(name), colours[name]) for name in drawdowns if name in deepest]
        depth = max((-drawdown.min() for drawdown in drawdowns.values()), default=0)
        self.figure.layout.annotations = [
            *labels(ends, gap=max(_range([end.value for end in ends]), 1) / 9),
            *labels(depths, gap=max(depth, 1) / 4, axes="2"),
        ]
        if ends:
            self.figure.layout.title = self._title(document["battle"], shown, ends)
        if self.picked:
            self.pick(self.picked)

    def pick(self, name: str) -> None:
        """Show the facts of a lane below the chart, also for each new document."""
        with self._lock:
            self.picked = name
            self.detail.value = facts(self.document["battle"], self.document["history"], name)

    def _draw_gain(self, lane: Document, colour: str) -> CurveEnd:
        """Draw the gain of a lane with its events, and return the end of the curve."""
        traces = self._traces_of(lane)
        times, gains = instants(lane["points"]), gains_pct(values(lane["points"]), lane["initial_capital"])
        traces.gain.update(x=times, y=gains, line={"color": colour})
        events = [event for event in lane["events"] if event["kind"] in MARKS]
        event_times = instants(events)
        traces.events.update(
            x=event_times,
            y=np.interp(event_times.asi8, times.asi8, gains) if events else [],
            text=[escaped(f"{event['subject']}: {event['note']}") for event in events],
            marker={"symbol": [MARKS[event["kind"]] for event in events], "color": colour},
        )
        return CurveEnd(gains[-1], f"{escaped(lane['name'])} {gains[-1]:+.1f}%", colour)

    def _traces_of(self, lane: Document) -> LaneTraces:
        """The traces of a lane, added to the figure when the lane is first drawn."""
        name = lane["name"]
        if name not in self.traces:
            line = {"dash": "dash" if lane["venue"] == "dex" else "solid", "width": 2}
            time = "%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"
            curve = {"name": name, "col": 1, "mode": "lines", "meta": escaped(lane["label"])}
            curve["hovertemplate"] = f"%{{meta}}: %{{y:+.2f}}%<br>{time}"
            traces = LaneTraces(
                self.figure.new_scatter(row=1, line=line, **curve),
                self.figure.new_scatter(row=2, line={"width": 1.5}, **curve),
                self.figure.new_scatter(
                    name=name, row=1, col=1, mode="markers", marker={"size": 9}, hovertemplate=f"%{{text}}<br>{time}"
                ),
            )
            for trace in traces:
                trace.on_click(lambda _trace, points, _state: points.point_inds and self.pick(name))
            self.traces[name] = traces
        return self.traces[name]

    def _show_only(self, names: Iterable[str]) -> None:
        shown = set(names)
        for name, traces in self.traces.items():
            for trace in traces:
                trace.visible = name in shown

    def _draw_statuses(self, shown: list[Document]) -> None:
        """Draw a row of greys per lane, one shade per status."""
        rows = [pd.Series([point["status"] for point in lane["points"]], instants(lane["points"])) for lane in shown]
        table = pd.concat(rows, axis=1) if rows else pd.DataFrame()
        cells = table.to_numpy(object, na_value="").T
        codes, statuses = pd.factorize(cells.ravel())
        # Arrays, because plotly checks every element of a list.
        shades = np.array([STATUSES.get(status, UNKNOWN_STATUS) if status else np.nan for status in statuses], float)
        texts = np.array([escaped(status) for status in statuses], object)
        palette = self.palette
        grey = [[0, palette.paper], [0.35, palette.grid], [0.999, palette.quiet], [1, palette.alarm]]
        self.figure.data[0].update(
            x=table.index,
            y=[lane["name"] for lane in shown],
            z=shades[codes].reshape(cells.shape),
            text=texts[codes].reshape(cells.shape),
            colorscale=grey,
        )

    def _title(self, battle: Document, shown: list[Document], ends: list[CurveEnd]) -> Mapping[str, object]:
        leader, end = max(zip(shown, ends, strict=True), key=lambda pair: pair[1].value)
        total = battle["venues"][self.venue.value] if self.venue.value else battle["summary"]
        legend = "gain since the start · dashed: liquidity · △ harvest ◇ pool switch · UTC"
        return {
            "text": f"{escaped(leader['label'])} leads with {end.value:+.1f}%; all together {total['pnl_pct']:+.1f}%",
            "subtitle": {"text": f"PAPER · {escaped(world(battle))} · {legend}"},
        }


def _range(numbers: list[float]) -> float:
    return max(numbers, default=0) - min(numbers, default=0)
