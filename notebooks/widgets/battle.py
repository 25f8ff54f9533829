"""The six lanes of paper trading: what each gained, how deep it fell, what it did; a click tells one lane's facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.battle_facts import facts
from notebooks.widgets.curves import End, drawdowns_pct, gains_pct, instants, labels
from notebooks.widgets.figure import Figure
from notebooks.widgets.panel import Panel
from notebooks.widgets.wording import plain, world

Document = Mapping[str, Any]

VENUES = {"all lanes": "", "exchange": "cex", "liquidity": "dex"}
SPANS = {"1 day": 1, "7 days": 7, "30 days": 30, "120 days": 120}
TOGETHER_DAYS = 35  # a longer window is answered for one lane at a time
MARKS = {"harvest": "triangle-up-open", "switch": "diamond-open"}
# From doing nothing to moving house; one that is not known yet is as dark as can be and says its name.
STATUSES = {"waiting": 0.0, "in_market": 0.35, "in_lp": 0.35, "harvesting": 0.6, "switching": 0.8}
UNKNOWN_STATUS = 1.0
DEEPEST = 2  # lanes whose drawdown is drawn in colour


class BattlePanel(Panel):
    """How the lanes stand and how they came there."""

    TITLE = "the lanes of paper trading"
    FILE = "ninefold-battle"

    def controls(self) -> Iterable[Widget]:
        self.venue = ToggleButtons(options=VENUES, style={"button_width": "92px"})
        self.span = Dropdown(options=SPANS, value=7, layout=Layout(width="100px"), tooltip="how far back")
        self.venue.observe(lambda _change: self.redraw(), "value")
        self.span.observe(self.want, "value")
        return self.venue, self.span

    def figure_of(self) -> Figure:
        rows = make_subplots(rows=3, shared_xaxes=True, row_heights=[0.58, 0.24, 0.18], vertical_spacing=0.04)
        figure = Figure(rows)
        figure.add_heatmap(
            row=3, col=1, zmin=0, zmax=1, showscale=False, ygap=3, hovertemplate="%{text}<extra>%{y}</extra>"
        )
        figure.update_layout(height=640, showlegend=False, hovermode="closest", margin={"r": 150})
        figure.update_yaxes(ticksuffix=" %", row=1, col=1, title="gain")
        figure.update_yaxes(ticksuffix=" %", row=2, col=1, title="drawdown")
        figure.update_yaxes(autorange="reversed", row=3, col=1, showgrid=False, dtick=1)
        self._curves: dict[str, tuple[Any, Any, Any]] = {}
        self.picked: str | None = None
        return figure

    def fetch(self) -> dict[str, Document]:
        battle = self.client.battle()
        since = (self.now() - timedelta(days=self.span.value)).isoformat(timespec="seconds")
        if self.span.value <= TOGETHER_DAYS:
            return {"battle": battle, "history": self.client.battle_history(since=since)}
        parts = [self.client.battle_history(lane["name"], since=since) for lane in battle["lanes"]]
        return {"battle": battle, "history": {**parts[0], "lanes": [lane for part in parts for lane in part["lanes"]]}}

    def told(self, document: dict[str, Document]) -> Document:
        return document["battle"]

    def missing(self, document: dict[str, Document]) -> str | None:
        if any(lane["points"] for lane in document["history"]["lanes"]):
            return None
        return "The lanes have not seen a bar yet. They begin with the next one, within five minutes."

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        return frames.lane_history(document["history"])

    def draw(self, document: dict[str, Document]) -> None:
        lanes = [lane for lane in document["history"]["lanes"] if lane["points"]]
        shown = [lane for lane in lanes if self.venue.value in ("", lane["venue"])]
        falls = {lane["name"]: drawdowns_pct(lane["points"], lane["initial_capital"]) for lane in shown}
        deepest = sorted(falls, key=lambda name: falls[name].min())[:DEEPEST]
        ends, depths = [], []
        for place, lane in enumerate(lanes):
            if lane not in shown:
                continue
            colour = self.look.colour(place)
            gain, fall, marks = self._curves_of(lane)
            times, gains = instants(lane["points"]), gains_pct(lane["points"], lane["initial_capital"])
            in_colour = lane["name"] in deepest
            gain.update(x=times, y=gains, line={"color": colour})
            fall.update(x=times, y=falls[lane["name"]], line={"color": colour if in_colour else self.look.grid})
            self._mark(marks, lane, times, gains, colour)
            ends.append(End(gains[-1], f"{plain(lane['name'])} {gains[-1]:+.1f} %", colour))
            if in_colour:
                depths.append(End(falls[lane["name"]][-1], plain(lane["name"]), colour))
        self._show_only(falls)
        self._strip(shown)
        self._label(ends, depths, falls)
        self._entitle(document, shown, ends)
        if self.picked:
            self.pick(self.picked)

    def pick(self, name: str) -> None:
        """Tell the facts of one lane below the chart, from now on those of each new document."""
        with self._lock:
            self.picked = name
            self.detail.value = facts(self.document["battle"], self.document["history"], name)

    def _curves_of(self, lane: Document) -> tuple[Any, Any, Any]:
        """The curves of a lane, made when it is first seen: its gain, its drawdown, what it did."""
        name = lane["name"]
        if name not in self._curves:
            line = {"dash": "dash" if lane["venue"] == "dex" else "solid", "width": 2}
            said = {"name": name, "mode": "lines", "meta": plain(lane["label"])}
            when = "%{x|%Y-%m-%d %H:%M} UTC"
            told = f"%{{meta}}: %{{y:+.2f}} %<br>{when}<extra></extra>"
            figure = self.figure
            gain = figure.add_scatter(row=1, col=1, line=line, hovertemplate=told, **said).data[-1]
            fall = figure.add_scatter(row=2, col=1, line={"width": 1.5}, hovertemplate=told, **said).data[-1]
            said = {"name": name, "mode": "markers", "marker": {"size": 9}}
            told = f"%{{text}}<br>{when}<extra></extra>"
            marks = figure.add_scatter(row=1, col=1, hovertemplate=told, **said).data[-1]
            for trace in (gain, fall, marks):
                trace.on_click(lambda _trace, points, _state, name=name: points.point_inds and self.pick(name))
            self._curves[name] = (gain, fall, marks)
        return self._curves[name]

    def _show_only(self, names: Mapping[str, Any]) -> None:
        for name, traces in self._curves.items():
            for trace in traces:
                trace.visible = name in names

    def _mark(self, marks: Any, lane: Document, times: pd.DatetimeIndex, gains: np.ndarray, colour: str) -> None:
        """Put harvests and switches where the curve is at that time."""
        told = [event for event in lane["events"] if event["kind"] in MARKS]
        at = instants(told)
        marks.update(
            x=at,
            y=np.interp(at.asi8, times.asi8, gains) if len(told) else [],
            text=[plain(f"{event['subject']}: {event['note']}") for event in told],
            marker={"symbol": [MARKS[event["kind"]] for event in told], "color": colour},
        )

    def _strip(self, shown: list[Document]) -> None:
        """A row of greys for each lane: what it was doing."""
        rows = [pd.Series([point["status"] for point in lane["points"]], instants(lane["points"])) for lane in shown]
        table = pd.concat(rows, axis=1) if rows else pd.DataFrame()
        told = table.to_numpy(object, na_value="").T
        codes, words = pd.factorize(told.ravel())
        # As arrays: plotly looks at every element of a list.
        shade = np.array([STATUSES.get(status, UNKNOWN_STATUS) if status else np.nan for status in words], float)
        text = np.array([plain(status) for status in words], object)
        shades, text = (named[codes].reshape(told.shape) for named in (shade, text))
        grey = [[0, self.look.paper], [0.35, self.look.grid], [0.999, self.look.quiet], [1, self.look.alarm]]
        names = [lane["name"] for lane in shown]
        self.figure.data[0].update(x=table.index, y=names, z=shades, text=text, colorscale=grey)

    def _label(self, ends: list[End], depths: list[End], falls: Mapping[str, np.ndarray]) -> None:
        highest = max((end.value for end in ends), default=0) - min((end.value for end in ends), default=0)
        deepest = -min((fall.min() for fall in falls.values()), default=0)
        said = [*labels(ends, apart=max(highest, 1) / 9), *labels(depths, apart=max(deepest, 1) / 4, axes="2")]
        self.figure.layout.annotations = said

    def _entitle(self, document: dict[str, Document], shown: list[Document], ends: list[End]) -> None:
        if not ends:
            return
        leader, best = max(zip(shown, ends, strict=True), key=lambda pair: pair[1].value)
        battle = document["battle"]
        all_in_one = battle["venues"][self.venue.value] if self.venue.value else battle["summary"]
        leads = f"{plain(leader['label'])} leads with {best.value:+.1f} %"
        said = "gain since each began · dashed: liquidity · △ harvest ◇ pool switch · UTC"
        self.figure.layout.title = {
            "text": f"{leads}, all together {all_in_one['pnl_pct']:+.1f} %",
            "subtitle": {"text": f"PAPER · {plain(world(battle))} · {said}"},
        }
