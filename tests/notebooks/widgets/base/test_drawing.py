"""What panels draw with: figures, curves, forest plots, tables, themes and words."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output

from notebooks.widgets.base.curves import CurveEnd, drawdowns_pct, instants, labels, spread
from notebooks.widgets.base.figure import Figure, static_view
from notebooks.widgets.base.forest import forest_plot
from notebooks.widgets.base.html_tables import Fact, grid, table
from notebooks.widgets.base.theme import PALETTES, Theme, palette_of, style
from notebooks.widgets.base.wording import duration, escaped, price, provenance, shortened
from tests.notebooks.conftest import click

GAPS = st.floats(0.01, 1e3)
TABLE = pd.DataFrame(
    {"difference": [0.1, -0.3, -0.2], "low": [-0.1, -0.4, -0.5], "high": [0.3, -0.1, 0.1], "n": [9, 9, 9]},
    index=["vol", "news", "trend"],
)
NOW = datetime(2026, 11, 21, 8, 2, tzinfo=UTC)
DOCUMENT = {"world": "live", "as_of": "2026-11-21T05:00:00Z", "stale_after": "2026-11-21T08:02:00Z"}


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


def test_a_page_that_opens_later_has_the_last_numbers(figure):
    for numbers in ([1.0, 2.0], [5.0]):
        with figure.changing():
            figure.data[0].y = numbers
            figure.layout.title.text = f"{len(numbers)} points"
        content = json.loads(figure.widget.content)
        assert content["data"][0]["y"] == numbers
        assert content["layout"]["title"]["text"] == f"{len(numbers)} points"


def test_all_changes_are_sent_at_once(figure):
    """After an error the last chart stays: a half-changed figure is not drawn."""
    before = figure.widget.content
    with figure.changing():
        figure.data[0].y = [1.0]
        assert figure.widget.content == before
    assert figure.widget.content != before
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
    """Not plotly's drawing, which loads its script from elsewhere. anywidget needs a small script."""
    with figure.changing():
        figure.layout.title = {"text": "the pool is better"}
    InteractiveShell.instance()
    with capture_output() as capture:
        display(figure)
    InteractiveShell.clear_instance()
    (output,) = capture.outputs
    assert output.data["application/vnd.jupyter.widget-view+json"]["model_id"] == figure.widget.model_id
    assert "<b>the pool is better</b>" in output.data["text/html"]
    assert len(figure.widget._esm) < 5_000
    assert len(figure.widget.plotly) > 1_000_000


def test_a_page_contains_plotly_and_loads_nothing(figure):
    """Its title is escaped, and no chart offers to upload its data."""
    page = figure.page("<img src=x> & more")
    document = ParsedPage(page)
    assert document.addresses == []
    assert document.tags.count("script") >= 2
    assert "link" not in document.tags
    assert len(page) > 3_000_000
    assert figure.widget.config["showSendToCloud"] is False
    assert '"showSendToCloud": false' in page
    assert "<title>&lt;img src=x&gt; &amp; more</title>" in page
    assert "img" not in document.tags


def test_the_conclusion_is_html_and_plain_text():
    """Escaped characters stay escaped in HTML and are themselves in plain text; long data are shown in part."""
    title = go.layout.Title(text="A &lt; B", subtitle={"text": '<span style="color:red">●</span> n 7<br>UTC'})
    view = static_view(title, '<span class="quiet">LIVE</span>', None)
    assert view["text/plain"] == "A < B\n● n 7\nUTC\nLIVE"
    assert view["text/html"].startswith("<div><b>A &lt; B</b><br>")
    view = static_view(go.layout.Title(text="title"), "", pd.DataFrame({"p": range(1_000), "q": ["<i>"] * 1_000}))
    assert view["text/html"].count("<tr>") < 15
    assert "1000 rows" in view["text/html"]
    assert "<i>" not in view["text/html"]
    assert static_view(go.layout.Title(), "status", pd.DataFrame()) == {}


@given(st.lists(st.floats(-1e6, 1e6), max_size=12).map(sorted), GAPS)
def test_labels_keep_their_gap_and_their_order(heights, gap):
    positions = spread(heights, gap)
    assert len(positions) == len(heights)
    assert all(np.diff(positions) >= gap - 1e-6)


@given(st.integers(1, 12), GAPS)
def test_labels_with_room_stay_at_their_curves(count, gap):
    heights = [gap * 1.01 * place for place in range(count)]
    assert spread(heights, gap) == pytest.approx(heights)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(1, 100))
def test_overlapping_labels_are_centred_on_their_curves(heights, gap):
    heights.sort()
    assert np.mean(spread(heights, gap)) == pytest.approx(np.mean(heights))


def test_a_label_has_the_text_and_the_colour_of_its_curve():
    """Its height is a part of the axis, which stays when the reader zooms; without a range it is in the middle."""
    ends = [CurveEnd(5, "high", "red"), CurveEnd(1, "low", "blue")]
    notes = labels(ends, np.array([0.0, 1.0, 5.0, 10.0]), gap=0.1, axes="2")
    fields = [(note["text"], note["y"], note["font"]["color"]) for note in notes]
    assert fields == [("low", pytest.approx(0.14), "blue"), ("high", pytest.approx(0.5), "red")]
    (annotation,) = labels([CurveEnd(5, "only", "red")], np.array([5.0, 5.0]), gap=0.1)
    assert (annotation["y"], annotation["yref"], annotation["xref"]) == (0.5, "y domain", "paper")


def test_a_drawdown_is_the_decline_from_the_highest_value():
    """Instants are UTC without a zone, as plotly draws them."""
    assert drawdowns_pct(np.array([100.0, 200.0, 150.0, 250.0])) == pytest.approx([0, 0, -25, 0])
    assert instants([{"time": "2026-11-21T08:00:00Z"}])[0] == datetime(2026, 11, 21, 8)
    assert len(instants([])) == 0


def test_a_forest_plot_has_the_lowest_difference_on_top():
    """The vertical axis of plotly starts at the bottom; a filled mark has an interval that excludes zero."""
    (marks,), palette = forest_plot(TABLE, title="Differences", subtitle="n 9").data, PALETTES["light"]
    assert (list(marks.y), list(marks.x)) == (["vol", "trend", "news"], [0.1, -0.2, -0.3])
    assert list(marks.marker.color) == [palette.paper, palette.paper, palette.colour(0)]
    layout = forest_plot(TABLE, title="Differences", subtitle="n 9", theme="dark").layout
    assert (layout.title.text, layout.title.subtitle.text) == ("Differences", "n 9")
    assert [(line.x0, line.x1) for line in layout.shapes] == [(0, 0)]


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (Fact("n", 1234), "1,234"),
        (Fact("gain", 1.5, "%", is_change=True), "+1.5%"),
        (Fact("gain", -1234.5, " USD", is_change=True), "−1,234.50 USD"),
        (Fact("win rate", 56.7, "%"), "56.7%"),
        (Fact("rank", None), "–"),
    ],
)
def test_a_number_has_separators_a_unit_and_its_sign(fact: Fact, text: str):
    """The sign only where it is a change; a dash where the value is missing."""
    assert f'<td class="number">{text}</td>' in table("facts", [fact])


def test_texts_are_escaped():
    """Without rows there is no table."""
    assert "<i>" not in table("<i>", [Fact("<i>", "<i>")]) + grid("<i>", ["<i>"], [["<i>"]])
    assert table("facts", []) == grid("facts", ["name"], []) == ""


BOTH_THEMES = pytest.mark.parametrize("theme", PALETTES)


def luminance(colour: str) -> float:
    """The relative luminance by WCAG 2.1."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@BOTH_THEMES
def test_every_colour_of_text_can_be_read_on_the_paper(theme: Theme):
    """Labels have the colours of their curves, so these need the contrast of text too."""
    palette = PALETTES[theme]
    inks = (palette.ink, palette.quiet, palette.alarm, *palette.colours)
    assert min(contrast(colour, palette.paper) for colour in inks) >= 4.5
    with pytest.raises(ValueError, match="theme is light or dark, not 'sepia'"):
        palette_of("sepia")


@BOTH_THEMES
def test_the_style_sheet_is_for_one_panel_alone(theme: Theme):
    """Two panels may have two themes, also in the arrow of a select, and each says it has no kernel."""
    sheet = re.sub(r":is\([^)]*\)", "", style(theme).removeprefix("<style>").removesuffix("</style>"))
    selectors = [selector for rule in sheet.split("}") if "{" in rule for selector in rule.partition("{")[0].split(",")]
    assert selectors
    assert all(selector.strip().startswith(f".ninefold-{theme}") for selector in selectors)
    (arrow,) = re.findall(r"--jp-widgets-dropdown-arrow: url\(\"data:image/svg\+xml,(.+?)\"\)", style(theme))
    assert f"fill='{PALETTES[theme].ink}'" in unquote(arrow)
    rule = f".ninefold-{theme}.jupyter-widgets-disconnected::before {{ content: 'This panel has no kernel"
    assert rule in style(theme)
    assert f".ninefold-{theme} .jupyter-widgets-disconnected::before {{ content: none; }}" in style(theme)


def test_a_document_is_stale_after_its_instant():
    """Not at the instant itself, and a replay, which is of the past, never; an unknown world keeps its name."""
    assert provenance(DOCUMENT, NOW) == "live prices · as of 2026-11-21 05:00 UTC"
    assert provenance(DOCUMENT, NOW + timedelta(seconds=1)).endswith(" · STALE: no update for 3 h")
    assert "STALE" not in provenance({**DOCUMENT, "world": "replay"}, NOW + timedelta(days=900))
    assert provenance({**DOCUMENT, "world": "mars"}, NOW).startswith("mars · ")


def test_a_text_has_its_length_and_a_number_its_digits():
    """A duration is in its largest whole unit; plotly would show an escaped quotation mark."""
    durations = [timedelta(minutes=119), timedelta(hours=47), timedelta(hours=49)]
    assert [duration(length) for length in durations] == ["119 min", "47 h", "2 days"]
    texts = {53_035.65: "53,036", 999.994: "999.99", 1.0: "1.00", 0.36: "0.3600", 0.0123456: "0.01235"}
    assert {usd: price(usd) for usd in texts} == texts
    assert (shortened("12345", 5), shortened("123456", 5)) == ("12345", "1234…")
    assert escaped("<b>'a' & \"b\"") == "&lt;b&gt;'a' &amp; \"b\""
