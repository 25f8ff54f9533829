"""How good the price forecasts of all assets were: calibration of one horizon, and every score against volatility.

The charts are on the axes 2 to 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.forest import wilson
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import Document, escaped

EVEN_PCT = 10.0  # outcomes in each tenth of a calibrated forecast
HEADINGS = {
    "2": "PIT; grey: by luck",
    "3": "Coverage, %; bar: nominal",
    "4": "CRPS over that of plain volatility, 95% interval",
}

Records = Mapping[str, Document]


class Share(NamedTuple):
    """An observed percentage with its 95% interval."""

    pct: float
    low_pct: float
    high_pct: float

    def __str__(self) -> str:
        return f"{self.pct:.1f}% [{self.low_pct:.1f}, {self.high_pct:.1f}]"


class CalibrationTraces:
    """The traces of a record in a figure."""

    def __init__(self, figure: Figure) -> None:
        hover = {"hovertemplate": "%{customdata}<extra></extra>"}
        self.tenths = figure.new_bar(xaxis="x2", yaxis="y2", **hover)
        second = {"xaxis": "x3", "yaxis": "y3", "mode": "markers"}
        self.nominal = figure.new_scatter(**second, hoverinfo="skip")
        self.coverage = figure.new_scatter(**second, **hover)
        self.ratios = figure.new_scatter(xaxis="x4", yaxis="y4", mode="markers", **hover)

    def draw(self, records: Records, horizon: str, palette: Palette) -> None:
        """Draw the calibration of one horizon and the scores of all; without a resolved forecast they are empty."""
        self._draw_tenths(records[horizon], palette)
        self._draw_coverage(records[horizon], palette)
        self._draw_ratios(resolved(records), palette)

    def _draw_tenths(self, record: Document, palette: Palette) -> None:
        shares = list(record["pit_pct"] or ())
        self.tenths.update(
            x=[5 + EVEN_PCT * place for place in range(len(shares))],
            y=shares,
            width=9,
            customdata=[
                f"{share:.1f}% of outcomes in {10 * place}–{10 * place + 10}% of the forecast, n {record['n']:,}"
                for place, share in enumerate(shares)
            ],
            marker={"color": palette.colour(0), "line": {"width": 0}},
        )

    def _draw_coverage(self, record: Document, palette: Palette) -> None:
        shares = coverages(record)
        names = list(shares)
        self.nominal.update(
            x=names,
            y=[float(nominal) for nominal in shares],
            marker={"symbol": "line-ew", "size": 20, "line": {"color": palette.ink, "width": 2}},
        )
        self.coverage.update(
            x=names,
            y=[share.pct for share in shares.values()],
            error_y={
                "array": [share.high_pct - share.pct for share in shares.values()],
                "arrayminus": [share.pct - share.low_pct for share in shares.values()],
                "width": 0,
                "thickness": 1.5,
            },
            customdata=[f"{nominal}% interval: {share}, n {record['n']:,}" for nominal, share in shares.items()],
            marker={"color": palette.colour(0), "size": 9},
        )

    def _draw_ratios(self, rows: Records, palette: Palette) -> None:
        ratios = [(row["crps_ratio"], *_bounds(row)) for row in rows.values()]
        self.ratios.update(
            x=[ratio for ratio, _low, _high in ratios],
            y=list(rows),
            error_x={
                "array": [high - ratio for ratio, _low, high in ratios],
                "arrayminus": [ratio - low for ratio, low, _high in ratios],
                "width": 0,
                "thickness": 1.5,
            },
            customdata=[f"{horizon}: {ratio_text(row)}<br>{escaped(row['verdict'])}" for horizon, row in rows.items()],
            marker={"color": palette.colour(0), "size": 9},
        )


def resolved(records: Records) -> dict[str, Document]:
    """The horizons with a resolved forecast."""
    return {horizon: record for horizon, record in records.items() if record["n"]}


def coverages(record: Document) -> dict[str, Share]:
    """The percentage of outcomes in each central interval, by its nominal percentage.

    Their intervals are by Wilson's formula for `n_eff` independent forecasts, at least one.
    """
    shares = record["coverage_pct"] or {}
    return {nominal: _share(share, record["n_eff"]) for nominal, share in shares.items()}


def ratio_text(record: Document) -> str:
    """The mean score over that of plain volatility with its interval, and the number of forecasts."""
    low, high = _bounds(record)
    interval = f" [{low:.3f}, {high:.3f}]" if low < high else ""
    return f"{record['crps_ratio']:.3f}{interval}, n {record['n']:,}"


def texts(records: Records, horizon: str, palette: Palette) -> list[dict[str, Any]]:
    """The heading of each drawn chart, and the scores in numbers, each above its mark."""
    place = {"x": 0, "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    rows = resolved(records)
    axes = [*(("2", "3") if records[horizon]["n"] else ()), *(("4",) if rows else ())]
    heading = {**place, "y": 1, "yshift": 4, "font": {"size": 12}}
    row_text = {**place, "xref": "x4 domain", "yref": "y4", "yshift": 3, "bgcolor": palette.paper, "borderpad": 1}
    return [
        *({**heading, "xref": f"x{axis} domain", "yref": f"y{axis} domain", "text": HEADINGS[axis]} for axis in axes),
        *({**row_text, "y": name, "text": f"{name}: {ratio_text(row)}"} for name, row in rows.items()),
    ]


def shapes(records: Records, horizon: str, palette: Palette) -> list[dict[str, Any]]:
    """What calibrated forecasts would show: ten percent in each tenth, with the range of luck; and a ratio of 1."""
    line = {"type": "line", "line": {"color": palette.ink, "width": 1, "dash": "dot"}}
    at_one = {**line, "xref": "x4", "x0": 1, "x1": 1, "yref": "y4 domain", "y0": 0, "y1": 1}
    lines = [at_one] if resolved(records) else []
    if not records[horizon]["n"]:
        return lines
    luck = _share(EVEN_PCT, records[horizon]["n_eff"])
    across = {"xref": "x2", "x0": 0, "x1": 100, "yref": "y2"}
    band = {"type": "rect", "y0": luck.low_pct, "y1": luck.high_pct, "fillcolor": palette.grid, "layer": "below"}
    return [*lines, {**across, **band, "line": {"width": 0}}, {**across, **line, "y0": EVEN_PCT, "y1": EVEN_PCT}]


def record_line(horizon: str, record: Document) -> str:
    """The verdict on one horizon, with its numbers."""
    if not record["n"]:
        return f"no {horizon} forecast has resolved yet"
    count = f"n {record['n']:,}, effective n {record['n_eff']:,.0f}"
    return f"{horizon} forecasts of all assets: {count} · CRPS against plain volatility: {escaped(record['verdict'])}"


def _share(pct: float, n_eff: float) -> Share:
    low, high = wilson(pct / 100, max(n_eff, 1.0))
    return Share(pct, 100 * low, 100 * high)


def _bounds(record: Document) -> tuple[float, float]:
    """The interval of a ratio; the ratio itself in the first weeks, when there is none."""
    if record["low"] is None:
        return record["crps_ratio"], record["crps_ratio"]
    return record["low"], record["high"]
