"""The chart of a question: a row a voter, its P(YES) against even odds, the consensus as a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from notebooks.widgets.figure import Figure
from notebooks.widgets.oracle_votes import DIRECTIONS, EVEN, UNKNOWN, Said, chance_of, count, rows, side, verdict
from notebooks.widgets.theme import Look
from notebooks.widgets.wording import plain, world

Inquiry = Mapping[str, Any]

SHORTEST, LONGEST = 36, 120  # characters of a reason beside a mark, of a question above the chart
ROW_PX, AROUND_PX = 44, 180
LIGHT_PX = 15  # the size of a mark whose vote has the weight 1
RING = 12  # more, for the ring around a pivotal one


class VotesChart:
    """The traces of the votes in a figure; a click on one calls `picked` with the voter."""

    def __init__(self, figure: Figure, picked: Callable[[str], None]) -> None:
        self.figure = figure
        self._names: dict[str, str] = {}
        said = {"showlegend": False}
        self._stems = figure.add_scatter(mode="lines", hoverinfo="skip", **said).data[-1]
        self._marks = figure.add_scatter(mode="markers", cliponaxis=False, **said).data[-1]
        self._rings = figure.add_scatter(mode="markers", hoverinfo="skip", **said).data[-1]
        self._silent = figure.add_scatter(mode="markers", **said).data[-1]
        for trace in (self._marks, self._silent):
            trace.on_click(lambda _trace, points, _state: points.point_inds and picked(self._names[points.ys[0]]))
            trace.hovertemplate = "%{customdata}<extra></extra>"
        figure.update_xaxes(range=[0, 100], ticksuffix=" %", title="P(YES)", dtick=10)
        figure.update_yaxes(showgrid=False)
        figure.update_layout(height=9 * ROW_PX + AROUND_PX, hovermode="closest", margin={"t": 118, "r": 270})

    def draw(self, document: Inquiry, look: Look) -> None:
        """Move the traces to an inquiry, whole or on its way."""
        self.look = look
        said = rows(document)
        self._names = {plain(row.voter): row.voter for row in said}
        spoken = [row for row in said if row.chance is not None]
        self._draw_votes(spoken)
        self._draw_silent([row for row in said if row.abstained])
        layout = self.figure.layout
        layout.height = len(said) * ROW_PX + AROUND_PX
        layout.yaxis.update(
            type="category", categoryorder="array", categoryarray=list(self._names)[::-1], range=[-0.6, len(said) - 0.4]
        )
        layout.xaxis.title.text = f"P({side(document)}), bars begin at even odds"
        layout.shapes = self._lines(document)
        layout.annotations = [_beside(row) for row in said if row.chance is not None or row.abstained]
        self._entitle(document, spoken)

    def wipe(self) -> None:
        """Take off the votes of an answer that did not come."""
        for trace in self.figure.data:
            trace.update(x=[], y=[])
        self.figure.layout.update(title=None, annotations=[], shapes=[])

    def _draw_votes(self, said: list[Said]) -> None:
        marks = [DIRECTIONS.get(row.direction, UNKNOWN) for row in said]
        colours = [self.look.quiet if place is None else self.look.colour(place) for place, _ in marks]
        sizes = [LIGHT_PX * row.weight**0.5 for row in said]
        x, y = [row.chance for row in said], [plain(row.voter) for row in said]
        self._stems.update(
            x=[at for chance in x for at in (EVEN, chance, None)],
            y=[at for name in y for at in (name, name, None)],
            line={"color": self.look.grid, "width": 4},
        )
        self._marks.update(
            x=x,
            y=y,
            customdata=[_label(row) for row in said],
            marker={"size": sizes, "color": colours, "symbol": [symbol for _, symbol in marks], "opacity": 1},
        )
        ringed = [place for place, row in enumerate(said) if row.pivotal]
        self._rings.update(
            x=[x[place] for place in ringed],
            y=[y[place] for place in ringed],
            marker={
                "size": [sizes[place] + RING for place in ringed],
                "symbol": "circle-open",
                "color": self.look.ink,
                "line": {"width": 2},
            },
        )

    def _draw_silent(self, silent: list[Said]) -> None:
        self._silent.update(
            x=[EVEN] * len(silent),
            y=[plain(row.voter) for row in silent],
            customdata=[f"abstained: {plain(row.abstained)}" for row in silent],
            marker={"size": LIGHT_PX, "symbol": "circle-open", "color": self.look.quiet, "line": {"width": 2}},
        )

    def _lines(self, document: Inquiry) -> list[dict[str, Any]]:
        """Even odds, and the consensus once there is one."""
        line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
        lines = [{**line, "x0": EVEN, "x1": EVEN, "line": {"color": self.look.quiet, "width": 1}}]
        if document["consensus"]:
            at = chance_of(document)
            lines.append({**line, "x0": at, "x1": at, "line": {"color": self.look.ink, "width": 2, "dash": "dash"}})
        return lines

    def _entitle(self, document: Inquiry, spoken: list[Said]) -> None:
        heard_, of = count(document)
        if document["consensus"] is None:
            title, told = f"{heard_} of {of} have voted", "the weights come with the consensus"
        else:
            pivotal = [plain(row.voter) for row in spoken if row.pivotal]
            decided = f"○ pivotal: {', '.join(pivotal)}" if pivotal else "nobody is pivotal"
            title = verdict(document)
            told = f"{decided} · n {len(spoken)} votes · {world(document)} · times UTC"
        meant = _short(document["understood"]["canonical"], LONGEST)
        shapes = "▲ bullish ▼ bearish ● neutral · size: weight · dashed: the consensus"
        self.figure.layout.title = {"text": title, "subtitle": {"text": f"{plain(meant)}<br>{told}<br>{shapes}"}}


def _beside(row: Said) -> dict[str, Any]:
    """What a row says, right of the chart, where nothing is drawn."""
    text = plain(_short(f"abstained: {row.abstained}", SHORTEST)) if row.abstained else _label(row)
    at = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": 12, "y": plain(row.voter), "showarrow": False}
    return {**at, "text": text}


def _label(row: Said) -> str:
    unknown = "" if row.direction in DIRECTIONS else f" · {plain(str(row.direction))}"
    return f"{row.chance:.1f} % · weight {row.weight:.2f}{' · pivotal' if row.pivotal else ''}{unknown}"


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
