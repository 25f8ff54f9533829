"""A tearsheet: growth, drawdowns and months of a series of values, with its statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from notebooks.lab.returns import STATISTICS, daily_values, statistics
from notebooks.widgets.base.chart_panel import ChartPanel
from notebooks.widgets.base.curves import CurveEnd, drawdowns_pct, gains_pct, heading, labels
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import grid
from notebooks.widgets.base.theme import Theme
from notebooks.widgets.base.wording import escaped, number

# The rows by the number of their vertical axis: the part of the height, and the heading.
ROWS = {"": ([0.58, 1], "gain"), "2": ([0.41, 0.53], "below the highest value"), "3": ([0, 0.29], "months")}
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
STEEPEST = 10.0  # percent of a month in full colour
DAY = "%{x|%Y-%m-%d}<extra></extra>"


class Tearsheet(ChartPanel):
    """The growth of a series of values, its drawdowns and its months, beside a benchmark where there is one.

    `statistics` is a frame with a row for each, see `lab.statistics`. The numbers are those of the days.
    """

    TITLE = "a tearsheet"
    FILE = "ninefold-tearsheet"

    def __init__(
        self, series: pd.Series, benchmark: pd.Series | None = None, *, name: str | None = None, **options: Any
    ) -> None:
        title = name or str(series.name or "series")
        self.values = {title: daily_values(series)}
        if benchmark is not None:
            days = daily_values(benchmark)
            other = str(benchmark.name or "benchmark")
            self.values[other if other != title else "benchmark"] = days.loc[days.index >= self.values[title].index[0]]
        self.statistics = statistics(self.values)
        super().__init__(**options)
        self.document = self.statistics
        self.redraw()

    def new_figure(self) -> Figure:
        figure = Figure()
        for axes, (domain, _) in ROWS.items():
            figure.layout[f"yaxis{axes}"] = {"domain": domain, "anchor": "x" if axes != "3" else "x2"}
        figure.update_layout(
            height=740,
            showlegend=False,
            hovermode="closest",
            margin={"r": 150, "t": 90},
            xaxis={"anchor": "y2"},
            xaxis2={"anchor": "y3", "type": "category", "showgrid": False},
            yaxis={"ticksuffix": "%", "zeroline": True},
            yaxis2={"ticksuffix": "%"},
            yaxis3={"type": "category", "dtick": 1, "autorange": "reversed", "showgrid": False},
        )
        self.gains = [figure.new_scatter(mode="lines", hovertemplate=f"%{{y:+.2f}}%<br>{DAY}") for _ in self.values]
        self.falls = [
            figure.new_scatter(mode="lines", yaxis="y2", hovertemplate=f"%{{y:.2f}}%<br>{DAY}") for _ in self.values
        ]
        months = {"xaxis": "x2", "yaxis": "y3", "showscale": False, "xgap": 2, "ygap": 2, "texttemplate": "%{text}"}
        figure.add_heatmap(**months, hovertemplate="%{y} %{x}: %{z:+.2f}%<extra></extra>", zmin=-1, zmax=1)
        self.months = figure.traces[-1]
        return figure

    def draw(self, document: pd.DataFrame) -> None:
        gains, falls = [], []
        ends: dict[str, list[CurveEnd]] = {"": [], "2": []}
        for place, (name, days) in enumerate(self.values.items()):
            colour = self.palette.colour(None if place else 0)
            gains.append(gains_pct(days.to_numpy(), days.iloc[0]))
            falls.append(drawdowns_pct(days.to_numpy()))
            self.gains[place].update(x=days.index, y=gains[-1], line={"color": colour, "width": 1 if place else 2})
            self.falls[place].update(x=days.index, y=falls[-1], line={"color": colour, "width": 1})
            ends[""].append(CurveEnd(gains[-1][-1], f"{escaped(name)} {number(gains[-1][-1], '+.1f')}%", colour))
            ends["2"].append(CurveEnd(falls[-1][-1], f"worst {number(falls[-1].min(), '.1f')}%", colour))
        self._draw_months(next(iter(self.values.values())))
        layout = self.figure.layout
        layout.annotations = [
            *labels(ends[""], np.concatenate([*gains, [0.0]]), gap=0.08),
            *labels(ends["2"], np.concatenate(falls), gap=0.25, axes="2"),
            *(heading(axes, text) for axes, (_, text) in ROWS.items()),
        ]
        layout.title = {"text": _title(document), "subtitle": {"text": self.origin(document)}}
        rows = [(text, *(_cell(value) for value in document[key])) for key, text in STATISTICS.items()]
        self.detail.value = grid("statistics of the daily returns", ("", *map(str, document.index)), rows)

    def frame(self, document: pd.DataFrame) -> pd.DataFrame:
        return document

    def origin(self, document: pd.DataFrame) -> str:
        days = self.values[str(document.index[0])].index
        return f"{days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d} UTC · years of 365 days · no interest subtracted"

    def _draw_months(self, days: pd.Series) -> None:
        ends = days.resample("ME").last()
        gains, months = 100 * (ends / ends.shift(fill_value=days.iloc[0]) - 1), pd.DatetimeIndex(ends.index)
        table = pd.Series(gains.to_numpy(), [months.month, months.year]).unstack().reindex(range(1, 13))
        reach = min(STEEPEST, max(1.0, float(gains.abs().max())))
        self.months.update(
            x=[str(year) for year in table.columns],
            y=MONTHS,
            z=table.to_numpy(),
            text=[["" if np.isnan(gain) else number(gain, "+.1f") for gain in row] for row in table.to_numpy()],
            zmin=-reach,
            zmax=reach,
            colorscale=[[0, self.palette.colour(3)], [0.5, self.palette.paper], [1, self.palette.colour(0)]],
            textfont={"size": 10},  # in black or white, as can be read on its cell
        )


def tearsheet(
    series: pd.Series, benchmark: pd.Series | None = None, *, name: str | None = None, theme: Theme | None = None
) -> Tearsheet:
    """The tearsheet of any series of values: the equity of a lane, a strategy, a fund, or a price.

    Parameters
    ----------
    series : values above 0 by instant in order of time, such as `archive.lane_equity("trend")["equity_usd"]`
    benchmark : a second series, shown beside it from the same day on
    name : the title of the series; its own name by default

    Returns
    -------
    A panel, which shows itself where a cell ends with it; `.statistics` are its numbers, equal to those of quantstats
    on the same daily returns with 365 periods a year. ValueError where the values are not above 0 or not in order.
    """
    return Tearsheet(series, benchmark, name=name, theme=theme)


def _title(table: pd.DataFrame) -> str:
    row = table.iloc[0]
    parts = [f"{escaped(str(table.index[0]))}: {number(row['return_pct'], '+.1f')}% in {int(row['days']):,} days"]
    if pd.notna(row["sharpe"]):
        low, high = (number(row[f"sharpe_{end}"], ".1f") for end in ("low", "high"))
        parts.append(f"Sharpe {number(row['sharpe'], '.2f')} [{low}, {high}]")
    return ", ".join([*parts, f"worst drawdown {number(row['max_drawdown_pct'], '.1f')}%"])


def _cell(value: Any) -> float | None:
    return None if pd.isna(value) else value
