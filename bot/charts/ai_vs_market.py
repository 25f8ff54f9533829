"""The AI against the outside market: the calibration of both, and their mean error over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from bot.charts.sheet import (
    OURS,
    QUIET,
    REFERENCE,
    SMALL,
    THEIRS,
    draw_line,
    empty_chart,
    format_percents,
    format_time_axis,
    label_ends,
    moments,
    notes,
    png,
    sheet,
)

TITLE = "The AI against the market"
TOO_FEW = "not enough resolved markets"
TOO_FEW_YET = "{:,} markets are resolved so far, too few for a comparison. Markets resolve every day at 00:00 UTC."
# Label, key, colour, marker, and a horizontal offset in percentage points that keeps the two apart.
PAIR = (("AI", "ai", OURS, "o", -0.4), ("market", "market", THEIRS, "s", 0.4))
COIN_FLIP = 0.25
MIN_N = 20  # resolved markets; the mean of fewer varies too much


def accuracy(versus: Mapping[str, Any]) -> bytes:
    """The calibration in bins of equal count with 95% intervals, and the mean Brier score over time.

    They show the live book once it has enough resolved markets, until then the backfilled one.
    """
    books = sorted(versus["books"], key=lambda book: book["backfilled"])
    book = next((book for book in books if book["verdict"] != TOO_FEW and book["calibration"]["ai"]), None)
    if book is None:
        reason = TOO_FEW_YET.format(sum(book["n"] for book in books))
        return empty_chart(versus, f"{TITLE}: {TOO_FEW}", reason, paper=False)
    figure, (above, below) = sheet(1350, 2, (1.25, 1))
    _draw_calibration(above, book)
    _draw_mean_errors(below, book)
    name = "backfilled" if book["backfilled"] else "live"
    key = (name, f"n = {book['n']:,} resolved markets", "bars: 95% intervals")
    return png(figure, f"{TITLE}: {book['verdict']}", notes(versus, *key, paper=False), right=0.78)


def _draw_calibration(axes: Axes, book: Mapping[str, Any]) -> None:
    """The share of yes outcomes for each forecast probability; perfect calibration lies on the diagonal."""
    axes.plot([0, 100], [0, 100], color=REFERENCE, linewidth=2, linestyle="--")
    for label, key, colour, marker, offset in PAIR:
        calibration = book["calibration"][key]
        if not calibration:
            continue
        bins = calibration["bins"]
        forecast = [100 * group["p"] + offset for group in bins]
        observed = [group["observed_pct"] for group in bins]
        error = [
            [max(0, group["observed_pct"] - group["low_pct"]) for group in bins],
            [max(0, group["high_pct"] - group["observed_pct"]) for group in bins],
        ]
        axes.errorbar(forecast, observed, error, fmt=marker, color=colour, markersize=10, elinewidth=2.5, label=label)
    low, high = _limits(book)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    format_percents(axes)
    axes.xaxis.set_major_formatter(axes.yaxis.get_major_formatter())
    axes.set_xlabel("forecast probability of yes", fontsize=SMALL, color=QUIET)
    axes.set_title("How often the outcome was yes", fontsize=SMALL, color=QUIET, loc="left")
    axes.legend(fontsize=SMALL, frameon=False, loc="upper left")


def _limits(book: Mapping[str, Any]) -> tuple[float, float]:
    """The limits of both axes, in percent: multiples of ten around everything that is drawn."""
    calibrations = [calibration for _, key, *_ in PAIR if (calibration := book["calibration"][key])]
    bins = [group for calibration in calibrations for group in calibration["bins"]]
    low = min(min(100 * group["p"], group["low_pct"]) for group in bins)
    high = max(max(100 * group["p"], group["high_pct"]) for group in bins)
    return 10 * (low // 10), min(100, 10 * (high // 10 + 1))


def _draw_mean_errors(axes: Axes, book: Mapping[str, Any]) -> None:
    """For each day, the mean Brier score of all markets resolved by then."""
    points = [point for point in book["cumulative"] if point["n"] >= MIN_N]
    times = moments(points, "resolved_at")
    ends = []
    for label, key, colour, *_ in PAIR:
        heights = [point[f"brier_{key}"] for point in points]
        draw_line(axes, times, heights, color=colour, linewidth=3)
        ends.append((heights[-1], f"{label} {heights[-1]:.3f}", colour))
    axes.axhline(COIN_FLIP, color=REFERENCE, linewidth=2, linestyle="--")
    format_time_axis(axes)
    axes.set_title(
        "Mean Brier score so far; lower is better, a coin flip has 0.25", fontsize=SMALL, color=QUIET, loc="left"
    )
    label_ends(axes, ends)
