"""The forecast of a price as a fan, and how good such forecasts were."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pandas as pd
from ipywidgets import Dropdown, Layout, ToggleButtons, Widget

from notebooks.widgets import frames
from notebooks.widgets.base.books import BOOKS, book_of
from notebooks.widgets.base.chart_panel import selected
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import side_by_side
from notebooks.widgets.base.refreshing_panel import RefreshingPanel
from notebooks.widgets.base.wording import BACKFILLED, Document, escaped, moment, price, world
from notebooks.widgets.forecast import calibration
from notebooks.widgets.forecast.facts import quantile_tables, record_facts
from notebooks.widgets.forecast.fan import FanTraces
from service.client import ASSETS, Client

FIRST_ASSET = next(iter(ASSETS))  # until the first document names them all
REACHES = ("24h", "7d", "30d")  # horizons that the record has as well
PAST = timedelta(days=30)  # as long as the longest reach
FAN_PX, CALIBRATION_PX, ROW_PX, BETWEEN_PX, TOP_PX, BOTTOM_PX = 300, 150, 40, 72, 96, 40
LEAST_N = 30  # independent forecasts that the service needs for a verdict
HEADROOM = 1.15  # of the histogram
NOWHERE = [0, 0.001]  # a chart without data; elsewhere it would lie over another
LEFT, RIGHT = [0, 0.44], [0.58, 1]


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
        self.picked: str | None = None
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
        end_labels = self.fan.draw(forecast, document["candles"], reach, self.picked, self.palette)
        self.calibration.draw(records, reach_name, self.palette)
        self.figure.update_layout(**_axes(records, reach_name))
        layout = self.figure.layout
        layout.annotations = [*end_labels, *calibration.texts(records, reach_name, self.palette)]
        layout.shapes = calibration.shapes(records, reach_name, self.palette)
        layout.title = {
            "text": title(forecast, reach, records[reach_name]),
            "subtitle": {"text": self._subtitle(forecast, reach_name, records[reach_name])},
        }
        self.detail.value = self._facts(forecast["name"], horizons[self.picked], records) if self.picked else ""

    def pick(self, horizon: str) -> None:
        """Show the quantiles of a horizon and what each voter expects below the chart."""
        with self._lock:
            self.picked = horizon
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
        self.picked = None
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
