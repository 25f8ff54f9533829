"""The health of the strategies when a month closed: how many stand how, each by its score; a click tells of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any
from zlib import crc32

import pandas as pd
from ipywidgets import Dropdown, Layout, Widget
from plotly.subplots import make_subplots

from notebooks.widgets import frames
from notebooks.widgets.figure import Figure
from notebooks.widgets.hospital_facts import facts
from notebooks.widgets.panel import Panel
from notebooks.widgets.theme import Look
from notebooks.widgets.wording import plain, world

Document = Mapping[str, Any]

# The place of a status in the palette, its symbol, and that symbol as a letter; from well to ill.
STATUSES = {
    "healthy": (2, "circle", "●"),
    "watch": (5, "triangle-up", "▲"),
    "sick": (1, "square", "■"),
    "critical": (4, "x", "✖"),
    "observation": (3, "diamond-open", "◇"),
}
UNKNOWN = ("star", "★")
TOSSED = 0.6  # of a row's height is used to set marks of like health apart
HOVER = "%{customdata[0]}<br>%{customdata[1]}, score %{x:.1f}<br>recommended: %{customdata[2]}<extra></extra>"


class HospitalPanel(Panel):
    """How healthy each strategy was at the end of a month, and what should become of it."""

    TITLE = "the strategy hospital"
    FILE = "ninefold-hospital"
    EVERY_S = 300

    def controls(self) -> Iterable[Widget]:
        self.month = Dropdown(options={"last month": ""}, layout=Layout(width="120px"), tooltip="which month")
        statuses = {"every status": "", **{status: status for status in STATUSES}}
        self.status = Dropdown(options=statuses, layout=Layout(width="120px"), tooltip="which status")
        self.month.observe(self.want, "value")
        self.status.observe(lambda _change: self.redraw(), "value")
        return self.month, self.status

    def figure_of(self) -> Figure:
        figure = Figure(make_subplots(rows=2, row_heights=[0.06, 0.94], vertical_spacing=0.05))
        figure.add_bar(row=1, col=1, orientation="h", hovertemplate="%{customdata}: %{x}<extra></extra>")
        figure.add_scatter(
            row=2,
            col=1,
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 34, "line": {"width": 3}},
            hovertemplate="median of %{customdata}: %{x:.1f}<extra></extra>",
        )
        figure.add_scatter(row=2, col=1, mode="markers", hovertemplate=HOVER)
        figure.update_layout(height=680, showlegend=False, hovermode="closest", margin={"r": 30, "t": 116})
        figure.update_xaxes(row=1, col=1, visible=False)
        figure.update_yaxes(row=1, col=1, visible=False)
        figure.update_xaxes(row=2, col=1, range=[-2, 102], title="health score, 0 to 100")
        figure.update_yaxes(row=2, col=1, autorange="reversed", zeroline=False)
        self._counts, self._medians, self._marks = figure.data
        self._marks.on_click(self._clicked)
        self.months: dict[str, Document] = {}
        self.picked: str | None = None
        return figure

    def fetch(self) -> Document:
        return self.client.hospital(self.month.value or None)

    def told(self, document: Document) -> Document:
        """A month of the past stays what it was: it does not become stale."""
        if document["snapshot_month"] < max(self.months, default=""):
            return {**document, "stale_after": None}
        return document

    def missing(self, document: Document) -> str | None:
        if not document["strategies"]:
            return f"No strategy was examined in {document['snapshot_month']}. The next month is when it has closed."
        if not self._shown(document):
            return f"In {document['snapshot_month']} no strategy was of the status {self.status.value}."
        return None

    def frame(self, document: Document) -> pd.DataFrame:
        return frames.hospital(document)

    def draw(self, document: Document) -> None:
        self.months[document["snapshot_month"]] = document
        self._offer(document)
        everyone = document["strategies"]
        by_category = {one["category"]: [] for one in everyone}
        for one in everyone:
            by_category[one["category"]].append(one["health_score"])
        ordered = sorted(by_category, key=lambda category: -median(by_category[category]))
        counts = Counter(one["status"] for one in everyone)
        self._count({status: counts[status] for status in [*STATUSES, *counts] if counts[status]})
        self._place(self._shown(document), ordered)
        self._medians.update(
            x=[median(by_category[category]) for category in ordered],
            y=list(range(len(ordered))),
            customdata=[plain(category) for category in ordered],
            marker={"color": self.look.ink},
        )
        labels = [f"{plain(category)} · {len(by_category[category])}" for category in ordered]
        self.figure.layout.yaxis2.update(tickvals=list(range(len(ordered))), ticktext=labels)
        self._entitle(document, counts)
        if self.picked:
            self.pick(self.picked)

    def pick(self, key: str) -> None:
        """Tell the facts of one strategy below the chart, from now on those of each month that is looked at."""
        with self._lock:
            self.picked = key
            self.detail.value = facts(self.document, self.months, key)

    def _clicked(self, _trace: Any, points: Any, _state: Any) -> None:
        for place in points.point_inds[:1]:
            self.pick(self._shown(self.document)[place]["key"])

    def _shown(self, document: Document) -> list[Document]:
        return [one for one in document["strategies"] if self.status.value in ("", one["status"])]

    def _offer(self, document: Document) -> None:
        """Offer the months that are known by now, the newest first, and keep the one that is chosen."""
        known = sorted({*document["links"]["months"], *(self.month.options.values())} - {""}, reverse=True)
        offered = {"last month": "", **{month: month for month in known}}
        if offered != self.month.options:
            chosen = self.month.value
            self.month.options = offered
            self.month.value = chosen

    def _count(self, counts: Mapping[str, int]) -> None:
        ends = list(pd.Series(counts).cumsum()) if counts else []
        told = [_mark(self.look, status) for status in counts]
        self._counts.update(
            x=list(counts.values()),
            y=[0] * len(counts),
            base=[end - count for end, count in zip(ends, counts.values(), strict=True)],
            customdata=[plain(status) for status in counts],
            marker={"color": [colour for colour, _symbol, _letter in told], "line": {"width": 0}},
        )
        self.figure.layout.xaxis.range = [0, ends[-1] if ends else 1]
        key = [
            f'<span style="color:{colour}">{letter} {plain(status)} {count}</span>'
            for (status, count), (colour, _symbol, letter) in zip(counts.items(), told, strict=True)
        ]
        where = {"xref": "paper", "x": 0, "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
        self.figure.layout.annotations = [{**where, "text": "&nbsp; &nbsp; ".join(key), "font": {"size": 14}}]

    def _place(self, shown: list[Document], ordered: list[str]) -> None:
        marks = [_mark(self.look, one["status"]) for one in shown]
        self._marks.update(
            x=[one["health_score"] for one in shown],
            y=[ordered.index(one["category"]) + _toss(one["key"]) for one in shown],
            customdata=[[plain(one[name]) for name in ("name", "status", "recommendation")] for one in shown],
            marker={
                "size": 11,
                "opacity": 0.85,
                "color": [colour for colour, _symbol, _letter in marks],
                "symbol": [symbol for _colour, symbol, _letter in marks],
            },
        )

    def _entitle(self, document: Document, counts: Mapping[str, int]) -> None:
        summary, everyone = document["summary"], len(document["strategies"])
        advised = Counter(one["recommendation"] for one in document["strategies"]).most_common()
        changes = ", ".join(f"{plain(what)} {count}" for what, count in advised if what != "keep") or "keep all"
        shown = f" · shown: {self.status.value}" if self.status.value else ""
        n = f"n = {everyone}, as good as {summary['effective_strategies']:.1f} independent ones"
        self.figure.layout.title = {
            "text": f"{counts['critical']} of {everyone} critical, {counts['healthy']} healthy; recommended: {changes}",
            "subtitle": {
                "text": f"PAPER · {plain(world(document))} · month {plain(document['snapshot_month'])}, UTC · {n}"
                f" · tick: median{shown}<br>{plain(summary['caveat'])}"
            },
        }


def _mark(look: Look, status: str) -> tuple[str, str, str]:
    """The colour, symbol and letter of a status; one that is not known stands out."""
    if status not in STATUSES:
        return look.alarm, *UNKNOWN
    place, symbol, letter = STATUSES[status]
    return look.colour(place), symbol, letter


def _toss(key: str) -> float:
    """How far from the middle of its row a mark lies: always the same for one strategy."""
    return TOSSED * (crc32(key.encode()) / 2**32 - 0.5)
