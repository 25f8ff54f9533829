"""How panels look, light and dark: neither JupyterLab's theme nor Voila's reaches a figure, so it is an argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go

Theme = Literal["light", "dark"]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
SIZE = 13
# Told apart by the colour-blind, on white and on the dark paper below.
COLOURS = ("#0072B2", "#B88000", "#008A63", "#C0609A", "#8A3B12", "#4B9CD3")
ON_DARK = ("#56A8E0", "#E0A93B", "#35BE92", "#E08BBF", "#D08A5C", "#9CCBEF")


@dataclass(frozen=True, slots=True)
class Look:
    """The colours of a theme: `paper` behind all, `ink` for words, `quiet` for less, `alarm` for faults."""

    paper: str
    ink: str
    quiet: str
    grid: str
    alarm: str
    colours: tuple[str, ...]

    def colour(self, place: int) -> str:
        """The colour of the curve in a place; the seventh begins again."""
        return self.colours[place % len(self.colours)]


LOOKS: dict[Theme, Look] = {
    "light": Look("#ffffff", "#1b1f24", "#57606a", "#e3e8ee", "#b3261e", COLOURS),
    "dark": Look("#15191f", "#e6edf3", "#9aa7b4", "#2b323b", "#ff8a80", ON_DARK),
}


def look(theme: Theme) -> Look:
    """The colours of a theme; raises ValueError that names the themes there are."""
    if theme not in LOOKS:
        raise ValueError(f"theme is {' or '.join(LOOKS)}, not {theme!r}")
    return LOOKS[theme]


def template(theme: Theme) -> go.layout.Template:
    """What every figure of a theme begins with."""
    told = look(theme)
    axis = {"gridcolor": told.grid, "linecolor": told.grid, "zerolinecolor": told.quiet, "zerolinewidth": 1}
    axis |= {"automargin": True, "ticks": "", "title": {"standoff": 8}}
    return go.layout.Template(
        layout={
            "paper_bgcolor": told.paper,
            "plot_bgcolor": told.paper,
            "font": {"family": FONT, "size": SIZE, "color": told.ink},
            "colorway": list(told.colours),
            "title": {"x": 0, "xref": "paper", "y": 0.98, "yanchor": "top", "font": {"size": 17}},
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"bgcolor": told.paper, "bordercolor": told.quiet, "font": {"color": told.ink}},
            "legend": {"bgcolor": "rgba(0,0,0,0)"},
            "margin": {"l": 60, "r": 110, "t": 76, "b": 50},
        }
    )


def style(theme: Theme) -> str:
    """The same look for what surrounds a figure, as a style sheet of the class `ninefold-THEME`."""
    told, box = look(theme), f".ninefold-{theme}"
    field = "input, select, textarea, .jupyter-button"
    return (
        "<style>"
        f"{box} {{ background: {told.paper}; color: {told.ink}; font-family: {FONT}; padding: 8px 12px; "
        "border-radius: 6px; }"
        f"{box} .widget-label, {box} .widget-html-content, {box} .widget-readout {{ color: {told.ink}; }}"
        f"{box} :is({field}) {{ border: 1px solid {told.grid}; color: {told.ink} !important; "
        f"background-color: {told.paper} !important; }}"
        f"{box} .jupyter-button.mod-active {{ background-color: {told.colour(0)} !important; "
        f"color: {told.paper} !important; }}"
        f"{box} .quiet {{ color: {told.quiet}; }} {box} .alarm {{ color: {told.alarm}; }}"
        f"{box} table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}"
        f"{box} :is(td, th) {{ padding: 2px 10px 2px 0; text-align: left; border-bottom: 1px solid {told.grid}; }}"
        f"{box} :is(td, th).number {{ text-align: right; }}"
        "</style>"
    )
