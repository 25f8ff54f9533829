"""The track record of AI versus market: reliability, mean Brier scores over time, and their paired difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebooks.widgets.base.curves import instants
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import grid
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import BACKFILLED, Document, escaped, number, world

FEWEST = 20  # resolved markets that the service needs for a difference
FEWEST_IN_BINS = 30  # and for a calibration
COIN_FLIP = 0.25  # Brier score of a forecast that is always 50%
FORECASTERS = {"ai": (0, "circle", "AI"), "market": (1, "square", "market")}
PADDING_PP = 4  # percentage points around the bins
HEADINGS = {
    "": "Reliability, 95% intervals",
    "2": "Mean Brier; dotted: coin flip",
    "3": "AI − market, 95% interval",
}
PARTS = {
    "miscalibration": "miscalibration (lower is better)",
    "discrimination": "discrimination (higher is better)",
    "uncertainty": "uncertainty of the outcomes (the same for both)",
}


class TrackRecordTraces:
    """The traces of the track record in a figure, on its first three pairs of axes."""

    def __init__(self, figure: Figure) -> None:
        points = {"showlegend": False, "hovertemplate": "%{customdata}<extra></extra>"}
        line = {"mode": "lines", "showlegend": False, "hoverinfo": "skip", "line": {"dash": "dot", "width": 1}}
        self.diagonal = figure.new_scatter(**line)
        self.coin_flip = figure.new_scatter(xaxis="x2", yaxis="y2", **line)
        self.bins = {name: figure.new_scatter(mode="markers", **points) for name in FORECASTERS}
        over_time = {"mode": "lines", "xaxis": "x2", "yaxis": "y2", **points}
        self.curves = {name: figure.new_scatter(**over_time) for name in FORECASTERS}
        self.difference = figure.new_scatter(xaxis="x3", yaxis="y3", mode="markers", **points)
        self.traces = (self.diagonal, self.coin_flip, *self.bins.values(), *self.curves.values(), self.difference)

    def draw(self, book: Document, palette: Palette) -> None:
        """Update the traces to a book; a chart with too few markets stays empty."""
        points = _stable_points(book)
        for name, (index, symbol, title) in FORECASTERS.items():
            self._draw_bins(name, book, {"color": palette.colour(index), "symbol": symbol, "size": 8}, title)
            self._draw_curve(name, points, {"color": palette.colour(index), "width": 2}, title)
        self.diagonal.update(x=[0, 100] if any(book["calibration"].values()) else [], y=[0, 100])
        times = instants(points, "resolved_at")
        self.coin_flip.update(x=times[[0, -1]] if points else [], y=[COIN_FLIP, COIN_FLIP] if points else [])
        self._draw_difference(book["difference"], palette)

    def _draw_bins(self, name: str, book: Document, marker: Mapping[str, Any], title: str) -> None:
        bins = (book["calibration"][name] or {"bins": []})["bins"]
        self.bins[name].update(
            x=[100 * bin_["p"] for bin_ in bins],
            y=[bin_["observed_pct"] for bin_ in bins],
            error_y={
                "array": [bin_["high_pct"] - bin_["observed_pct"] for bin_ in bins],
                "arrayminus": [bin_["observed_pct"] - bin_["low_pct"] for bin_ in bins],
                "width": 0,
                "thickness": 1.2,
            },
            customdata=[
                f"{title} forecast {100 * bin_['p']:.1f}%: YES in {bin_['observed_pct']:.1f}% "
                f"[{bin_['low_pct']:.1f}, {bin_['high_pct']:.1f}], n {bin_['n']:,}"
                for bin_ in bins
            ],
            marker=marker,
        )

    def _draw_curve(self, name: str, points: list[Document], line: Mapping[str, Any], title: str) -> None:
        times = instants(points, "resolved_at")
        texts = [f"{title} {point[f'brier_{name}']:.4f}, n {point['n']:,}" for point in points]
        self.curves[name].update(
            x=times,
            y=[point[f"brier_{name}"] for point in points],
            customdata=[f"{text}<br>{time:%Y-%m-%d %H:%M} UTC" for text, time in zip(texts, times, strict=True)],
            line=line,
        )

    def _draw_difference(self, difference: Document | None, palette: Palette) -> None:
        if difference is None:
            self.difference.update(x=[], y=[], customdata=[])
            return
        mean, low, high = (difference[name] for name in ("mean", "low", "high"))
        self.difference.update(
            x=[mean],
            y=[0],
            error_x={"array": [high - mean], "arrayminus": [mean - low], "width": 6, "thickness": 2},
            customdata=[f"{_interval(difference)}, n {difference['n']:,} in {difference['weeks']} weeks"],
            marker={"color": palette.ink, "size": 10},
        )


def reliability_ranges(book: Document) -> tuple[list[float], list[float]]:
    """The parts of both axes where the bins and their intervals lie, in percent."""
    bins = [bin_ for report in book["calibration"].values() if report for bin_ in report["bins"]]
    if not bins:
        return [0, 100], [0, 100]
    p = [100 * bin_["p"] for bin_ in bins]
    ends = min(bin_["low_pct"] for bin_ in bins), max(bin_["high_pct"] for bin_ in bins)
    return _padded(min(p), max(p)), _padded(*ends)


def shortage(book: Document) -> str | None:
    """What a book has too few markets for, and when more resolve; None if it has enough for a difference."""
    if book["difference"] is not None:
        return None
    return (
        f"{book['n']} resolved markets; a difference needs {FEWEST}, reliability {FEWEST_IN_BINS}. "
        "Daily markets resolve after midnight UTC."
    )


def title(book: Document) -> str:
    """The verdict in words, the scores behind it, and the number of markets."""
    verdict = escaped(book["verdict"])
    verdict = verdict[:1].upper() + verdict[1:]
    if book["difference"] is None:
        return f"{verdict}: n {book['n']:,} of {FEWEST}"
    scores = f"AI {book['ai']['brier']:.4f}, market {book['market']['brier']:.4f}"
    return f"{verdict}: Brier score {scores}, n {book['n']:,}"


def subtitle(document: Document, book: Document, palette: Palette) -> str:
    """The marks, and the kind of the numbers: paper, world, live or backfilled, simulated odds or not."""
    simulated = book["simulated"]
    odds = f"{simulated:,} of {book['n']:,} odds SIMULATED" if simulated else "odds of external markets"
    origin = BACKFILLED if book["backfilled"] else "live: recorded before the outcome"
    ai, market = (f'<span style="color:{palette.colour(index)}">{{}}</span>' for index, *_ in FORECASTERS.values())
    marks = f"{ai.format('● AI')} {market.format('■ market')}"
    scale = "a lower Brier score is better · intervals by week"
    return f"{marks}, {scale} · PAPER · {origin}<br>{world(document)} · {odds} · times UTC"


def charts(book: Document) -> list[str]:
    """The numbers of the axes whose charts have enough markets."""
    is_drawn = {
        "": any(book["calibration"].values()),
        "2": bool(_stable_points(book)),
        "3": book["difference"] is not None,
    }
    return [number for number, is_on in is_drawn.items() if is_on]


def headings(book: Document) -> list[dict[str, Any]]:
    """The heading of each drawn chart, and the difference in numbers."""
    place = {"x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "yshift": 4, "showarrow": False}
    annotations = [
        {
            **place,
            "font": {"size": 12},
            "xref": f"x{number} domain",
            "yref": f"y{number} domain",
            "text": HEADINGS[number],
        }
        for number in charts(book)
    ]
    difference = book["difference"]
    if difference is None:
        return annotations
    above = {"xref": "x3 domain", "yref": "y3", "x": 1, "xanchor": "right", "y": 0, "yshift": 18, "showarrow": False}
    return [*annotations, {**above, "text": _interval(difference)}]


def _stable_points(book: Document) -> list[Document]:
    """The mean scores of at least `FEWEST` markets; the means of fewer markets vary too much."""
    return [point for point in book["cumulative"] if point["n"] >= FEWEST]


def _padded(low: float, high: float) -> list[float]:
    return [max(0.0, low - PADDING_PP), min(100.0, high + PADDING_PP)]


def _interval(difference: Document) -> str:
    mean, low, high = (number(difference[name], "+.4f") for name in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]"


def decomposition(book: Document) -> str:
    """The parts of both scores, as HTML; empty with too few markets for a calibration."""
    calibration = book["calibration"]
    if not all(calibration.values()):
        return ""
    rows = [("Brier score", *(_brier(book[name]) for name in FORECASTERS))]
    rows += [(label, *(f"{calibration[name][part]:.4f}" for name in FORECASTERS)) for part, label in PARTS.items()]
    return grid(
        "Brier score = miscalibration − discrimination + uncertainty",
        ("", *(title for *_, title in FORECASTERS.values())),
        rows,
    )


def _brier(scores: Document) -> str:
    """A score with its interval and the number of markets."""
    if scores["brier_low"] is None:
        return f"{scores['brier']:.4f}, n {scores['n']:,}"
    low, high = (number(scores[name], ".4f") for name in ("brier_low", "brier_high"))
    return f"{scores['brier']:.4f} [{low}, {high}], n {scores['n']:,}"
