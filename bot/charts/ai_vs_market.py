"""The AI against the outside market: the mean error of both over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.charts.sheet import (
    draw_line,
    empty_chart,
    format_time_axis,
    label_ends,
    moments,
    notes,
    png,
    sheet,
)
from bot.charts.theme import ChartTheme

TITLE = "The AI against the market"
TOO_FEW = "not enough resolved markets"
TOO_FEW_YET = "{:,} markets are resolved so far, too few for a comparison. Markets resolve every day at 00:00 UTC."
COIN_FLIP = 0.25
MIN_N = 20  # resolved markets; the mean of fewer varies too much


def accuracy(versus: Mapping[str, Any], theme: ChartTheme) -> bytes:
    """For each day, the mean Brier score of all markets resolved by then; the title is the verdict.

    It shows the live book once that has enough resolved markets, until then the backfilled one.
    """
    books = sorted(versus["books"], key=lambda book: book["backfilled"])
    curves = [(book, _curve(book)) for book in books if book["verdict"] != TOO_FEW]
    book, points = next(((book, points) for book, points in curves if points), (None, []))
    if book is None:
        reason = TOO_FEW_YET.format(sum(book["n"] for book in books))
        return empty_chart(versus, f"{TITLE}: {TOO_FEW}", reason, theme, paper=False)
    chart, times, ends = sheet(960, theme), moments(points, "resolved_at"), []
    for label, key, colour, style in (("AI", "ai", theme.ours, "-"), ("market", "market", theme.theirs, "--")):
        heights = [point[f"brier_{key}"] for point in points]
        draw_line(chart.axes, times, heights, color=colour, linewidth=4, linestyle=style)
        ends.append((heights[-1], f"{label} {heights[-1]:.3f}", colour))
    chart.axes.axhline(COIN_FLIP, color=theme.reference, linewidth=2, linestyle=":")
    ends.append((COIN_FLIP, "coin flip", theme.quiet))
    chart.axes.margins(y=0.1)
    format_time_axis(chart.axes)
    label_ends(chart, ends)
    key = (f"{'backfilled' if book['backfilled'] else 'live'}, n = {book['n']:,} resolved markets", _interval(book))
    subtitle = "Mean Brier score so far; lower is better"
    return png(chart, f"{TITLE}: {book['verdict']}", notes(versus, *key, paper=False), subtitle)


def _curve(book: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [point for point in book["cumulative"] if point["n"] >= MIN_N]


def _interval(book: Mapping[str, Any]) -> str:
    """The difference of the two mean scores with its 95% interval."""
    difference = book["difference"]
    if difference is None:
        return ""
    mean, low, high = (f"{difference[key]:+.3f}" for key in ("mean", "low", "high"))
    return f"AI minus market {mean}, 95% interval {low} to {high}"
