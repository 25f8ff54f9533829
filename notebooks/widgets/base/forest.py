"""A forest plot: differences with their intervals in rows, and a line at no difference."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.theme import Theme, palette_of, template

ROW_PX, TOP_PX, BOTTOM_PX = 30, 90, 50
HOVER = "%{y}: %{x:.5f} [%{customdata[0]:.5f}, %{customdata[1]:.5f}], n %{customdata[2]:,}<extra></extra>"


def forest_plot(table: pd.DataFrame, *, title: str, subtitle: str, theme: Theme = "light") -> Figure:
    """Differences with their intervals, the lowest on top; a filled mark has an interval that excludes zero.

    Parameters
    ----------
    table : one row per mark, labelled by the index, with the columns `difference`, `low` and `high` (ends of its
        interval, in the same unit) and `n`
    """
    rows, palette = table.sort_values("difference", ascending=False), palette_of(theme)
    excludes_zero = (rows["low"] > 0) | (rows["high"] < 0)
    layout = {
        "height": TOP_PX + BOTTOM_PX + ROW_PX * max(len(rows), 1),
        "margin": {"t": TOP_PX, "b": BOTTOM_PX, "r": 30},
    }
    figure = Figure(layout={"template": template(theme), "showlegend": False, **layout})
    figure.add_scatter(
        x=rows["difference"],
        y=rows.index,
        mode="markers",
        error_x={
            "array": rows["high"] - rows["difference"],
            "arrayminus": rows["difference"] - rows["low"],
            "color": palette.colour(0),
            "thickness": 1.5,
            "width": 0,
        },
        marker={
            "size": 10,
            "color": [palette.colour(0) if is_clear else palette.paper for is_clear in excludes_zero],
            "line": {"color": palette.colour(0), "width": 2},
        },
        customdata=rows[["low", "high", "n"]],
        hovertemplate=HOVER,
    )
    figure.add_vline(0, line={"color": palette.quiet, "width": 1})
    with figure.changing():
        figure.layout.title = {"text": title, "subtitle": {"text": subtitle}}
    return figure
