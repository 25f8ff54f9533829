"""The themes: every colour can be read on its paper, and the style reaches its own panel alone."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from notebooks.widgets.base.theme import PALETTES, Theme, palette_of, style

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


def test_an_unknown_theme_is_refused_with_those_that_exist():
    with pytest.raises(ValueError, match="theme is light or dark, not 'sepia'"):
        palette_of("sepia")


@BOTH_THEMES
def test_the_style_sheet_is_for_one_panel_alone(theme: Theme):
    """Two panels of one notebook may have two themes; every rule begins with the class of its own."""
    sheet = re.sub(r":is\([^)]*\)", "", style(theme).removeprefix("<style>").removesuffix("</style>"))
    selectors = [selector for rule in sheet.split("}") if "{" in rule for selector in rule.partition("{")[0].split(",")]
    assert selectors
    assert all(selector.strip().startswith(f".ninefold-{theme}") for selector in selectors)


@BOTH_THEMES
def test_the_arrow_of_a_select_has_the_colour_of_text(theme: Theme):
    """Pages draw it as an image, which no other colour of the style sheet reaches."""
    (arrow,) = re.findall(r"--jp-widgets-dropdown-arrow: url\(\"data:image/svg\+xml,(.+?)\"\)", style(theme))
    assert f"fill='{PALETTES[theme].ink}'" in unquote(arrow)


@pytest.mark.parametrize("theme", PALETTES)
def test_a_lost_kernel_is_said_in_the_panel(theme):
    """JupyterLab gives its widgets a class; the panel says it once, not each of its controls."""
    rule = f".ninefold-{theme}.jupyter-widgets-disconnected::before {{ content: 'This panel has no kernel"
    assert rule in style(theme)
    assert f".ninefold-{theme} .jupyter-widgets-disconnected::before {{ content: none; }}" in style(theme)
