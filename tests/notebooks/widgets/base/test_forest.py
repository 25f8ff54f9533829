"""A forest plot of differences with their intervals."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.base.forest import forest_plot
from notebooks.widgets.base.theme import PALETTES

TABLE = pd.DataFrame(
    {"difference": [0.1, -0.3, -0.2], "low": [-0.1, -0.4, -0.5], "high": [0.3, -0.1, 0.1], "n": [9, 9, 9]},
    index=["vol", "news", "trend"],
)


def test_the_lowest_difference_is_on_top():
    """The vertical axis of plotly starts at the bottom."""
    (marks,) = forest_plot(TABLE, title="Differences", subtitle="n 9").data
    assert list(marks.y) == ["vol", "trend", "news"]
    assert list(marks.x) == [0.1, -0.2, -0.3]


def test_a_filled_mark_has_an_interval_that_excludes_zero():
    (marks,) = forest_plot(TABLE, title="Differences", subtitle="n 9").data
    palette = PALETTES["light"]
    assert list(marks.marker.color) == [palette.paper, palette.paper, palette.colour(0)]


def test_the_plot_has_its_title_and_a_line_at_zero():
    layout = forest_plot(TABLE, title="Differences", subtitle="n 9", theme="dark").layout
    assert (layout.title.text, layout.title.subtitle.text) == ("Differences", "n 9")
    assert [(line.x0, line.x1) for line in layout.shapes] == [(0, 0)]
