"""The light and dark themes of panels: palettes, the template of figures, the style of what is around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import plotly.graph_objects as go

Theme = Literal["light", "dark"]
LOST = "This panel has no kernel: it shows what was drawn last. In a notebook, run its cell again."
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
SIZE, TITLE, SUBTITLE = 13, 17, 12  # pixels
# Colour-blind safe, with a contrast of at least 4.5 to the paper below: labels have the colours of their curves.
COLOURS = ("#0072B2", "#946600", "#00795A", "#B04A89", "#8A3B12", "#2B3A8F")
ON_DARK = ("#56A8E0", "#E0A93B", "#35BE92", "#E08BBF", "#D08A5C", "#9CCBEF")


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme: `paper` is the background, `ink` the text, `quiet` minor text, `alarm` for errors."""

    paper: str
    ink: str
    quiet: str
    grid: str
    alarm: str
    colours: tuple[str, ...]

    def colour(self, index: int | None) -> str:
        """The colour of the curve with an index; after the last colour they repeat. `quiet` for None."""
        return self.quiet if index is None else self.colours[index % len(self.colours)]


PALETTES: dict[Theme, Palette] = {
    "light": Palette("#ffffff", "#1b1f24", "#57606a", "#e3e8ee", "#b3261e", COLOURS),
    "dark": Palette("#15191f", "#e6edf3", "#9aa7b4", "#2b323b", "#ff8a80", ON_DARK),
}


def palette_of(theme: Theme) -> Palette:
    """The palette of a theme; ValueError names the themes that exist."""
    if theme not in PALETTES:
        raise ValueError(f"theme is {' or '.join(PALETTES)}, not {theme!r}")
    return PALETTES[theme]


def template(theme: Theme) -> go.layout.Template:
    """The plotly template of every figure in a theme."""
    palette = palette_of(theme)
    axis = {"gridcolor": palette.grid, "linecolor": palette.grid, "zerolinecolor": palette.quiet, "zerolinewidth": 1}
    axis |= {"automargin": True, "ticks": "", "title": {"standoff": 8, "font": {"size": SIZE}}}
    return go.layout.Template(
        layout={
            "paper_bgcolor": palette.paper,
            "plot_bgcolor": palette.paper,
            "font": {"family": FONT, "size": SIZE, "color": palette.ink},
            "colorway": list(palette.colours),
            "title": {
                "x": 0,
                "xref": "container",
                "pad": {"l": 4},
                "y": 0.98,
                "yanchor": "top",
                "font": {"size": TITLE},
                "subtitle": {"font": {"size": SUBTITLE}},
            },
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"bgcolor": palette.paper, "bordercolor": palette.quiet, "font": {"color": palette.ink}},
            "legend": {"bgcolor": "rgba(0,0,0,0)"},
            "modebar": {"bgcolor": palette.paper, "color": palette.quiet, "activecolor": palette.ink},
            "margin": {"l": 60, "r": 110, "t": 76, "b": 50},
        }
    )


def style(theme: Theme) -> str:
    """The style sheet of the controls and tables around a figure, for the class `ninefold-THEME`."""
    palette, box = palette_of(theme), f".ninefold-{theme}"
    field = "input, select, textarea, .jupyter-button"
    return (
        "<style>"
        f"{box} {{ background: {palette.paper}; color: {palette.ink}; font-family: {FONT}; padding: 8px 12px; "
        f"border-radius: 6px; --jp-widgets-dropdown-arrow: {_arrow(palette.ink)}; }}"
        f"{box} .widget-label, {box} .widget-html-content, {box} .widget-readout {{ color: {palette.ink}; }}"
        f"{box} :is({field}) {{ border: 1px solid {palette.grid}; color: {palette.ink} !important; "
        f"background-color: {palette.paper} !important; }}"
        f"{box} .jupyter-button.mod-active {{ background-color: {palette.grid} !important; "
        f"border-color: {palette.quiet}; box-shadow: none; }}"
        # JupyterLab marks the widgets of a kernel that restarted or died; without a word the panel would look alive.
        f"{box}.jupyter-widgets-disconnected::before {{ content: {LOST!r}; color: {palette.alarm}; font: 14px {FONT}; "
        f"width: auto; }} {box} .jupyter-widgets-disconnected::before {{ content: none; }}"
        f"{box} .quiet {{ color: {palette.quiet}; }} {box} .alarm {{ color: {palette.alarm}; }}"
        f"{box} .widget-html-content {{ min-width: 0; }}"  # or a wide table would widen the panel instead of scrolling
        f"{box} table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}"
        f"{box} :is(td, th) {{ padding: 2px 10px 2px 0; text-align: left; border-bottom: 1px solid {palette.grid}; }}"
        f"{box} :is(td, th).number {{ text-align: right; }}"
        "</style>"
    )


def _arrow(colour: str) -> str:
    """The arrow of a select, whose colour a page can set through an image only."""
    path = f"<path fill='{colour}' d='M4 7l5 5 5-5z'/>"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'>{path}</svg>"
    return f'url("data:image/svg+xml,{quote(svg)}")'
