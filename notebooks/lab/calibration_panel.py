"""The calibration of every forecaster: reliability with its intervals and counts, by kind, horizon and asset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget

from notebooks.lab.archive import Archive
from notebooks.lab.record import MarketRecord
from notebooks.lab.reliability import (
    MARKET,
    PARTS,
    POOL,
    bins_of,
    forecasters_of,
    forecasts_table,
    price_bins,
    scores_of,
)
from notebooks.lab.scores import weekly_mean
from notebooks.widgets.base.chart_panel import ChartPanel, selected
from notebooks.widgets.base.curves import heading
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import Cell, grid
from notebooks.widgets.base.theme import Theme
from notebooks.widgets.base.wording import BOOKS, WORLDS, Document, book_of, escaped, number
from service.scores.intervals import DIFFERENCES, LEAST_N
from service.scores.proper import brier

NO_FORECASTER, NO_FILTER = "–", ""
FILTERS = {"kind": "all kinds", "horizon": "all horizons", "asset": "all assets"}
PRICES = "prices after "
ROWS = {"": ([0.38, 1], "came true, with 95% intervals"), "2": ([0, 0.22], "forecasts in each tenth")}
SYMBOLS = ("circle", "square")
SMALLEST_PX, LARGEST_PX = 6, 16


class CalibrationPanel(ChartPanel):
    """The reliability of a forecaster, and of another beside it, on the markets of one book.

    Bins have equal counts; a mark on the diagonal is calibrated. Below are the numbers of forecasts, then the scores of
    all forecasters on the selected markets. `table_of_markets` holds every forecast.
    """

    TITLE = "the calibration"
    FILE = "ninefold-calibration"

    def __init__(
        self,
        record: MarketRecord,
        candidates: Mapping[str, pd.Series] | None = None,
        price_record: Document | None = None,
        **options: Any,
    ) -> None:
        self.world, self._prices = record.world, price_record
        self.table_of_markets = forecasts_table(record, candidates)
        self._candidates = [*(candidates or {})]
        super().__init__(**options)
        self.document = self.table_of_markets
        self.redraw()

    def controls(self) -> Iterable[Widget]:
        table, names = self.table_of_markets, forecasters_of(self.table_of_markets)
        if self._prices:
            names += [f"{PRICES}{row['horizon']}" for row in self._prices["books"][0]["horizons"]]
        live = bool((~table["backfilled"]).sum() >= LEAST_N)
        others = [name for name in (self._candidates and POOL, MARKET, POOL) if name in names]
        first = next((name for name in (*self._candidates[:1], POOL) if name in names), NO_FORECASTER)
        width = Layout(width="150px")
        self.forecaster = Dropdown(options=names or [NO_FORECASTER], value=first, layout=width, tooltip="forecaster")
        rival = next((name for name in others if name != first), NO_FORECASTER)
        self.rival = Dropdown(options=[NO_FORECASTER, *names], value=rival, layout=width, tooltip="beside it")
        self.book = ToggleButtons(options=BOOKS, value=not live, style={"button_width": "90px"})
        self.filters = {
            name: Dropdown(
                options={text: NO_FILTER, **{value: value for value in dict.fromkeys(table[name])}},
                layout=Layout(width="120px"),
                tooltip=name,
            )
            for name, text in FILTERS.items()
        }
        controls = self.forecaster, self.rival, self.book, *self.filters.values()
        for control in controls:
            control.observe(self.redraw, "value")
        return controls

    def new_figure(self) -> Figure:
        figure = Figure()
        percent = {"ticksuffix": "%", "range": [-2, 102], "dtick": 20}
        figure.update_layout(
            height=640,
            hovermode="closest",
            barmode="group",
            margin={"r": 30, "t": 110},
            showlegend=False,
            xaxis={**percent, "anchor": "y", "title": "forecast"},
            xaxis2={**percent, "anchor": "y2"},
            yaxis={**percent, "domain": ROWS[""][0], "anchor": "x"},
            yaxis2={"domain": ROWS["2"][0], "anchor": "x2", "rangemode": "tozero"},
        )
        self.diagonal = figure.new_scatter(
            x=[0, 100], y=[0, 100], mode="lines", hoverinfo="skip", line={"dash": "dot", "width": 1}
        )
        hover = {"hovertemplate": "%{customdata}<extra></extra>"}
        self.bins = [figure.new_scatter(mode="markers+lines", **hover) for _ in SYMBOLS]
        self.counts = [figure.new_bar(xaxis="x2", yaxis="y2", **hover) for _ in SYMBOLS]
        return figure

    def draw(self, document: pd.DataFrame) -> None:
        rows = self._selection(document)
        names = [selected(self.forecaster, str), selected(self.rival, str)]
        self.diagonal.update(line={"color": self.palette.quiet})
        for place, name in enumerate(names):
            bins, counts = ([], np.zeros(10)) if name == NO_FORECASTER else self._marks(rows, name)
            self._draw_bins(place, name, bins)
            self.counts[place].update(
                x=np.arange(5, 100, 10),
                y=counts,
                customdata=[
                    f"{escaped(name)}: {count:,.0f} in {10 * at}–{10 * at + 10}%" for at, count in enumerate(counts)
                ],
                marker={"color": self.palette.colour(place), "line": {"width": 0}},
                visible=bool(counts.any()),
            )
        layout = self.figure.layout
        layout.annotations = [heading(axes, text) for axes, (_, text) in ROWS.items()]
        layout.title = {"text": self._title(rows, names), "subtitle": {"text": self._subtitle(rows, names)}}
        self.detail.value = _scores_table(scores_of(rows))

    def frame(self, document: pd.DataFrame) -> pd.DataFrame:
        """The bins of every forecaster on the selected markets."""
        rows = self._selection(document)
        table = pd.DataFrame(
            [
                {"forecaster": name, "bin": place, **bin_}
                for name in [str(name) for name in self.forecaster.options if name != NO_FORECASTER]
                for place, bin_ in enumerate(self._marks(rows, name)[0], 1)
            ],
            columns=["forecaster", "bin", "p", "observed_pct", "low_pct", "high_pct", "n"],
        )
        return table.assign(backfilled=self.book.value, world=self.world).set_index(["forecaster", "bin"])

    def origin(self, document: pd.DataFrame) -> str:
        book = "BACKFILLED: computed for past dates" if self.book.value else "live: recorded before the outcome"
        return f"{WORLDS.get(self.world, self.world)} · {book} · {len(self._selection(document)):,} resolved markets"

    def _selection(self, table: pd.DataFrame) -> pd.DataFrame:
        mask = table["backfilled"] == self.book.value
        for name, control in self.filters.items():
            if control.value != NO_FILTER:
                mask &= table[name] == control.value
        return table.loc[mask]

    def _marks(self, rows: pd.DataFrame, name: str) -> tuple[list[dict[str, float]], np.ndarray]:
        """The bins of a forecaster, and the number of its forecasts in each tenth."""
        if not name.startswith(PRICES):
            return bins_of(rows, name), np.histogram(100 * rows[name].dropna(), np.arange(0, 101, 10))[0]
        book = book_of(self._prices or {}, selected(self.book, bool))
        horizon = next(row for row in book["horizons"] if f"{PRICES}{row['horizon']}" == name)
        asset = self.filters["asset"].value
        record = horizon["assets"].get(asset) if asset else horizon["all"]
        if not record:
            return [], np.zeros(10)
        return price_bins(record), np.array(record["pit_pct"] or np.zeros(10)) * record["n"] / 100

    def _draw_bins(self, place: int, name: str, bins: list[dict[str, float]]) -> None:
        table = pd.DataFrame(bins, columns=["p", "observed_pct", "low_pct", "high_pct", "n"])
        scale, colour = max(table["n"].max(), 1) if len(table) else 1, self.palette.colour(place)
        self.bins[place].update(
            x=100 * table["p"],
            y=table["observed_pct"],
            error_y={
                "array": table["high_pct"] - table["observed_pct"],
                "arrayminus": table["observed_pct"] - table["low_pct"],
                "width": 0,
                "thickness": 1.5,
            },
            customdata=[
                f"{escaped(name)} {100 * bin_['p']:.1f}%: came true in {bin_['observed_pct']:.1f}% "
                f"[{bin_['low_pct']:.1f}, {bin_['high_pct']:.1f}], n {bin_['n']:,}"
                for bin_ in bins
            ],
            marker={
                "size": [max(SMALLEST_PX, LARGEST_PX * (count / scale) ** 0.5) for count in table["n"]],
                "symbol": SYMBOLS[place],
                "color": colour,
            },
            line={"color": colour, "width": 1},
        )

    def _title(self, rows: pd.DataFrame, names: list[str]) -> str:
        """The verdict on the same markets, or how many bins hold the diagonal."""
        first, second = names
        if first in rows and second in rows and first != second:
            pairs = rows.loc[rows[first].notna() & rows[second].notna()]
            scores = {name: brier(pairs[name].to_numpy(), pairs["happened"].to_numpy()) for name in names}
            difference = weekly_mean(scores[first] - scores[second], pairs["week"].to_numpy(), DIFFERENCES)
            if len(pairs) < LEAST_N:
                return f"{len(pairs)} resolved markets of both; a comparison needs {LEAST_N}"
            winner, loser = names if difference.mean < 0 else names[::-1]
            verdict = f"No clear difference of {escaped(first)} and {escaped(second)}"
            if difference.is_clear:
                verdict = f"{escaped(winner)} is better than {escaped(loser)}"
            means = ", ".join(f"{escaped(name)} {score.mean():.4f}" for name, score in scores.items())
            return f"{verdict}: Brier score {means}, n {len(pairs):,}"
        bins = [] if first == NO_FORECASTER else self._marks(rows, first)[0]
        if not bins:
            return f"Too few resolved forecasts of {escaped(first)}: a calibration needs {LEAST_N}"
        count = sum(bin_["low_pct"] <= 100 * bin_["p"] <= bin_["high_pct"] for bin_ in bins)
        return f"{escaped(first)}: {count} of {len(bins)} bins hold the diagonal in their interval"

    def _subtitle(self, rows: pd.DataFrame, names: list[str]) -> str:
        labels = [name for name in names if name != NO_FORECASTER]
        marks = " ".join(
            f'<span style="color:{self.palette.colour(place)}">{"●■"[place]} {escaped(name)}</span>'
            for place, name in enumerate(labels)
        )
        simulated = " · SIMULATED odds" if self.world == "simulated" and MARKET in labels else ""
        return f"{marks} · a lower Brier score is better · intervals by week{simulated}<br>{self.origin(rows)}"


def _scores_table(scores: pd.DataFrame) -> str:
    columns = ("forecaster", "n", "Brier score", "95% interval", "log score", "miscalibration", "discrimination")
    rows: list[tuple[Cell, ...]] = []
    for row in scores.sort_values("brier").reset_index().to_dict("records"):
        low, high = (number(row[f"brier_{end}"], ".4f") for end in ("low", "high"))
        parts = (f"{row[part]:.4f}" if pd.notna(row[part]) else None for part in PARTS[:2])
        interval = f"[{low}, {high}]" if pd.notna(row["brier_low"]) else None
        rows.append((row["forecaster"], row["n"], f"{row['brier']:.4f}", interval, f"{row['log_score']:.4f}", *parts))
    return grid("Brier score = miscalibration − discrimination + uncertainty of the outcomes", columns, rows)


def calibration(
    source: Archive | MarketRecord, candidates: Mapping[str, pd.Series] | None = None, *, theme: Theme | None = None
) -> CalibrationPanel:
    """The calibration of the pool, each voter, the external market and forecasts of one's own.

    It can be narrowed to a kind of question, a horizon and an asset; of an archive it has the price forecasts, too.

    Parameters
    ----------
    source : the archive of a service, or a record
    candidates : forecasts of one's own by a name, each P(YES) by the id of the market, such as `report.forecasts`

    Returns
    -------
    A panel, which shows itself where a cell ends with it. Raises ClientError where the service cannot be reached.
    """
    if isinstance(source, MarketRecord):
        return CalibrationPanel(source, candidates, theme=theme)
    prices = source.client.forecast_record()
    return CalibrationPanel(source.record(with_inputs=False), candidates, prices, theme=theme)
