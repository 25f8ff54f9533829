"""What a strategy or the fund was worth, beside what holding would have made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bot.charts.paper import (
    COLOURS,
    OURS,
    QUIET,
    REFERENCE,
    dollars,
    label_ends,
    moment,
    moments,
    notes,
    nothing,
    over_time,
    percents,
    png,
    sheet,
)

NO_CURVE = "There is no equity curve yet. Its first point comes when its first day is over."
BOUGHT, SOLD = ("^", COLOURS[2]), ("v", COLOURS[3])


def strategy(told: Mapping[str, Any]) -> bytes:
    """A strategy's gain in percent since it began, beside holding the same assets."""
    if not told["equity"]:
        return nothing(told, told["name"], NO_CURVE)
    figure, (axes,) = sheet(900)
    capital = told["standing"]["initial_capital"]
    _pair(axes, told["equity"], "strategy", lambda usd: 100 * (usd / capital - 1), lambda gain: f"{gain:+.1f}%")
    axes.axhline(0, color=REFERENCE, linewidth=1.5)
    percents(axes)
    over_time(axes)
    standing = told["standing"]
    title = f"{told['name']}: {standing['pnl_pct']:+.1f}%, holding {standing['benchmark_pnl_pct']:+.1f}%"
    said = notes(told, f"n = {standing['trades']} trades", f"deepest fall {standing['max_drawdown_pct']:.1f}%")
    return png(figure, title, said, right=0.72)


def fund(told: Mapping[str, Any]) -> bytes:
    """The fund's worth in USD beside holding, with what it bought and sold; what was backfilled is shaded."""
    if not told["equity"]:
        return nothing(told, "The fund of apex", NO_CURVE)
    figure, (axes,) = sheet(900)
    _shade(axes, told["equity"])
    _pair(axes, told["equity"], "fund", lambda usd: usd, lambda usd: f"{usd:,.0f}")
    _orders(axes, told)
    dollars(axes)
    over_time(axes)
    title = f"The fund of apex: {told['pnl_pct']:+.1f}%, holding {told['benchmark']['pnl_pct']:+.1f}%"
    shaded = "grey: backfilled" if any(point["backfilled"] for point in told["equity"]) else ""
    marks = "△ bought, ▽ sold" if told["trades"] else ""
    said = notes(told, "worth in USD", f"n = {told['trades_count']} trades", marks, shaded)
    return png(figure, title, said, right=0.76)


def _pair(axes: Axes, equity: Sequence[Mapping[str, Any]], name: str, scale, written) -> None:
    """The curve and that of holding, each labelled at its end; `scale` turns USD into what is drawn."""
    times = moments(equity)
    ends = []
    for label, column, colour, width in ((name, "equity_usd", OURS, 3.5), ("holding", "benchmark_usd", QUIET, 2.5)):
        heights = [scale(point[column]) for point in equity]
        axes.plot(times, heights, color=colour, linewidth=width, linestyle="-" if colour == OURS else "--")
        ends.append((heights[-1], f"{label} {written(heights[-1])}", colour))
    label_ends(axes, ends)


def _shade(axes: Axes, equity: Sequence[Mapping[str, Any]]) -> None:
    """Grey behind the points that were backfilled; they come before all others."""
    past = [moment(point["time"]) for point in equity if point["backfilled"]]
    if past:
        axes.axvspan(past[0], past[-1], color="#f3f5f7", zorder=0)


def _orders(axes: Axes, told: Mapping[str, Any]) -> None:
    """A mark on the fund's curve for each order."""
    seconds = [time.timestamp() for time in moments(told["equity"])]
    worth = [point["equity_usd"] for point in told["equity"]]
    for order in told["trades"]:
        at = moment(order["time"])
        marker, colour = BOUGHT if order["side"] == "buy" else SOLD
        height = float(np.interp(at.timestamp(), seconds, worth))
        axes.plot([at], [height], marker, markersize=13, markerfacecolor="white", markeredgecolor=colour, mew=2.5)
