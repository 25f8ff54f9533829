"""The metrics of the leaderboard with their formats, the colours of its categories, and its verdict in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import LEGEND_GAP, Document, escaped, number, unbroken

CATEGORIES = ("trend", "momentum", "reversion", "breakout", "volatility", "volume")
GREY_CATEGORY = "relative"  # the seventh category; the palette has six colours
YARDSTICKS = ("buy_and_hold", "coin_flip")  # buy and hold has no trades, so a win rate is compared with a coin flip


class Metric(NamedTuple):
    """The label and the number format of a metric, and whether a higher value is better."""

    label: str
    form: str
    unit: str = ""
    higher_is_better: bool = True


METRICS = {
    "pnl_pct": Metric("gain", "+.1f", "%"),
    "sharpe": Metric("Sharpe ratio", ".2f"),
    "max_drawdown_pct": Metric("maximum drawdown", ".1f", "%", higher_is_better=False),
    "win_rate_pct": Metric("win rate", ".1f", "%"),
}


def ranked(entries: Sequence[Document], metric: str) -> list[Document]:
    """The entries with the best first; entries without the metric come last."""
    sign = -1 if METRICS[metric].higher_is_better else 1
    return sorted(entries, key=lambda entry: (entry[metric] is None, sign * (entry[metric] or 0), entry["rank"]))


def formatted(value: float | None, metric: str) -> str:
    """A value with its unit; a dash for a missing value."""
    return "–" if value is None else f"{number(value, METRICS[metric].form)}{METRICS[metric].unit}"


def verdict(board: Document, metric: str) -> str:
    """How many strategies beat the first yardstick that has the metric; without a yardstick, the leader."""
    ghosts = {ghost["key"]: ghost for ghost in board["ghosts"] if ghost[metric] is not None}
    yardstick = next((ghosts[key] for key in YARDSTICKS if key in ghosts), None)
    label, entries = METRICS[metric].label, board["entries"]
    if yardstick is None:
        return f"{escaped(ranked(entries, metric)[0]['name'])} leads by {label}"
    better = sum(_beats(entry[metric], yardstick[metric], metric) for entry in entries)
    verb = "beats" if better == 1 else "beat"
    reference = f"{escaped(yardstick['name']).lower()} ({formatted(yardstick[metric], metric)})"
    return f"{better} of {len(entries)} {verb} {reference} by {label}"


def category_colours(entries: Sequence[Document], palette: Palette) -> dict[str, str]:
    """The colour of each category among the entries, in a fixed order; an unknown category stands out."""
    present = dict.fromkeys(entry["category"] for entry in entries)
    colours = {category: palette.colour(index) for index, category in enumerate(CATEGORIES)}
    colours[GREY_CATEGORY] = palette.quiet
    return {category: colours.get(category, palette.alarm) for category in (*colours, *present) if category in present}


def legend(colours: Mapping[str, str], lines: int) -> list[dict[str, Any]]:
    """The categories in their colours, above the chart and the `lines` of labels over it."""
    names = [
        f'<span style="color:{colour}">{unbroken(f"{_symbol(category)} {escaped(category)}")}</span>'
        for category, colour in colours.items()
    ]
    place = {"xref": "paper", "x": 0, "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    return [{**place, "yshift": 18 * lines + 6, "text": LEGEND_GAP.join(names)}]


def _symbol(category: str) -> str:
    return "■" if _is_known(category) else "★"


def _is_known(category: str) -> bool:
    return category in CATEGORIES or category == GREY_CATEGORY


def _beats(value: float | None, other: float, metric: str) -> bool:
    if value is None:
        return False
    return value > other if METRICS[metric].higher_is_better else value < other
