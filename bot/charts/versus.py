"""The AI against the outside market: whether what was said came true as often, and the mean error so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from bot.charts.paper import (
    OURS,
    QUIET,
    REFERENCE,
    SMALL,
    THEIRS,
    label_ends,
    moments,
    notes,
    nothing,
    over_time,
    percents,
    png,
    sheet,
)

TITLE = "The AI against the market"
TOO_FEW = "not enough resolved markets"
NOT_YET = "{:,} markets have resolved so far, too few to compare the two. Markets resolve every day at 00:00 UTC."
PAIR = (("AI", "ai", OURS, "o", -0.4), ("market", "market", THEIRS, "s", 0.4))  # apart by as many points
COIN = 0.25
LEAST_N = 20  # resolved markets under which a mean jumps about


def accuracy(versus: Mapping[str, Any]) -> bytes:
    """The verdict; calibration in bins of equal count with 95 % intervals; the mean Brier score day by day.

    Of the live book once it has enough resolved markets, until then of the backfilled one.
    """
    books = sorted(versus["books"], key=lambda book: book["backfilled"])
    book = next((one for one in books if one["verdict"] != TOO_FEW and one["calibration"]["ai"]), None)
    if book is None:
        return nothing(versus, f"{TITLE}: {TOO_FEW}", NOT_YET.format(sum(one["n"] for one in books)), paper=False)
    figure, (above, below) = sheet(1350, 2, (1.25, 1))
    _calibration(above, book)
    _cumulative(below, book)
    which = "backfilled" if book["backfilled"] else "live"
    said = notes(versus, which, f"n = {book['n']:,} resolved markets", "bars: 95% intervals", paper=False)
    return png(figure, f"{TITLE}: {book['verdict']}", said, right=0.78)


def _calibration(axes: Axes, book: Mapping[str, Any]) -> None:
    """How often what was given a probability came true; on the diagonal it is as often as was said."""
    axes.plot([0, 100], [0, 100], color=REFERENCE, linewidth=2, linestyle="--")
    for label, key, colour, marker, aside in PAIR:
        found = book["calibration"][key]
        if not found:
            continue
        bins = found["bins"]
        said = [100 * one["p"] + aside for one in bins]
        came = [one["observed_pct"] for one in bins]
        error = [
            [max(0, one["observed_pct"] - one["low_pct"]) for one in bins],
            [max(0, one["high_pct"] - one["observed_pct"]) for one in bins],
        ]
        axes.errorbar(said, came, error, fmt=marker, color=colour, markersize=10, elinewidth=2.5, label=label)
    low, high = _limits(book)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    percents(axes)
    axes.xaxis.set_major_formatter(axes.yaxis.get_major_formatter())
    axes.set_xlabel("probability that was given", fontsize=SMALL, color=QUIET)
    axes.set_title("How often it came true", fontsize=SMALL, color=QUIET, loc="left")
    axes.legend(fontsize=SMALL, frameon=False, loc="upper left")


def _limits(book: Mapping[str, Any]) -> tuple[float, float]:
    """Whole tens around all that is drawn, in percent."""
    bins = [one for _, key, *_ in PAIR if book["calibration"][key] for one in book["calibration"][key]["bins"]]
    low = min(min(100 * one["p"], one["low_pct"]) for one in bins)
    high = max(max(100 * one["p"], one["high_pct"]) for one in bins)
    return 10 * (low // 10), min(100, 10 * (high // 10 + 1))


def _cumulative(axes: Axes, book: Mapping[str, Any]) -> None:
    """The mean Brier score of all that had resolved by each day."""
    points = [point for point in book["cumulative"] if point["n"] >= LEAST_N]
    times = moments(points, "resolved_at")
    ends = []
    for label, key, colour, *_ in PAIR:
        heights = [point[f"brier_{key}"] for point in points]
        axes.plot(times, heights, color=colour, linewidth=3)
        ends.append((heights[-1], f"{label} {heights[-1]:.3f}", colour))
    axes.axhline(COIN, color=REFERENCE, linewidth=2, linestyle="--")
    over_time(axes)
    axes.set_title("Mean Brier score so far, lower is better; 0.25 is a coin", fontsize=SMALL, color=QUIET, loc="left")
    label_ends(axes, ends)
