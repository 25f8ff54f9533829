"""What a leaderboard ranks by, in which colours, and what it comes to in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from notebooks.widgets.theme import Look
from notebooks.widgets.wording import plain

Document = Mapping[str, Any]

CATEGORIES = ("trend", "momentum", "reversion", "breakout", "volatility", "volume")
PLAIN_CATEGORY = "relative"  # the palette has six colours: the seventh is grey
YARDSTICKS = ("buy_and_hold", "coin_flip")  # a coin has a share of wins where holding has no trades


class Metric(NamedTuple):
    """How a metric is called and written, and whether more of it is better."""

    label: str
    form: str
    unit: str = ""
    more_is_better: bool = True


METRICS = {
    "pnl_pct": Metric("gain", "+.1f", " %"),
    "sharpe": Metric("Sharpe ratio", ".2f"),
    "max_drawdown_pct": Metric("deepest fall", ".1f", " %", more_is_better=False),
    "win_rate_pct": Metric("trades won", ".1f", " %"),
}


def ranked(entries: Sequence[Document], metric: str) -> list[Document]:
    """The entries, the best first; those that the metric says nothing of come last."""
    sign = -1 if METRICS[metric].more_is_better else 1
    return sorted(entries, key=lambda entry: (entry[metric] is None, sign * (entry[metric] or 0), entry["rank"]))


def said(value: float | None, metric: str) -> str:
    """A value with its unit; a dash where there is none."""
    return "–" if value is None else f"{value:{METRICS[metric].form}}{METRICS[metric].unit}"


def verdict(board: Document, metric: str) -> str:
    """How many beat the first yardstick that has the metric, in words; without one, who leads."""
    ghosts = {ghost["key"]: ghost for ghost in board["ghosts"] if ghost[metric] is not None}
    yardstick = next((ghosts[key] for key in YARDSTICKS if key in ghosts), None)
    label, entries = METRICS[metric].label, board["entries"]
    if yardstick is None:
        return f"{plain(ranked(entries, metric)[0]['name'])} leads by {label}"
    better = sum(_beats(entry[metric], yardstick[metric], metric) for entry in entries)
    verb = "beats" if better == 1 else "beat"
    against = f"{plain(yardstick['name']).lower()} ({said(yardstick[metric], metric)})"
    return f"{better} of {len(entries)} {verb} {against} by {label}"


def coloured(entries: Sequence[Document], look: Look) -> dict[str, str]:
    """The colour of each category there is; one that is not known stands out."""
    known = {category: look.colour(place) for place, category in enumerate(CATEGORIES)} | {PLAIN_CATEGORY: look.quiet}
    found = dict.fromkeys(entry["category"] for entry in entries)
    return {category: known.get(category, look.alarm) for category in (*known, *found) if category in found}


def legend(colours: Mapping[str, str], lines: int) -> list[dict[str, Any]]:
    """The categories in their colours, above the chart and the `lines` that are written over it."""
    told = [
        f'<span style="color:{colour}">{"■" if _known(category) else "★"} {plain(category)}</span>'
        for category, colour in colours.items()
    ]
    where = {"xref": "paper", "x": 0, "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False}
    return [{**where, "yshift": 18 * lines + 6, "text": "&nbsp; ".join(told)}]


def _known(category: str) -> bool:
    return category in CATEGORIES or category == PLAIN_CATEGORY


def _beats(value: float | None, other: float, metric: str) -> bool:
    if value is None:
        return False
    return value > other if METRICS[metric].more_is_better else value < other
