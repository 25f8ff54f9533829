"""Charts: photos a phone can read, of any document the service may give, also from several threads at once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bot import charts
from bot.charts import paper
from service.api import examples
from tests.bot import documents
from tests.bot.documents import told

BATTLE = told(examples.BATTLE)
DRAWN: dict[str, Callable[[], bytes]] = {
    "lanes": lambda: charts.lanes(documents.history(), BATTLE),
    "lane": lambda: charts.lane(documents.history(), BATTLE, "breakout"),
    "strategy": lambda: charts.strategy(documents.strategy()),
    "accuracy": lambda: charts.accuracy(documents.versus()),
    "fund": lambda: charts.fund(documents.fund()),
}
EMPTY: dict[str, Callable[[], bytes]] = {
    "lanes": lambda: charts.lanes(documents.history() | {"lanes": []}, BATTLE),
    "lane": lambda: charts.lane(documents.history(), BATTLE, "moon"),
    "strategy": lambda: charts.strategy(documents.strategy(0)),
    "accuracy": lambda: charts.accuracy({**documents.versus(), "books": documents.versus()["books"][:1]}),
    "fund": lambda: charts.fund(documents.fund(0)),
}


class Sheet(NamedTuple):
    """A chart: its figure, what was written on it, and what became of it."""

    figure: Figure
    title: str
    notes: str
    picture: bytes


def sheet_of(draw: Callable[[], bytes]) -> Sheet:
    """Draw, and remember what was on its way to being a PNG."""
    seen: list[Sheet] = []
    png = paper.png

    def remember(figure, title, notes, **more):
        notes = list(notes)
        seen.append(Sheet(figure, title, " · ".join(notes), png(figure, title, notes, **more)))
        return seen[-1].picture

    with pytest.MonkeyPatch.context() as patch:
        for module in (paper, charts.battle, charts.curves, charts.versus):
            patch.setattr(module, "png", remember)
        draw()
    return seen[-1]


@pytest.fixture(scope="module")
def sheets() -> dict[str, Sheet]:
    """Every chart, drawn once."""
    return {name: sheet_of(draw) for name, draw in DRAWN.items()}


def size(picture: bytes) -> tuple[int, int]:
    """Width and height in pixels, from the head of a PNG."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", picture[16:24])


@pytest.mark.parametrize("name", DRAWN)
def test_a_chart_is_a_png_as_wide_as_a_phone(name, sheets):
    """1,080 pixels, and within what Telegram takes as a photo."""
    picture = sheets[name].picture
    width, height = size(picture)
    assert width == 1080
    assert 600 <= height <= 1400
    assert len(picture) < 1_000_000


@pytest.mark.parametrize("name", DRAWN)
def test_every_word_on_a_chart_is_at_least_22_pixels_high(name, sheets):
    for text in sheets[name].figure.findobj(lambda one: hasattr(one, "get_fontsize")):
        if text.get_text():
            assert text.get_fontsize() * paper.DPI / 72 >= 22


@pytest.mark.parametrize("name", DRAWN)
def test_no_word_of_a_chart_is_cut_off(name, sheets):
    """Titles, notes and the labels at the ends of the lines lie on the sheet."""
    sheet = sheets[name]
    width, height = sheet.figure.get_size_inches() * paper.DPI
    renderer = FigureCanvasAgg(sheet.figure).get_renderer()
    written = [*sheet.figure.texts, *(text for axes in sheet.figure.axes for text in axes.texts)]
    for text in written:
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0
        assert box.x1 <= width
        assert box.y0 >= 0
        assert box.y1 <= height


@pytest.mark.parametrize("name", ["lanes", "lane", "strategy", "fund"])
def test_a_chart_of_paper_trading_says_paper_the_market_and_the_time(name, sheets):
    assert sheets[name].notes.startswith("PAPER · SIMULATED market")
    assert sheets[name].notes.endswith("UTC")


def test_the_chart_of_accuracy_states_the_verdict_and_its_n(sheets):
    """Never two bare numbers."""
    sheet = sheets["accuracy"]
    assert sheet.title == "The AI against the market: no clear difference yet"
    assert "backfilled · n = 400 resolved markets" in sheet.notes


def test_the_chart_of_the_lanes_names_the_best(sheets):
    assert sheets["lanes"].title.startswith("lp_chaser leads with +15.1%")


def test_the_curve_of_lanes_that_provide_liquidity_is_dashed(sheets):
    curves = [line for line in sheets["lanes"].figure.axes[0].lines if len(line.get_xdata()) > 10]
    assert [line.get_linestyle() for line in curves] == ["-", "-", "-", "-", "--", "--"]


def test_something_unknown_that_a_lane_did_is_marked_and_named():
    """A kind of event this version does not know is seen, not dropped."""
    history = documents.history()
    history["lanes"][0]["events"][0]["kind"] = "moonwalk"
    assert "□ moonwalk" in sheet_of(lambda: charts.lanes(history, BATTLE)).notes


@pytest.mark.parametrize("name", EMPTY)
def test_without_data_a_chart_says_what_is_missing(name):
    sheet = sheet_of(EMPTY[name])
    width, _ = size(sheet.picture)
    assert width == 1080
    (words,) = sheet.figure.axes[0].texts
    assert words.get_text().endswith(".")


def test_a_curve_of_one_point_can_be_drawn():
    """The first bar of a fresh service."""
    one = documents.history()
    for lane in one["lanes"]:
        lane["points"] = lane["points"][:1]
    drawn = [charts.lanes(one, BATTLE), charts.lane(one, BATTLE), charts.strategy(documents.strategy(1))]
    assert {size(picture)[0] for picture in drawn} == {1080}


def test_the_examples_of_the_docs_can_be_drawn():
    """The documents as the service itself documents them."""
    drawn = [
        charts.lanes(told(examples.BATTLE_HISTORY), BATTLE),
        charts.strategy(told(examples.STRATEGY)),
        charts.fund(told(examples.APEX_FUND)),
        charts.accuracy(told(examples.AI_VS_MARKET)),
    ]
    assert {size(picture)[0] for picture in drawn} == {1080}


def test_a_name_with_dollar_signs_is_no_formula():
    """Read as one it could not be drawn at all."""
    sheet = sheet_of(lambda: charts.strategy(documents.strategy() | {"name": "Buy $low_{ and $high"}))
    assert "Buy $low_{ and $high" in sheet.title
    assert not any(text.get_parse_math() for text in sheet.figure.texts)


def test_charts_of_several_threads_do_not_mix(sheets):
    """Each thread gets the picture it would get alone."""
    with ThreadPoolExecutor(5) as threads:
        together = {name: threads.submit(draw) for name, draw in DRAWN.items()}
    assert all(future.result() == sheets[name].picture for name, future in together.items())


def test_labels_that_would_cover_each_other_are_moved_apart():
    """Each keeps its order and at least the distance."""
    placed = paper.spread([1.0, 1.0, 1.1, 9.0], 2.0)
    assert placed == sorted(placed)
    assert all(above - below >= 1.99 for below, above in pairwise(placed))
    assert placed[-1] == pytest.approx(9.0)


def test_a_long_span_is_dated_by_months_and_a_short_one_by_hours():
    long = sheet_of(lambda: charts.strategy(documents.strategy(700))).figure
    short = sheet_of(lambda: charts.lane(documents.history(1), BATTLE)).figure
    assert any("2026" in label.get_text() for label in long.axes[0].get_xticklabels())
    assert any(":" in label.get_text() for label in short.axes[0].get_xticklabels())


def test_times_are_read_in_utc():
    assert paper.stamp("2026-11-21T08:00:00Z") == "2026-11-21 08:00 UTC"
    assert paper.moment("2026-11-21T08:00:00Z").utcoffset() == datetime.fromisoformat("2026-01-01T00:00Z").utcoffset()
