"""The forecast of a price as a fan, and how good such forecasts were."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget

from notebooks.widgets import frames
from notebooks.widgets.base.chart_panel import selected
from notebooks.widgets.base.curves import CurveEnd, instants, labels
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import Fact, grid, side_by_side, table
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import (
    BACKFILLED,
    BOOKS,
    Document,
    book_of,
    escaped,
    minute,
    moment,
    number,
    price,
    world,
)
from notebooks.widgets.forecast import calibration
from notebooks.widgets.forecast.calibration import coverages, ratio_text
from service.client import ASSETS, Client

FIRST_ASSET = next(iter(ASSETS))  # until the first document names them all
REACHES = ("24h", "7d", "30d")  # horizons that the record has as well
PAST = timedelta(days=30)  # as long as the longest reach
FAN_PX, CALIBRATION_PX, ROW_PX, BETWEEN_PX, TOP_PX, BOTTOM_PX = 300, 150, 40, 72, 96, 40
LEAST_N = 30  # independent forecasts that the service needs for a verdict
HEADROOM = 1.15  # of the histogram
NOWHERE = [0, 0.001]  # a chart without data; elsewhere it would lie over another
LEFT, RIGHT = [0, 0.44], [0.58, 1]
LEVELS = ("5", "25", "50", "75", "95")
BANDS = (("5", "95"), ("25", "75"))
PAST_HOVER = "%{y:,.6g} USD<br>%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"
FAINT = 0.22  # opacity of a band
STEPS = 48
CLOSEST, CLOSEST_LABELS = 1 / 30, 1 / 8  # of the reach: earlier dots and their labels would lie on each other
SPAN = ("5", "95")


class ForecastPanel(RefreshingPanel):
    """Where the price of an asset will be, with the calibration of such forecasts; a click on a horizon selects it.

    `asset` is the asset shown first, as `client.prices()` names it.
    """

    TITLE = "the price forecast"
    FILE = "ninefold-forecast"
    EVERY_S = 300

    def __init__(self, client: Client, *, asset: str = FIRST_ASSET, **options: Any) -> None:
        self._first_asset = asset
        super().__init__(client, **options)

    def controls(self) -> Iterable[Widget]:
        self.asset = Dropdown(options=[self._first_asset], layout=Layout(width="90px"), tooltip="asset")
        self.reach = ToggleButtons(options=REACHES, value="7d", style={"button_width": "60px"})
        self.book = ToggleButtons(options=BOOKS, value=True, style={"button_width": "90px"})
        self.asset.observe(self.request_refresh, "value")
        self.reach.observe(self._change_reach, "value")
        self.book.observe(self.redraw, "value")
        return self.asset, self.reach, self.book

    def new_figure(self) -> Figure:
        figure = Figure()
        self.fan = FanTraces(figure, self.pick)
        self.calibration = calibration.CalibrationTraces(figure)
        self.selection: str | None = None
        figure.update_layout(
            showlegend=False,
            hovermode="closest",
            margin={"t": TOP_PX, "b": BOTTOM_PX},
            xaxis={"anchor": "y"},
            yaxis={"anchor": "x", "title": "USD"},
            xaxis2={"anchor": "y2", "domain": LEFT, "ticksuffix": "%", "range": [0, 100], "dtick": 50},
            yaxis2={"anchor": "x2", "ticksuffix": "%"},
            xaxis3={"anchor": "y3", "domain": RIGHT, "type": "category", "tickangle": 0},
            yaxis3={"anchor": "x3"},
            xaxis4={"anchor": "y4"},
            yaxis4={"anchor": "x4", "type": "category", "visible": False},
        )
        return figure

    def fetch(self) -> dict[str, Document]:
        asset, record = selected(self.asset, str), self.client.forecast_record()
        forecast = self.client.forecast(asset)
        since = (moment(forecast["as_of"]) - PAST).isoformat()
        candles = self.client.candles(asset, "1h", since=since)
        if self.document is None:
            self._offer(record)
        return {"forecast": forecast, "candles": candles, "record": record}

    def header(self, document: dict[str, Document]) -> Document:
        return document["forecast"]

    def frame(self, document: dict[str, Document]) -> pd.DataFrame:
        return frames.price_forecasts(document["forecast"])

    def draw(self, document: dict[str, Document]) -> None:
        forecast, reach_name = document["forecast"], selected(self.reach, str)
        horizons = {horizon["horizon"]: horizon for horizon in forecast["horizons"]}
        reach, records = horizons[reach_name], self._records(document)
        end_labels = self.fan.draw(forecast, document["candles"], reach, self.selection, self.palette)
        self.calibration.draw(records, reach_name, self.palette)
        self.figure.update_layout(**_axes(records, reach_name))
        layout = self.figure.layout
        layout.annotations = [*end_labels, *calibration.texts(records, reach_name, self.palette)]
        layout.shapes = calibration.shapes(records, reach_name, self.palette)
        layout.title = {
            "text": title(forecast, reach, records[reach_name]),
            "subtitle": {"text": self._subtitle(forecast, reach_name, records[reach_name])},
        }
        self.detail.value = self._facts(forecast["name"], horizons[self.selection], records) if self.selection else ""

    def pick(self, horizon: str) -> None:
        """Show the quantiles of a horizon and what each voter expects below the chart."""
        with self._lock:
            self.selection = horizon
            self.redraw()

    def _records(self, document: dict[str, Document]) -> dict[str, Document]:
        """The record of all assets in the selected book, by horizon: that of one asset has too few weeks for years."""
        book = book_of(document["record"], selected(self.book, bool))
        return {row["horizon"]: row["all"] for row in book["horizons"]}

    def _facts(self, name: str, horizon: Document, records: calibration.Records) -> str:
        record = records.get(horizon["horizon"])
        tables = quantile_tables(name, horizon)
        return side_by_side(*tables, record_facts(horizon["horizon"], record) if record else "")

    def _subtitle(self, forecast: Document, horizon: str, record: Document) -> str:
        bands = "dark: half of all outcomes, light: 90%, dotted: median"
        origin = BACKFILLED if self.book.value else "live: recorded before the outcome"
        line = calibration.record_line(horizon, record)
        return f"now {price(forecast['price'])} USD · {bands} · {world(forecast)} · times UTC<br>{line} · {origin}"

    def _change_reach(self, _change: Any) -> None:
        self.selection = None
        self.redraw()

    def _offer(self, record: Document) -> None:
        """Offer the assets of the record and keep the selected one; show its live book once that has eight weeks."""
        live = book_of(record, backfilled=False)["horizons"]
        selection = self.asset.value
        self.asset.unobserve(self.request_refresh, "value")  # new options select the first of them
        self.asset.options = list(live[0]["assets"])
        self.asset.value = selection
        self.asset.observe(self.request_refresh, "value")
        self.book.value = not any(row["all"]["needed"] for row in live)


def _faint(colour: str) -> str:
    """A colour `#rrggbb` with the opacity of a band, in a form that every plotly reads."""
    return f"rgba({', '.join(str(part) for part in bytes.fromhex(colour[1:]))}, {FAINT})"


def title(forecast: Document, reach: Document, record: Document) -> str:
    """Where the price will be, and how often such an interval was right."""
    low, high = (price(reach["quantiles"][percent]) for percent in ("5", "95"))
    conclusion = f"{escaped(forecast['name'])} after {reach['horizon']}: 90% between {low} and {high} USD"
    if not record["n"] or record["n_eff"] < LEAST_N:
        return f"{conclusion}; too few have resolved to judge it"
    return f"{conclusion}; {record['coverage_pct']['90']:.1f}% of {record['n']:,} such intervals held"


def _axes(records: calibration.Records, horizon: str) -> dict[str, Any]:
    """The height of the figure and the axes of the charts that have data, from the top down."""
    rows = list(calibration.resolved(records))
    calibration_px = CALIBRATION_PX if records[horizon]["n"] else 0
    heights = [height for height in (FAN_PX, calibration_px, ROW_PX * len(rows)) if height]
    inner = sum(heights) + BETWEEN_PX * (len(heights) - 1)
    tops = [inner - sum(heights[:place]) - BETWEEN_PX * place for place in range(len(heights))]
    domains = [[(top - height) / inner, top / inner] for top, height in zip(tops, heights, strict=True)]
    second = domains[1] if calibration_px else NOWHERE
    places = {"": domains[0], "2": second, "3": second, "4": domains[-1] if rows else NOWHERE}
    axes: dict[str, Any] = {f"yaxis{axis}": {"domain": domain} for axis, domain in places.items()}
    for axis in ("2", "3"):
        axes[f"yaxis{axis}"]["visible"] = bool(calibration_px)
        axes[f"xaxis{axis}"] = {"visible": bool(calibration_px)}
    axes["yaxis2"]["range"] = [0, HEADROOM * max(records[horizon]["pit_pct"] or [1.0])]
    axes["xaxis4"] = {"visible": bool(rows)}
    axes["yaxis4"] |= {"categoryarray": rows[::-1], "categoryorder": "array", "range": [-0.5, len(rows) - 0.2]}
    return {"height": inner + TOP_PX + BOTTOM_PX, **axes}


class FanCurves(NamedTuple):
    """Prices in USD by percent, each at the same `times`."""

    times: pd.DatetimeIndex
    prices: dict[str, np.ndarray]


class FanTraces:
    """The traces of the price and of the fan, on the first axes; a click on a dot calls `pick` with its horizon."""

    def __init__(self, figure: Figure, pick: Callable[[str], None]) -> None:
        band = {"mode": "lines", "fill": "toself", "line": {"width": 0}, "hoverinfo": "skip"}
        self.bands = [figure.new_scatter(**band) for _bounds in BANDS]
        self.past = figure.new_scatter(mode="lines", hovertemplate=PAST_HOVER)
        # A point of a line below a dot would take its clicks.
        self.median = figure.new_scatter(mode="lines", hoverinfo="skip")
        dots = {"mode": "markers+text", "textposition": "top center", "cliponaxis": False}
        self.horizons = figure.new_scatter(hovertemplate="%{customdata}<extra></extra>", **dots)
        figure.on_pick(self.horizons, pick)

    def draw(
        self, forecast: Document, candles: Document, reach: Document, selection: str | None, palette: Palette
    ) -> list[dict[str, Any]]:
        """Draw the fan up to the horizon `reach` after a past of the same length; returns the labels at its end."""
        colour, curves = palette.colour(0), fan_curves(forecast, reach)
        times, past = past_prices(forecast, candles, reach)
        for trace, (low, high) in zip(self.bands, BANDS, strict=True):
            outline = np.append(curves.prices[low], curves.prices[high][::-1])
            trace.update(x=curves.times.append(curves.times[::-1]), y=outline, fillcolor=_faint(colour))
        self.past.update(x=times, y=past, line={"color": colour, "width": 2})
        line = {"color": colour, "width": 1.5, "dash": "dot"}
        self.median.update(x=curves.times, y=curves.prices["50"], line=line)
        self._draw_horizons(forecast, reach, selection, palette)
        heights = np.concatenate([past, *curves.prices.values()])
        ends = [_end(level, prices[-1], palette) for level, prices in curves.prices.items()]
        return labels(ends, heights, gap=0.08)

    def _draw_horizons(self, forecast: Document, reach: Document, selection: str | None, palette: Palette) -> None:
        dots = shown_horizons(forecast, reach)
        has_label = [_share(forecast, horizon, reach) >= CLOSEST_LABELS for horizon in dots]
        chosen = [horizon["horizon"] == selection for horizon in dots]
        self.horizons.update(
            x=instants(dots, "until"),
            y=[horizon["quantiles"]["50"] for horizon in dots],
            ids=[horizon["horizon"] for horizon in dots],
            text=[horizon["horizon"] if is_far else "" for horizon, is_far in zip(dots, has_label, strict=True)],
            customdata=[_horizon_text(horizon) for horizon in dots],
            marker={
                "size": [14 if is_chosen else 10 for is_chosen in chosen],
                "color": [palette.ink if is_chosen else palette.colour(0) for is_chosen in chosen],
                "line": {"color": palette.paper, "width": 1.5},
            },
        )


def fan_curves(forecast: Document, reach: Document) -> FanCurves:
    """The quantiles at every instant from the forecast's to the horizon `reach`.

    Between two horizons the logarithm of a quantile is interpolated on the square root of time, because the spread of a
    random walk grows with it.
    """
    (start,), horizons = instants([forecast], "as_of"), forecast["horizons"]
    seconds = [0.0, *(instants(horizons, "until") - start).total_seconds()]
    last = (instants([reach], "until") - start).total_seconds()[0]
    at = np.unique([*np.linspace(0, last**0.5, STEPS) ** 2, *(second for second in seconds if second <= last)])
    prices = {}
    for level in LEVELS:
        knots = [forecast["price"], *(horizon["quantiles"][level] for horizon in horizons)]
        prices[level] = np.exp(np.interp(np.sqrt(at), np.sqrt(seconds), np.log(knots)))
    return FanCurves(pd.DatetimeIndex(pd.to_timedelta(at.round(), unit="s") + start), prices)


def past_prices(forecast: Document, candles: Document, reach: Document) -> tuple[pd.Index, np.ndarray]:
    """The close of each bar at its end, and the price of the forecast at its instant."""
    (start,), (until,) = instants([forecast], "as_of"), instants([reach], "until")
    times = instants(candles["bars"]) + pd.Timedelta(seconds=candles["step_s"])
    is_shown = (times >= start - (until - start)) & (times < start)
    closes = np.array([bar["close"] for bar in candles["bars"]], float)[is_shown]
    return times[is_shown].append(pd.DatetimeIndex([start])), np.append(closes, forecast["price"])


def shown_horizons(forecast: Document, reach: Document) -> list[Document]:
    """The horizons up to `reach`, without those so near the beginning that their dots would lie on each other."""
    return [horizon for horizon in forecast["horizons"] if CLOSEST <= _share(forecast, horizon, reach) <= 1]


def _share(forecast: Document, horizon: Document, reach: Document) -> float:
    start = moment(forecast["as_of"])
    return (moment(horizon["until"]) - start) / (moment(reach["until"]) - start)


def _end(level: str, value: float, palette: Palette) -> CurveEnd:
    return CurveEnd(value, f"{level}%: {price(value)}", palette.ink if level == "50" else palette.quiet)


def _horizon_text(horizon: Document) -> str:
    low, high = (price(horizon["quantiles"][level]) for level in ("5", "95"))
    return f"after {horizon['horizon']}: 90% between {low} and {high} USD<br>a click shows all quantiles"


def quantile_tables(name: str, horizon: Document) -> tuple[str, str]:
    """The quantiles of the price, and the volatility that each voter expects, as HTML."""
    quantiles = [Fact(f"{percent}% below", price(value)) for percent, value in horizon["quantiles"].items()]
    views = {"pool": horizon, **horizon["voters"]}
    rows = [
        [voter, number(view["sigma_pct"], ".3f"), *(price(view["quantiles"][percent]) for percent in SPAN)]
        for voter, view in views.items()
    ]
    columns = ("voter", "sigma, %", *(f"{percent}% below, USD" for percent in SPAN))
    title = f"{name} after {horizon['horizon']}, USD, at {minute(horizon['until'])}"
    return table(title, quantiles), grid("what each voter expects (sigma: of the log return)", columns, rows)


def record_facts(horizon: str, record: Document) -> str:
    """The record of the forecasts of one horizon, as HTML; an empty string without a resolved one."""
    if not record["n"]:
        return ""
    inside = [Fact(f"inside the {nominal}% interval", str(share)) for nominal, share in coverages(record).items()]
    return table(
        f"resolved {horizon} forecasts of all assets",
        [
            Fact("number", record["n"]),
            Fact("effective number", record["n_eff"]),
            *inside,
            Fact("CRPS over that of plain volatility", ratio_text(record)),
            Fact("verdict", record["verdict"]),
            Fact("number needed for a verdict", record["needed"]),
        ],
    )
