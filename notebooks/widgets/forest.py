"""A forest plot: differences with their intervals under each other, and the line of no difference."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.figure import Figure
from notebooks.widgets.theme import Theme, look, template

HOVER = "%{y}: %{x:.5f} [%{customdata[0]:.5f}, %{customdata[1]:.5f}], n %{customdata[2]:,}<extra></extra>"


def forest_plot(table: pd.DataFrame, *, title: str, subtitle: str, theme: Theme = "light") -> Figure:
    """One row of `table` a line: `difference` with the interval from `low` to `high`, and its `n`; the lowest on top.

    An interval that misses zero is drawn full, one that does not is hollow.
    """
    rows, seen = table.sort_values("difference", ascending=False), look(theme)
    misses = (rows["low"] > 0) | (rows["high"] < 0)
    figure = Figure(layout={"template": template(theme), "height": 110 + 34 * len(rows), "showlegend": False})
    figure.add_scatter(
        x=rows["difference"],
        y=rows.index,
        mode="markers",
        error_x={
            "array": rows["high"] - rows["difference"],
            "arrayminus": rows["difference"] - rows["low"],
            "color": seen.colour(0),
            "thickness": 1.5,
            "width": 0,
        },
        marker={
            "size": 10,
            "color": [seen.colour(0) if miss else seen.paper for miss in misses],
            "line": {"color": seen.colour(0), "width": 2},
        },
        customdata=rows[["low", "high", "n"]],
        hovertemplate=HOVER,
    )
    figure.add_vline(0, line={"color": seen.quiet, "width": 1})
    with figure.changing():
        figure.layout.title = {"text": title, "subtitle": {"text": subtitle}}
    return figure
