"""The parts of the Brier scores of the AI and of the market (Murphy 1973), as a table."""

from __future__ import annotations

from notebooks.widgets.base.html_tables import grid
from notebooks.widgets.base.wording import Document, number

FORECASTERS = {"ai": "AI", "market": "market"}
PARTS = {
    "miscalibration": "miscalibration (lower is better)",
    "discrimination": "discrimination (higher is better)",
    "uncertainty": "uncertainty of the outcomes (the same for both)",
}


def decomposition(book: Document) -> str:
    """The parts of both scores, as HTML; empty with too few markets for a calibration."""
    calibration = book["calibration"]
    if not all(calibration.values()):
        return ""
    rows = [("Brier score", *(_brier(book[name]) for name in FORECASTERS))]
    rows += [(label, *(f"{calibration[name][part]:.4f}" for name in FORECASTERS)) for part, label in PARTS.items()]
    return grid("Brier score = miscalibration − discrimination + uncertainty", ("", *FORECASTERS.values()), rows)


def _brier(scores: Document) -> str:
    """A score with its interval and the number of markets."""
    if scores["brier_low"] is None:
        return f"{scores['brier']:.4f}, n {scores['n']:,}"
    low, high = (number(scores[name], ".4f") for name in ("brier_low", "brier_high"))
    return f"{scores['brier']:.4f} [{low}, {high}], n {scores['n']:,}"
