"""The light and dark colours of charts. The curves stay distinguishable for colour-blind readers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChartTheme:
    """`ink` is for the title, `quiet` for other text, `reference` for lines to compare with, `shade` for areas."""

    paper: str
    ink: str
    quiet: str
    grid: str
    reference: str
    shade: str
    colours: tuple[str, ...]

    @property
    def ours(self) -> str:
        return self.colours[0]

    @property
    def theirs(self) -> str:
        return self.colours[1]

    def colour(self, index: int) -> str:
        """The colour of the curve with this index; after the last colour they repeat."""
        return self.colours[index % len(self.colours)]


LIGHT = ChartTheme(
    paper="#ffffff",
    ink="#1b1f24",
    quiet="#57606a",
    grid="#d8dee4",
    reference="#8b949e",
    shade="#f3f5f7",
    colours=("#0072B2", "#B88000", "#008A63", "#C0609A", "#8A3B12", "#4B9CD3"),
)
DARK = ChartTheme(
    paper="#15191f",
    ink="#e6edf3",
    quiet="#9aa7b4",
    grid="#2b323b",
    reference="#6e7a87",
    shade="#1e242c",
    colours=("#56A8E0", "#E0A93B", "#35BE92", "#E08BBF", "#D08A5C", "#B9A3F2"),
)
THEMES = {"light": LIGHT, "dark": DARK}
