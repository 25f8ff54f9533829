"""The chart of a question: a row per voter with its P(YES) on a stem from 50%, and the consensus as a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.probability_rows import (
    DIRECTIONS,
    EVEN,
    category_axis,
    direction_mark,
    draw_stems,
    row_label,
)
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import Document, escaped, shortened, world
from notebooks.widgets.oracle.votes import VoteRow, consensus_pct, count, has_price, rows, side, verdict

SHORTEST, LONGEST = 36, 120  # characters of a reason beside a mark, and of a question above the chart
ROW_PX, AROUND_PX = 44, 180
MARK_PX = 15  # size of a mark with weight 1
RING_PX = 12  # added for the ring around a pivotal voter
# What is shown instead of axes without votes, before the first question and after a refused one.
EMPTY_PX = 230
EMPTY = {
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
        figure.update_layout(height=EMPTY_PX, hovermode="closest", margin={"t": 118, "r": 270}, annotations=[EMPTY])

    def draw(self, inquiry: Document, palette: Palette) -> None:
        """Update the traces to an inquiry, complete or not."""
        voters = rows(inquiry)
        votes = [row for row in voters if row.percentage is not None]
        self._draw_votes(votes, palette)
        self._draw_abstentions([row for row in voters if row.abstained], palette)
        self.figure.update_layout(
            height=len(voters) * ROW_PX + AROUND_PX,
            xaxis={"title": {"text": f"P({side(inquiry)}), bars start at 50%"}, "visible": True},
            meta={"narrow": {"xaxis": {"dtick": 50}}},
            yaxis={**category_axis([escaped(row.voter) for row in voters]), "visible": True},
        )
        layout = self.figure.layout
        layout.shapes = _lines(inquiry, palette)
        layout.annotations = [_label(row) for row in voters if row.percentage is not None or row.abstained]
        layout.title = _title(inquiry, votes)

    def clear(self) -> None:
        """Remove the votes of an answer that did not arrive."""
        for trace in self.figure.data:
            trace.update(x=[], y=[])
        self.figure.layout.update(title=None, annotations=[EMPTY], shapes=[], height=EMPTY_PX)
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
        ringed = [place for place, row in enumerate(votes) if row.is_pivotal]
        self._rings.update(
            x=[x[place] for place in ringed],
            y=[y[place] for place in ringed],
            marker={
                "size": [sizes[place] + RING_PX for place in ringed],
                "symbol": "circle-open",
                "color": palette.ink,
                "line": {"width": 2},
            },
        )

    def _draw_abstentions(self, abstentions: list[VoteRow], palette: Palette) -> None:
        self._abstentions.update(
            x=[EVEN] * len(abstentions),
            y=[escaped(row.voter) for row in abstentions],
            ids=[row.voter for row in abstentions],
            customdata=[f"abstained: {escaped(row.abstained or '')}" for row in abstentions],
            marker={"size": MARK_PX, "symbol": "circle-open", "color": palette.quiet, "line": {"width": 2}},
        )


def _lines(inquiry: Document, palette: Palette) -> list[dict[str, Any]]:
    """A line at 50%, and one at the consensus once it is known."""
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    lines = [{**line, "x0": EVEN, "x1": EVEN, "line": {"color": palette.quiet, "width": 1}}]
    if inquiry["consensus"]:
        x = consensus_pct(inquiry)
        lines.append({**line, "x0": x, "x1": x, "line": {"color": palette.ink, "width": 2, "dash": "dash"}})
    return lines


def _title(inquiry: Document, votes: list[VoteRow]) -> dict[str, Any]:
    if inquiry["consensus"] is None:
        arrived, total = count(inquiry)
        title, state = f"{arrived} of {total} have voted", "the weights follow with the consensus"
    else:
        pivotal = [escaped(row.voter) for row in votes if row.is_pivotal]
        decisive = f"○ pivotal: {', '.join(pivotal)}" if pivotal else "no voter is pivotal"
        title, state = verdict(inquiry), f"{decisive} · n {len(votes)} votes · {world(inquiry)} · times UTC"
    question = escaped(shortened(inquiry["understood"]["canonical"], LONGEST))
    views = "what a vote expects of the price: ▲ higher ▼ lower ● neither · " if has_price(inquiry) else ""
    key = f"{views}size: weight · dashed: consensus"
    return {"text": title, "subtitle": {"text": f"{question}<br>{state}<br>{key}"}}


def _label(row: VoteRow) -> dict[str, Any]:
    reason = row.abstained and escaped(shortened(f"abstained: {row.abstained}", SHORTEST))
    return row_label(escaped(row.voter), reason or _vote_text(row))


def _vote_text(row: VoteRow) -> str:
    unknown = "" if row.direction in DIRECTIONS else f" · {escaped(str(row.direction))}"
    return f"{row.percentage:.1f}% · weight {row.weight:.2f}{' · pivotal' if row.is_pivotal else ''}{unknown}"
