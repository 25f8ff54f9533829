"""Rows of a chart, each with a probability as a mark on a stem that starts at 50%."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from notebooks.widgets.base.theme import Palette

MIDDLE = 50.0
# Index of the colour and symbol, so that either is enough; None is quiet.
DIRECTIONS = {"BULLISH": (0, "triangle-up"), "BEARISH": (1, "triangle-down"), "NEUTRAL": (None, "circle")}
UNKNOWN = (3, "x")


def direction_mark(direction: str | None, palette: Palette) -> tuple[str, str]:
    """The colour and the symbol of a direction; an unknown direction stands out."""
    index, symbol = UNKNOWN if direction is None else DIRECTIONS.get(direction, UNKNOWN)
    return palette.colour(index), symbol


def draw_stems(trace: go.Scatter, rows: Sequence[str], percentages: Sequence[float], palette: Palette) -> None:
    """Draw a line in each row from 50% to its percentage; one trace with gaps holds them all."""
    trace.update(
        x=[x for percentage in percentages for x in (MIDDLE, percentage, None)],
        y=[y for row in rows for y in (row, row, None)],
        line={"color": palette.grid, "width": 4},
    )


def row_label(row: str, text: str) -> dict[str, Any]:
    """The annotation of a row, to the right of the chart where nothing is drawn."""
    return {
        "xref": "paper",
        "x": 1,
        "xanchor": "left",
        "xshift": 12,
        "yref": "y",
        "y": row,
        "showarrow": False,
        "text": text,
    }


def category_axis(rows: Sequence[str]) -> dict[str, Any]:
    """The vertical axis with the rows from the top down."""
    return {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(rows)[::-1],
        "range": [-0.6, len(rows) - 0.4],
    }
