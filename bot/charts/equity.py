"""The equity curves of strategies and of the fund, and the chart of the AI against the market."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.dates import date2num

from bot.charts.sheet import (
    ChartTheme,
    Sheet,
    draw_events,
    draw_line,
    empty_chart,
    format_percents,
    format_time_axis,
    label_ends,
    moment,
    moments,
    notes,
    png,
    sheet,
    signed_percent,
)
from bot.periods import WORDS, Points, base, change_pct, gain_pct, within

NO_CURVE = "There is no equity curve yet. It starts at the end of the first day."
TITLE = "The AI against the market"
NO_VERDICT = "not enough resolved markets"
TOO_FEW_YET = "{:,} markets are resolved so far, too few for a comparison. Markets resolve every day at 00:00 UTC."
COIN_FLIP = 0.25
MIN_N = 20  # resolved markets; the mean of fewer varies too much


def strategy(document: Mapping[str, Any], period: str, theme: ChartTheme) -> bytes:
    """A strategy's gain over a period, next to holding the same assets."""
    if not document["equity"]:
        return empty_chart(document, document["name"], NO_CURVE, theme)
    chart, standing = sheet(960, theme), document["standing"]
    points, capital = within(document["equity"], period), standing["initial_capital"]
    _draw_with_holding(chart, points, period, capital, "strategy")
    title = f"{document['name']}: {_compared(points, period, capital, 'holding')}"
    drawdown = f"largest drawdown {standing['max_drawdown_pct']:.1f}%"
    return png(chart, title, notes(document, f"n = {standing['trades']:,} trades and {drawdown} since the start"))


def fund(document: Mapping[str, Any], period: str, theme: ChartTheme) -> bytes:
    """The fund's gain over a period next to holding, with its orders; the backfilled time is shaded."""
    if not document["equity"]:
        return empty_chart(document, "The apex fund", NO_CURVE, theme)
    chart, capital = sheet(960, theme), document["initial_capital"]
    points = within(document["equity"], period)
    gains = _draw_with_holding(chart, points, period, capital, "fund")
    _shade_backfilled(chart, points)
    first, markers = moment(points[0]["time"]), {"buy": ("^", theme.colour(2)), "sell": ("v", theme.colour(3))}
    orders = [order for order in document["trades"] if moment(order["time"]) >= first]
    draw_events(chart, points, gains, [(order["time"], *markers[order["side"]]) for order in orders])
    title = f"The apex fund: {_compared(points, period, capital, 'always half in Bitcoin')}"
    shade = "shaded: backfilled" if any(point["backfilled"] for point in points) else ""
    trades = f"n = {document['trades_count']:,} trades since the start"
    return png(chart, title, notes(document, trades, "△ bought, ▽ sold" if orders else "", shade))


def _compared(points: Points, period: str, capital: float, benchmark: str) -> str:
    gain, holding = (
        signed_percent(gain_pct(points, period, capital, column)) for column in ("equity_usd", "benchmark_usd")
    )
    return f"{gain} {WORDS[period]}, {benchmark} {holding}"


def _draw_with_holding(chart: Sheet, points: Points, period: str, capital: float, name: str) -> list[float]:
    """The gains in percent and those of holding, each labelled at its end; returns the former."""
    times, theme, ends, curves = moments(points), chart.theme, [], []
    for title, column, colour, width in (
        (name, "equity_usd", theme.ours, 4),
        ("holding", "benchmark_usd", theme.soft_ink, 3),
    ):
        start = base(points, period, capital, column)
        curves.append([change_pct(start, point[column]) for point in points])
        style = "-" if colour == theme.ours else "--"
        draw_line(chart.axes, times, curves[-1], color=colour, linewidth=width, linestyle=style)
        ends.append((curves[-1][-1], f"{title} {signed_percent(curves[-1][-1])}", colour))
    chart.axes.axhline(0, color=theme.reference, linewidth=1.5)
    format_percents(chart.axes)
    format_time_axis(chart.axes)
    label_ends(chart, ends)
    return curves[0]


def _shade_backfilled(chart: Sheet, points: Points) -> None:
    """A shade behind the backfilled points, which come before the live ones."""
    past = [moment(point["time"]) for point in points if point["backfilled"]]
    if past:
        first, last = float(date2num(past[0])), float(date2num(past[-1]))
        chart.axes.axvspan(first, last, color=chart.theme.shade, zorder=0)


def accuracy(versus: Mapping[str, Any], theme: ChartTheme) -> bytes:
    """For each day, the mean Brier score of all markets resolved by then; the title is the verdict.

    It shows the live book once that has enough resolved markets, until then the backfilled one.
    """
    books = sorted(versus["books"], key=lambda book: book["backfilled"])
    curves = [(book, _curve(book)) for book in books if book["verdict"] != NO_VERDICT]
    book, points = next(((book, points) for book, points in curves if points), (None, []))
    if book is None:
        reason = TOO_FEW_YET.format(sum(book["n"] for book in books))
        return empty_chart(versus, f"{TITLE}: {NO_VERDICT}", reason, theme, paper=False)
    chart, times, ends = sheet(960, theme), moments(points, "resolved_at"), []
    for label, key, colour, style in (("AI", "ai", theme.ours, "-"), ("market", "market", theme.theirs, "--")):
        heights = [point[f"brier_{key}"] for point in points]
        draw_line(chart.axes, times, heights, color=colour, linewidth=4, linestyle=style)
        ends.append((heights[-1], f"{label} {heights[-1]:.3f}", colour))
    chart.axes.axhline(COIN_FLIP, color=theme.reference, linewidth=2, linestyle=":")
    ends.append((COIN_FLIP, "coin flip", theme.soft_ink))
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
