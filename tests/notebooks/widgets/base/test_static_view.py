"""What pages without widgets show of a panel."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from notebooks.widgets.base.static_view import static_view


def test_a_figure_without_a_title_has_no_static_view():
    assert static_view(go.layout.Title(), "status", pd.DataFrame()) == {}


def test_the_conclusion_is_html_and_plain_text():
    """Escaped characters stay escaped in HTML and are themselves in plain text."""
    title = go.layout.Title(text="A &lt; B", subtitle={"text": '<span style="color:red">●</span> n 7<br>UTC'})
    view = static_view(title, '<span class="quiet">LIVE</span>', None)
    assert view["text/plain"] == "A < B\n● n 7\nUTC\nLIVE"
    assert view["text/html"].startswith("<div><b>A &lt; B</b><br>")


def test_long_data_are_shown_in_part():
    view = static_view(go.layout.Title(text="title"), "", pd.DataFrame({"p": range(1_000), "q": ["<i>"] * 1_000}))
    assert view["text/html"].count("<tr>") < 15
    assert "1000 rows" in view["text/html"]
    assert "<i>" not in view["text/html"]
