"""The equity curve of a strategy or of the fund, next to that of holding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.dates import date2num

from bot.charts.sheet import (
    COLOURS,
    OURS,
    QUIET,
    REFERENCE,
    Points,
    draw_events,
    draw_line,
    empty_chart,
    format_dollars,
    format_percents,
    format_time_axis,
    label_ends,
    moment,
    moments,
    notes,
    png,
    sheet,
)

NO_CURVE = "There is no equity curve yet. It starts at the end of the first day."
BOUGHT, SOLD = ("^", COLOURS[2]), ("v", COLOURS[3])


def strategy(document: Mapping[str, Any]) -> bytes:
    """A strategy's gain in percent since its start, next to holding the same assets."""
    if not document["equity"]:
        return empty_chart(document, document["name"], NO_CURVE)
    figure, (axes,) = sheet(900)
    standing = document["standing"]
    capital = standing["initial_capital"]
    _draw_with_holding(
        axes, document["equity"], "strategy", lambda usd: 100 * (usd / capital - 1), lambda gain: f"{gain:+.1f}%"
    )
    axes.axhline(0, color=REFERENCE, linewidth=1.5)
    format_percents(axes)
    format_time_axis(axes)
    title = f"{document['name']}: {standing['pnl_pct']:+.1f}%, holding {standing['benchmark_pnl_pct']:+.1f}%"
    trades, drawdown = f"n = {standing['trades']:,} trades", f"largest drawdown {standing['max_drawdown_pct']:.1f}%"
    return png(figure, title, notes(document, trades, drawdown), right=0.72)


def fund(document: Mapping[str, Any]) -> bytes:
    """The fund's equity in USD next to holding, with its orders; the backfilled time is shaded."""
    equity = document["equity"]
    if not equity:
        return empty_chart(document, "The apex fund", NO_CURVE)
    figure, (axes,) = sheet(900)
    _draw_with_holding(axes, equity, "fund", lambda usd: usd, lambda usd: f"{usd:,.0f}")
    _shade_backfilled(axes, equity)
    orders = [(order["time"], *(BOUGHT if order["side"] == "buy" else SOLD)) for order in document["trades"]]
    draw_events(axes, equity, [point["equity_usd"] for point in equity], orders)
    format_dollars(axes)
    format_time_axis(axes)
    title = (
        f"The apex fund: {document['pnl_pct']:+.1f}%, always half in Bitcoin {document['benchmark']['pnl_pct']:+.1f}%"
    )
    shaded = "grey: backfilled" if any(point["backfilled"] for point in equity) else ""
    markers = "△ bought, ▽ sold" if document["trades"] else ""
    trades = f"n = {document['trades_count']:,} trades"
    return png(figure, title, notes(document, "equity in USD", trades, markers, shaded), right=0.76)


def _draw_with_holding(
    axes: Axes, equity: Points, name: str, scale: Callable[[float], float], label: Callable[[float], str]
) -> None:
    """The curve and that of holding, each labelled at its end; `scale` converts USD to the unit of the axis."""
    times = moments(equity)
    ends = []
    for title, column, colour, width in ((name, "equity_usd", OURS, 3.5), ("holding", "benchmark_usd", QUIET, 2.5)):
        heights = [scale(point[column]) for point in equity]
        draw_line(axes, times, heights, color=colour, linewidth=width, linestyle="-" if colour == OURS else "--")
        ends.append((heights[-1], f"{title} {label(heights[-1])}", colour))
    label_ends(axes, ends)


def _shade_backfilled(axes: Axes, equity: Points) -> None:
    """Grey behind the backfilled points, which come before the live ones."""
    past = [moment(point["time"]) for point in equity if point["backfilled"]]
    if past:
        axes.axvspan(float(date2num(past[0])), float(date2num(past[-1])), color="#f3f5f7", zorder=0)
