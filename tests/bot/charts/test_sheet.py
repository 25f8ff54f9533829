"""The layout of all charts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba

from bot.charts import sheet
from bot.charts.sheet import DARK, LIGHT
from tests.bot import documents
from tests.bot.charts.conftest import DRAW, answer, price, record, size


@pytest.mark.parametrize("name", DRAW)
def test_a_chart_is_a_png_as_wide_as_a_phone(name, drawn):
    """It is 1,080 pixels wide and within Telegram's limits of a photo."""
    picture = drawn[name].picture
    width, height = size(picture)
    assert width == 1080
    assert 600 <= height <= 1400
    assert len(picture) < 1_000_000


@pytest.mark.parametrize("name", DRAW)
def test_every_text_is_at_least_27_pixels_high(name, drawn):
    """A phone shows the picture at a third of its size."""
    for text in drawn[name].figure.findobj(lambda artist: hasattr(artist, "get_fontsize")):
        if text.get_text():
            assert text.get_fontsize() * sheet.DPI / 72 >= 27


@pytest.mark.parametrize("name", DRAW)
def test_no_text_is_cut_off(name, drawn):
    """Title, notes and the labels at the line ends lie within the picture."""
    chart = drawn[name]
    width, height = chart.figure.get_size_inches() * sheet.DPI
    renderer = FigureCanvasAgg(chart.figure).get_renderer()
    texts = [*chart.figure.texts, *(text for axes in chart.figure.axes for text in axes.texts)]
    for text in texts:
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0
        assert box.x1 <= width
        assert box.y0 >= 0
        assert box.y1 <= height


def test_dollar_signs_in_a_name_are_not_a_formula():
    """Matplotlib would fail to parse this one."""
    chart = record(lambda: answer(LIGHT, canonical="Buy $low_{ and $high"))
    assert "Buy $low_{ and $high" in chart.subtitle
    assert not any(text.get_parse_math() for text in chart.figure.texts)


def test_a_dark_chart_has_no_light_area():
    """The paper and the plot are dark; every text is light."""
    chart = record(lambda: answer(DARK))
    axes = chart.figure.axes[0]
    assert {chart.figure.get_facecolor(), axes.get_facecolor()} == {to_rgba(DARK.paper)}
    texts = [*chart.figure.texts, *axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
    assert all(_contrast(text.get_color(), DARK.paper) >= 4.5 for text in texts)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_are_seen_against_the_paper(theme):
    """Lines need a contrast of 3 to 1, texts of 4.5 to 1 (WCAG 2.2)."""
    assert all(_contrast(colour, theme.paper) >= 3 for colour in (theme.line, theme.level))
    assert all(_contrast(colour, theme.paper) >= 4.5 for colour in (theme.ink, theme.soft_ink))


def _contrast(colour, paper) -> float:
    first, second = sorted(map(_luminance, (colour, paper)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def _luminance(colour) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgba(colour)[:3]]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_overlapping_labels_are_moved_apart():
    """They keep their order and the minimum distance."""
    positions = sheet.spread([1.0, 1.0, 1.1, 9.0], 2.0)
    assert positions == sorted(positions)
    assert all(above - below >= 1.99 for below, above in pairwise(positions))
    assert positions[-1] == pytest.approx(9.0)


def test_the_date_format_follows_the_time_span():
    long, short = (
        record(lambda hours=hours, period=period: price(period, LIGHT, documents.candles(hours))).figure
        for hours, period in ((24 * 700, "all"), (20, "24h"))
    )
    assert any("2026" in label.get_text() for label in long.axes[0].get_xticklabels())
    assert any(":" in label.get_text() for label in short.axes[0].get_xticklabels())


@pytest.mark.parametrize("name", DRAW)
def test_the_dates_below_a_chart_do_not_overlap(drawn, name):
    """Steps of several days also end a month: the 29th is not followed by the 1st."""
    figure = drawn[name].figure
    axes, renderer = figure.axes[0], FigureCanvasAgg(figure).get_renderer()
    boxes = [label.get_window_extent(renderer) for label in axes.get_xticklabels() if label.get_text()]
    visible_boxes = [box for box in boxes if axes.bbox.x0 <= (box.x0 + box.x1) / 2 <= axes.bbox.x1]
    assert all(box.x1 < following.x0 for box, following in pairwise(visible_boxes))
