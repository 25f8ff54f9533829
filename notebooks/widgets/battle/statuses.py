"""The strip of statuses below the curves of the lanes: a row per lane, and the key of its colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import LEGEND_GAP, Document, escaped, unbroken

# Each status with its place on the colour scale; an unknown one is drawn in the colour of faults.
STATUSES = {"waiting": 0, "in_market": 1, "in_lp": 1, "harvesting": 2, "switching": 3}
KEY = {0: "waiting", 1: "invested", 2: "harvesting", 3: "switching"}
UNKNOWN = 4


class StatusStrip:
    """The strip in a figure, on the vertical axis with the number `axes`."""

    def __init__(self, figure: Figure, axes: str) -> None:
        figure.add_heatmap(
            yaxis=f"y{axes}", zmin=0, zmax=UNKNOWN, showscale=False, ygap=3, hovertemplate="%{text}<extra>%{y}</extra>"
        )
        self.trace, self._axes = figure.traces[-1], axes
        figure.layout[f"yaxis{axes}"].update(
            autorange="reversed", showgrid=False, dtick=1, ticksuffix=" ", type="category"
        )

    def draw(self, shown: Sequence[Document], times: Mapping[str, pd.DatetimeIndex], palette: Palette) -> None:
        """Draw the statuses of the lanes, one row each; `times` are the instants of their points, by name of lane."""
        rows = [pd.Series([point["status"] for point in lane["points"]], times[lane["name"]]) for lane in shown]
        table = pd.concat(rows, axis=1) if rows else pd.DataFrame()
        cells = table.to_numpy(object, na_value="").T
        codes, statuses = pd.factorize(cells.ravel())
        # Arrays, because plotly checks every element of a list.
        shades = np.array([STATUSES.get(status, UNKNOWN) if status else np.nan for status in statuses], float)
        texts = np.array([escaped(status) for status in statuses], object)
        colours = [*_colours(palette).values(), palette.alarm]
        self.trace.update(
            x=table.index,
            y=[escaped(lane["name"]) for lane in shown],
            z=shades[codes].reshape(cells.shape),
            text=texts[codes].reshape(cells.shape),
            colorscale=[[place / UNKNOWN, colour] for place, colour in enumerate(colours)],
        )

    def key(self, shown: Sequence[Document], palette: Palette) -> list[dict[str, Any]]:
        """The annotation above the strip that explains its colours."""
        if not shown:
            return []
        words = [
            f'<span style="color:{colour}">■</span>{unbroken(f" {KEY[place]}")}'
            for place, colour in _colours(palette).items()
        ]
        place = {"xref": "paper", "x": 0, "yref": f"y{self._axes} domain", "y": 1, "yanchor": "bottom"}
        return [{**place, "showarrow": False, "text": LEGEND_GAP.join(words), "font": {"size": 12}}]


def _colours(palette: Palette) -> dict[int, str]:
    """The colour of each place on the scale."""
    return {0: palette.grid, 1: palette.quiet, 2: palette.colour(2), 3: palette.colour(1)}
