"""A question to the oracle: nine votes as they arrive, their consensus, and the voters who decided it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

import pandas as pd
from ipywidgets import Button, HBox, IntProgress, Label, Layout, Text, Widget

from notebooks.widgets import frames
from notebooks.widgets.base.chart_panel import SET_KEY, ChartPanel
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.probability_rows import (
    DIRECTIONS,
    MIDDLE,
    category_axis,
    direction_mark,
    draw_stems,
    row_label,
)
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import Document, escaped, shortened, world
from notebooks.widgets.oracle.votes import (
    VoteRow,
    consensus_pct,
    count,
    extended,
    facts,
    has_price,
    opened,
    other_readings,
    price_range,
    rows,
    side,
    suggested,
    verdict,
)
from service.client import ClientError, Unauthorized

EXAMPLE = "Will Bitcoin close above 60000 USD at the end of this month?"
CLOSING_S = 1.0  # closing does not wait for a slow voter: the thread ends at the next vote
SHORTEST, LONGEST = 36, 120  # characters of a reason beside a mark, and of a question above the chart
ROW_PX, AROUND_PX = 44, 180
MARK_PX = 15  # size of a mark with weight 1
RING_PX = 12  # added for the ring around a pivotal voter
# What is shown instead of axes without votes, before the first question and after a refused one.
EMPTY_PX = 230
NO_QUESTION = {
    "text": "<b>No question yet</b><br>Each of the nine voters gets a row here:<br>"
    "its P(YES), its weight,<br>and on a click its reasons.<br>The consensus is a dashed line.",
    "xref": "paper",
    "x": 0,
    "xanchor": "left",
    "yref": "paper",
    "y": 1,
    "yanchor": "bottom",
    "align": "left",
    "showarrow": False,
}


class OraclePanel(ChartPanel):
    """Ask a question and watch the voters answer: type it and press Enter, or call `panel.ask(question)`.

    A question uses one of the key's daily calls, so the panel asks nothing by itself.
    """

    TITLE = "a question to the oracle"
    FILE = "ninefold-oracle"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._inquiry: Document | None = None  # not answered completely
        self._quota: str | None = None
        self._thread: threading.Thread | None = None
        super().__init__(*arguments, **options)
        self._set_status("Ask a question about crypto or markets. It uses one of the key's daily calls.")

    def controls(self) -> Iterable[Widget]:
        self.question = Text(placeholder=EXAMPLE, layout=Layout(width="520px"))
        self.button = Button(description="Ask", button_style="primary", layout=Layout(width="60px"))
        # Enter; an observer of the value would also ask, and be charged, when the field loses the focus.
        self.question.on_msg(lambda _text, message, _buffers: message.get("event") == "submit" and self._submit())
        self.button.on_click(self._submit)
        return self.question, self.button

    def body(self) -> Iterable[Widget]:
        self.progress = IntProgress(min=0, max=9, layout=Layout(width="220px"))
        self.count_label = Label()
        return HBox([self.progress, self.count_label]), self.figure.widget, self.detail

    def new_figure(self) -> Figure:
        figure = Figure()
        self.votes = VoteTraces(figure, self.pick)
        return figure

    def ask(self, question: str, *, wait: bool = False) -> None:
        """Ask `question`; `wait` returns when it is answered or refused. Raises RuntimeError during another one."""
        if self.is_busy:
            raise RuntimeError("One question at a time: the previous question is still being answered.")
        if not question.strip():
            self._set_status("Write a question first.", is_alarm=True)
            return
        self.question.value = question
        self.button.disabled = True
        self._set_status("Asking …")
        self._thread = threading.Thread(target=self._run, args=(question,), name="oracle", daemon=True)
        self._thread.start()
        if wait:
            self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether a question is being answered."""
        return self._thread is not None and self._thread.is_alive()

    def close(self) -> None:
        """Leave the stream of an unanswered question, and remove the panel from the page."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(timeout=CLOSING_S)
        super().close()

    def redraw(self, _change: Any = None) -> None:
        with self._lock:
            if self._inquiry is None:
                super().redraw()
                return
            with self.figure.changing():
                self.draw(self._inquiry)
            self._count(self._inquiry)

    def pick(self, voter: str) -> None:
        """Show the vote of a voter below the chart."""
        with self._lock:
            self.detail.value = facts(self._inquiry or self.document, voter)

    def frame(self, document: Document) -> pd.DataFrame:
        return frames.oracle_votes(document)

    def note(self, document: Document) -> str:
        usd = sum(vote["usd"] or 0 for vote in document["votes"].values())
        calls = "none, the answer was cached" if document["cached"] else "one call"
        models = f", {usd:.6f} USD for language models" if usd else ""
        cost = f"cost: {calls}{models}"
        return " · ".join(filter(None, [price_range(document), cost, self._quota, other_readings(document)]))

    def draw(self, document: Document) -> None:
        self.votes.draw(document, self.palette)

    def _run(self, question: str) -> None:
        with self.reporting_faults():
            self._follow(question)
        with self._lock:
            self.button.disabled = False

    def _follow(self, question: str) -> None:
        """Draw each vote as it arrives; a stream that breaks off leaves the last answer."""
        with closing(self.client.ask_stream(question)) as events:
            for event in events:
                if self._end.is_set():
                    return
                with self._lock:
                    self._take(event)
        remaining = self.client.usage()["quota"]["remaining"]
        with self._lock:
            self._quota = f"{remaining:,} of the key's daily calls left"
            self.redraw()

    def _take(self, event: Document) -> None:
        if self._inquiry is None or event["event"] == "question":
            self.detail.value = ""
            self._inquiry = opened(event)
        else:
            self._inquiry = extended(self._inquiry, event)
        if event["event"] == "consensus":
            self._count(self._inquiry)
            self.document, self._inquiry, self.fault = self._inquiry, None, None
        self.redraw()

    def _fault_text(self, fault: ClientError) -> str:
        """Why there is no answer; draws the last answer again."""
        self._inquiry = None
        if self.document is None:
            with self.figure.changing():
                self.votes.clear()
        self.redraw()
        self.count_label.value = "not answered"
        note = "" if self.document is None else " The last answer is shown below."
        key = SET_KEY if isinstance(fault, Unauthorized) else ""
        return f"Not answered: {fault}{key}{suggested(fault)}{note}"

    def _count(self, inquiry: Document) -> None:
        self.progress.value, self.progress.max = count(inquiry)
        votes, total = len(inquiry["votes"]), self.progress.max
        abstentions = f", {len(inquiry['abstained'])} abstained" if inquiry["abstained"] else ""
        self.count_label.value = f"{votes} of {total} have voted{abstentions}"

    def _submit(self, _button: Any = None) -> None:
        if not self.is_busy:
            self.ask(self.question.value)


class VoteTraces:
    """The traces of the votes in a figure; a click on a mark calls `pick` with the voter."""

    def __init__(self, figure: Figure, pick: Callable[[str], None]) -> None:
        self.figure = figure
        options = {"showlegend": False}
        self._stems = figure.new_scatter(mode="lines", hoverinfo="skip", **options)
        self._marks = figure.new_scatter(mode="markers", cliponaxis=False, **options)
        self._rings = figure.new_scatter(mode="markers", hoverinfo="skip", **options)
        self._abstentions = figure.new_scatter(mode="markers", **options)
        for trace in (self._marks, self._abstentions):
            figure.on_pick(trace, pick)
            trace.hovertemplate = "%{customdata}<extra></extra>"
        figure.update_xaxes(range=[0, 100], ticksuffix="%", title="P(YES)", dtick=10, visible=False)
        figure.update_yaxes(showgrid=False, visible=False, ticklabelstandoff=MARK_PX)  # clear of a mark at 0%
        figure.update_layout(
            height=EMPTY_PX, hovermode="closest", margin={"t": 118, "r": 270}, annotations=[NO_QUESTION]
        )

    def draw(self, inquiry: Document, palette: Palette) -> None:
        """Update the traces to an inquiry, complete or not."""
        voters = rows(inquiry)
        votes = [row for row in voters if row.percentage is not None]
        self._draw_votes(votes, palette)
        self._draw_abstentions([row for row in voters if row.abstention], palette)
        self.figure.update_layout(
            height=len(voters) * ROW_PX + AROUND_PX,
            xaxis={"title": {"text": f"P({side(inquiry)}), bars start at 50%"}, "visible": True},
            meta={"narrow": {"xaxis": {"dtick": 50}}},
            yaxis={**category_axis([escaped(row.voter) for row in voters]), "visible": True},
        )
        layout = self.figure.layout
        layout.shapes = _lines(inquiry, palette)
        layout.annotations = [_label(row) for row in voters if row.percentage is not None or row.abstention]
        layout.title = _title(inquiry, votes)

    def clear(self) -> None:
        """Remove the votes of an answer that did not arrive."""
        for trace in self.figure.data:
            trace.update(x=[], y=[])
        self.figure.layout.update(title=None, annotations=[NO_QUESTION], shapes=[], height=EMPTY_PX)
        self.figure.update_xaxes(visible=False)
        self.figure.update_yaxes(visible=False)

    def _draw_votes(self, votes: list[VoteRow], palette: Palette) -> None:
        marks = [direction_mark(row.direction, palette) for row in votes]
        sizes = [MARK_PX * row.weight**0.5 for row in votes]
        x, y = [row.percentage or 0.0 for row in votes], [escaped(row.voter) for row in votes]
        draw_stems(self._stems, y, x, palette)
        self._marks.update(
            x=x,
            y=y,
            ids=[row.voter for row in votes],
            customdata=[_vote_text(row) for row in votes],
            marker={
                "size": sizes,
                "color": [colour for colour, _symbol in marks],
                "symbol": [symbol for _colour, symbol in marks],
                "opacity": 1,
            },
        )
        pivots = [place for place, row in enumerate(votes) if row.is_pivotal]
        self._rings.update(
            x=[x[place] for place in pivots],
            y=[y[place] for place in pivots],
            marker={
                "size": [sizes[place] + RING_PX for place in pivots],
                "symbol": "circle-open",
                "color": palette.ink,
                "line": {"width": 2},
            },
        )

    def _draw_abstentions(self, abstentions: list[VoteRow], palette: Palette) -> None:
        self._abstentions.update(
            x=[MIDDLE] * len(abstentions),
            y=[escaped(row.voter) for row in abstentions],
            ids=[row.voter for row in abstentions],
            customdata=[f"abstained: {escaped(row.abstention or '')}" for row in abstentions],
            marker={"size": MARK_PX, "symbol": "circle-open", "color": palette.quiet, "line": {"width": 2}},
        )


def _lines(inquiry: Document, palette: Palette) -> list[dict[str, Any]]:
    """A line at 50%, and one at the consensus once it is known."""
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    lines = [{**line, "x0": MIDDLE, "x1": MIDDLE, "line": {"color": palette.quiet, "width": 1}}]
    if inquiry["consensus"]:
        x = consensus_pct(inquiry)
        lines.append({**line, "x0": x, "x1": x, "line": {"color": palette.ink, "width": 2, "dash": "dash"}})
    return lines


def _title(inquiry: Document, votes: list[VoteRow]) -> dict[str, Any]:
    if inquiry["consensus"] is None:
        votes_cast, total = count(inquiry)
        title, state = f"{votes_cast} of {total} have voted", "the weights follow with the consensus"
    else:
        pivotal = [escaped(row.voter) for row in votes if row.is_pivotal]
        decisive = f"○ pivotal: {', '.join(pivotal)}" if pivotal else "no voter is pivotal"
        title, state = verdict(inquiry), f"{decisive} · n {len(votes)} votes · {world(inquiry)} · times UTC"
    question = escaped(shortened(inquiry["understood"]["canonical"], LONGEST))
    views = "what a vote expects of the price: ▲ higher ▼ lower ● neither · " if has_price(inquiry) else ""
    key = f"{views}size: weight · dashed: consensus"
    return {"text": title, "subtitle": {"text": f"{question}<br>{state}<br>{key}"}}


def _label(row: VoteRow) -> dict[str, Any]:
    reason = row.abstention and escaped(shortened(f"abstained: {row.abstention}", SHORTEST))
    return row_label(escaped(row.voter), reason or _vote_text(row))


def _vote_text(row: VoteRow) -> str:
    unknown = "" if row.direction in DIRECTIONS else f" · {escaped(str(row.direction))}"
    return f"{row.percentage:.1f}% · weight {row.weight:.2f}{' · pivotal' if row.is_pivotal else ''}{unknown}"
