"""The record of AI against market: how reliable both are, how their scores came about, and the paired difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from notebooks.widgets.curves import instants
from notebooks.widgets.figure import Figure
from notebooks.widgets.theme import Look
from notebooks.widgets.wording import plain, world

Book = Mapping[str, Any]

FEWEST = 20  # resolved markets below which the service gives no difference
FEWEST_IN_BINS = 30  # and no calibration
COIN = 0.25  # the Brier score of who always says 50 %
FORECASTERS = {"ai": (0, "circle", "AI"), "market": (1, "square", "market")}
HEADS = {
    "": "Reliability, 95 % Wilson bars",
    "2": "Mean Brier so far; dotted: a coin",
    "3": "Brier, AI − market, 95 % band",
}


class Record:
    """The traces of the record in a figure, on its first three pairs of axes."""

    def __init__(self, figure: Figure) -> None:
        said = {"showlegend": False, "hovertemplate": "%{customdata}<extra></extra>"}
        line = {"mode": "lines", "showlegend": False, "hoverinfo": "skip", "line": {"dash": "dot", "width": 1}}
        self.even = figure.add_scatter(**line).data[-1]
        self.coin = figure.add_scatter(xaxis="x2", yaxis="y2", **line).data[-1]
        self.bins = {name: figure.add_scatter(mode="markers", **said).data[-1] for name in FORECASTERS}
        over_time = {"mode": "lines", "xaxis": "x2", "yaxis": "y2"}
        self.curves = {name: figure.add_scatter(**over_time, **said).data[-1] for name in FORECASTERS}
        self.difference = figure.add_scatter(xaxis="x3", yaxis="y3", mode="markers", **said).data[-1]
        self.traces = (self.even, self.coin, *self.bins.values(), *self.curves.values(), self.difference)

    def draw(self, book: Book, look: Look) -> None:
        """Move the traces to a book; what it has too little data for is empty."""
        for name, (place, symbol, title) in FORECASTERS.items():
            self._draw_bins(name, book, {"color": look.colour(place), "symbol": symbol, "size": 8}, title)
            self._draw_curve(name, _from_fewest(book), {"color": look.colour(place), "width": 2}, title)
        self.even.update(x=[0, 100] if any(book["calibration"].values()) else [], y=[0, 100])
        times = instants(_from_fewest(book), "resolved_at")
        self.coin.update(x=times[[0, -1]] if len(times) else [], y=[COIN, COIN] if len(times) else [])
        self._draw_difference(book, look)

    def _draw_bins(self, name: str, book: Book, marker: Mapping[str, Any], title: str) -> None:
        bins = (book["calibration"][name] or {"bins": []})["bins"]
        self.bins[name].update(
            x=[100 * one["p"] for one in bins],
            y=[one["observed_pct"] for one in bins],
            error_y={
                "array": [one["high_pct"] - one["observed_pct"] for one in bins],
                "arrayminus": [one["observed_pct"] - one["low_pct"] for one in bins],
                "width": 0,
                "thickness": 1.2,
            },
            customdata=[
                f"{title} said {100 * one['p']:.1f} %: YES came {one['observed_pct']:.1f} % "
                f"[{one['low_pct']:.1f}, {one['high_pct']:.1f}], n {one['n']:,}"
                for one in bins
            ],
            marker=marker,
        )

    def _draw_curve(self, name: str, points: list[Book], line: Mapping[str, Any], title: str) -> None:
        times = instants(points, "resolved_at")
        said = [f"{title} {point[f'brier_{name}']:.4f}, n {point['n']:,}" for point in points]
        self.curves[name].update(
            x=times,
            y=[point[f"brier_{name}"] for point in points],
            customdata=[f"{text}<br>{time:%Y-%m-%d %H:%M} UTC" for text, time in zip(said, times, strict=True)],
            line=line,
        )

    def _draw_difference(self, book: Book, look: Look) -> None:
        told = book["difference"]
        if told is None:
            self.difference.update(x=[], y=[], customdata=[])
            return
        band = {"array": [told["high"] - told["mean"]], "arrayminus": [told["mean"] - told["low"]]}
        self.difference.update(
            x=[told["mean"]],
            y=[0],
            error_x=band | {"width": 6, "thickness": 2},
            customdata=[f"{_numbers(told)} in {told['weeks']} weeks"],
            marker={"color": look.ink, "size": 10},
        )


def _from_fewest(book: Book) -> list[Book]:
    """The means that rest on enough: the first few markets throw them about."""
    return [point for point in book["cumulative"] if point["n"] >= FEWEST]


def book_of(document: Mapping[str, Any], backfilled: bool) -> Book:
    """One of the two books, which are never pooled."""
    return next(book for book in document["books"] if book["backfilled"] == backfilled)


def lacking(book: Book) -> str | None:
    """What a book has too few of, and when there will be more; None where it has enough for a difference."""
    if book["difference"] is not None:
        return None
    return (
        f"{book['n']} of the {FEWEST} resolved markets that a difference needs ({FEWEST_IN_BINS} for reliability). "
        "Daily markets resolve after midnight UTC."
    )


def title(book: Book) -> str:
    """The verdict in words, with the scores behind it and how many markets they rest on."""
    verdict = plain(book["verdict"])
    said = verdict[:1].upper() + verdict[1:]
    if book["difference"] is None:
        return f"{said}: n {book['n']:,} of {FEWEST}"
    return f"{said}: Brier of AI {book['ai']['brier']:.4f}, market {book['market']['brier']:.4f}, n {book['n']:,}"


def subtitle(document: Mapping[str, Any], book: Book, look: Look) -> str:
    """What kind of numbers these are."""
    pairs = [pair for pair in document["markets"] if pair["backfilled"] == book["backfilled"]]
    simulated = sum(pair["simulated"] for pair in pairs)
    odds = f"{simulated:,} of {len(pairs):,} odds SIMULATED" if simulated else "odds of outside markets"
    kept = "BACKFILLED: made for the past at the first start" if book["backfilled"] else "live, as it was said"
    ai, market = (f'<span style="color:{look.colour(place)}">{{}}</span>' for place, *_ in FORECASTERS.values())
    marks = f"{ai.format('● AI')} {market.format('■ market')}"
    return f"{marks}, lower Brier is better · PAPER · {kept}<br>{world(document)} · {odds} · times UTC"


def charts(book: Book) -> list[str]:
    """The axes, by their number, of the charts that a book has enough for."""
    enough = {
        "": any(book["calibration"].values()),
        "2": bool(_from_fewest(book)),
        "3": book["difference"] is not None,
    }
    return [number for number, holds in enough.items() if holds]


def heads(book: Book) -> list[dict[str, Any]]:
    """A heading over each chart that there is, and what the difference is in numbers."""
    at = {"x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "yshift": 4, "showarrow": False, "font": {"size": 12}}
    over = [
        {**at, "xref": f"x{number} domain", "yref": f"y{number} domain", "text": HEADS[number]}
        for number in charts(book)
    ]
    return over + ([_beside(book["difference"])] if book["difference"] else [])


def _beside(told: Mapping[str, Any]) -> dict[str, Any]:
    at = {"xref": "x3", "yref": "y3", "x": told["mean"], "y": 0, "yshift": 18, "showarrow": False}
    return {**at, "text": _numbers(told)}


def _numbers(told: Mapping[str, Any]) -> str:
    return f"{told['mean']:+.4f} [{told['low']:+.4f}, {told['high']:+.4f}], n {told['n']:,}"
