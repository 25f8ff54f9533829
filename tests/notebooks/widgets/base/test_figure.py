"""A figure is built once, survives a reload of its page, and sends its data nowhere."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output

from notebooks.widgets.base.figure import Figure, static_view
from tests.notebooks.conftest import click


class ParsedPage(HTMLParser):
    """The tags of a page and the addresses that it loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str | None] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes) -> None:
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "srcset", "data", "action")]


@pytest.fixture
def figure() -> Figure:
    figure = Figure()
    figure.add_scatter()
    return figure


def sent(figure: Figure) -> dict[str, Any]:
    """What a page receives when it opens now."""
    return json.loads(figure.widget.content)


def test_a_page_that_opens_later_has_the_last_numbers(figure):
    for numbers in ([1.0, 2.0], [5.0]):
        with figure.changing():
            figure.data[0].y = numbers
            figure.layout.title.text = f"{len(numbers)} points"
        assert sent(figure)["data"][0]["y"] == numbers
        assert sent(figure)["layout"]["title"]["text"] == f"{len(numbers)} points"


def test_all_changes_are_sent_at_once(figure):
    before = figure.widget.content
    with figure.changing():
        figure.data[0].y = [1.0]
        assert figure.widget.content == before
    assert figure.widget.content != before


def test_after_an_error_the_last_chart_stays(figure):
    """A half-changed figure is not drawn."""
    before = figure.widget.content
    with pytest.raises(ZeroDivisionError), figure.changing():
        figure.data[0].y = [1 / 0]
    assert figure.widget.content == before


def test_a_click_picks_the_id_of_its_point():
    figure, picks = Figure(), []
    first, second = figure.new_scatter(ids=["a", "b"]), figure.new_bar(ids=["c", "d"])
    for trace in (first, second):
        figure.on_pick(trace, picks.append)
    click(first, 1)
    click(second, 0)
    assert picks == ["b", "c"]


def test_a_cell_that_ends_with_a_figure_shows_the_widget(figure):
    """plotly's own drawing would load its script from elsewhere. Pages that draw no widgets show the title."""
    with figure.changing():
        figure.layout.title = {"text": "the pool is better"}
    InteractiveShell.instance()
    with capture_output() as capture:
        display(figure)
    InteractiveShell.clear_instance()
    (output,) = capture.outputs
    assert output.data["application/vnd.jupyter.widget-view+json"]["model_id"] == figure.widget.model_id
    assert "<b>the pool is better</b>" in output.data["text/html"]


def test_a_chart_does_not_offer_to_upload_its_data(figure):
    page = figure.page("a chart")
    assert figure.widget.config["showSendToCloud"] is False
    assert '"showSendToCloud": false' in page


def test_a_page_contains_plotly_and_loads_nothing(figure):
    page = figure.page("a chart")
    document = ParsedPage(page)
    assert document.addresses == []
    assert document.tags.count("script") >= 2
    assert "link" not in document.tags
    assert len(page) > 3_000_000


def test_the_title_of_a_page_is_escaped(figure):
    page = figure.page("<img src=x> & more")
    assert "<title>&lt;img src=x&gt; &amp; more</title>" in page
    assert "img" not in ParsedPage(page).tags


def test_the_script_of_a_chart_is_small(figure):
    """anywidget drops messages to a widget whose script took longer than 2 seconds to load; plotly's has 5 MB."""
    assert len(figure.widget._esm) < 5_000
    assert len(figure.widget.plotly) > 1_000_000


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
