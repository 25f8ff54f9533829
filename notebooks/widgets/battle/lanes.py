"""What the battle panel shows of single lanes: their facts, the strip of their statuses, and holding beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd

from notebooks.widgets.base.curves import instants, values
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.html_tables import Fact, table
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import LEGEND_GAP, Document, escaped, minute, moment, unbroken
from service.client import Client, NotFound

LATEST = 8  # events shown
# Each status with its place on the colour scale; an unknown one is drawn in the colour of faults.
STATUSES = {"waiting": 0, "in_market": 1, "in_lp": 1, "harvesting": 2, "switching": 3}
KEY = {0: "waiting", 1: "invested", 2: "harvesting", 3: "switching"}
UNKNOWN = 4
ASSET = "btc"
INTERVAL = "1h"
MAX_BARS = 10_000  # bars in one answer: more than a year


def facts(battle: Document, history: Document, name: str) -> str:
    """The state of a lane, its positions and its latest events, as HTML."""
    lane = next(lane for lane in battle["lanes"] if lane["name"] == name)
    events = next((lane["events"] for lane in history["lanes"] if lane["name"] == name), [])
    holdings = _liquidity(battle, name) or _positions(battle, name)
    return table(f"{lane['label']} ({lane['mode']})", _state(lane)) + holdings + _events(events)


def _state(lane: Document) -> list[Fact]:
    facts = [
        Fact("equity", lane["capital"], " USD"),
        Fact("gain", lane["pnl_pct"], "%", is_change=True),
        Fact("buy and hold of its assets", lane["benchmark_pnl_pct"], "%", is_change=True),
        Fact("trades", lane["trades"]),
        Fact("win rate", lane["win_rate_pct"], "%"),
        Fact("status", lane["status"]),
        Fact("profit factor", lane["profit_factor"]),
        Fact("average APR of its pools, gross", lane["apr_avg_pct"], "%"),
        Fact("net of divergence, gas and swaps", lane["net_apr_pct"], "%"),
        Fact("harvests", lane["harvest_count"]),
        Fact("pool switches", lane["switch_count"]),
    ]
    return [fact for fact in facts if fact.value is not None]


def _positions(battle: Document, name: str) -> str:
    positions = [position for position in battle["venues"]["cex"]["positions"] if position["lane"] == name]
    return table(
        "open positions",
        [
            Fact(f"{position['side']} {position['asset']}", position["pnl_usd"], " USD", is_change=True)
            for position in positions
        ],
    )


def _liquidity(battle: Document, name: str) -> str:
    pool = next((pool for pool in battle["venues"]["dex"]["liquidity"] if pool["lane"] == name), None)
    if pool is None:
        return ""
    facts = [
        Fact("range", f"{pool['range_low']:,.2f} to {pool['range_high']:,.2f}, price {pool['price']:,.2f}"),
        Fact("time in range", pool["in_range_pct"], "%"),
        Fact("fees", pool["fees_usd"], " USD"),
        Fact("uncollected fees", pool["uncollected_usd"], " USD"),
        Fact("divergence PnL", pool["divergence_usd"], " USD", is_change=True),
        Fact("gas and swap costs", pool["gas_usd"] + pool["swap_usd"], " USD"),
        Fact("compared with holding", pool["vs_hodl_pct"], "%", is_change=True),
    ]
    return table(pool["pool"], facts)


def _events(events: list[Document]) -> str:
    latest = events[: -LATEST - 1 : -1]
    return table(
        "latest events", [Fact(minute(event["time"]), f"{event['subject']} {event['note']}") for event in latest]
    )


class StatusStrip:
    """The strip in a figure, on the vertical axis with the number `axes`."""

    def __init__(self, figure: Figure, axes: str) -> None:
        figure.add_heatmap(
            yaxis=f"y{axes}", zmin=0, zmax=UNKNOWN, showscale=False, ygap=3, hovertemplate="%{text}<extra>%{y}</extra>"
        )
        self.trace, self._axes = figure.traces[-1], axes
        figure.layout[f"yaxis{axes}"].update(
            autorange="reversed", showgrid=False, dtick=1, ticksuffix=" ", type="category"
        )

    def draw(self, lanes: Sequence[Document], times: Mapping[str, pd.DatetimeIndex], palette: Palette) -> None:
        """Draw the statuses of the lanes, one row each; `times` are the instants of their points, by name of lane."""
        rows = [pd.Series([point["status"] for point in lane["points"]], times[lane["name"]]) for lane in lanes]
        table = pd.concat(rows, axis=1) if rows else pd.DataFrame()
        cells = table.to_numpy(object, na_value="").T
        codes, statuses = pd.factorize(cells.ravel())
        # Arrays, because plotly checks every element of a list.
        shades = np.array([STATUSES.get(status, UNKNOWN) if status else np.nan for status in statuses], float)
        texts = np.array([escaped(status) for status in statuses], object)
        colours = [*_colours(palette).values(), palette.alarm]
        self.trace.update(
            x=table.index,
            y=[escaped(lane["name"]) for lane in lanes],
            z=shades[codes].reshape(cells.shape),
            text=texts[codes].reshape(cells.shape),
            colorscale=[[place / UNKNOWN, colour] for place, colour in enumerate(colours)],
        )

    def key(self, lanes: Sequence[Document], palette: Palette) -> list[dict[str, Any]]:
        """The annotation above the strip that explains its colours."""
        if not lanes:
            return []
        words = [
            f'<span style="color:{colour}">■</span>{unbroken(f" {KEY[place]}")}'
            for place, colour in _colours(palette).items()
        ]
        place = {"xref": "paper", "x": 0, "yref": f"y{self._axes} domain", "y": 1, "yanchor": "bottom"}
        return [{**place, "showarrow": False, "text": LEGEND_GAP.join(words), "font": {"size": 12}}]


def _colours(palette: Palette) -> dict[int, str]:
    """The colour of each place on the scale."""
    return {0: palette.grid, 1: palette.quiet, 2: palette.colour(2), 3: palette.colour(1)}


class HoldingBenchmark:
    """The bars of bitcoin in a window, and its price when the lanes started."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._entry_price: float | None = None

    def fetch(self, lane: str, since: str) -> dict[str, Any] | None:
        """The bars from an instant on, with the price at the first bar of a lane.

        None while there is no bar, and in a world without bitcoin.
        """
        try:
            self._entry_price = self._entry_price or self._price_at_start(lane)
            bars = self._client.candles(ASSET, INTERVAL, since=since, limit=MAX_BARS)
        except NotFound:
            return None
        return {**bars, "entry_price": self._entry_price} if self._entry_price and bars["bars"] else None

    def _price_at_start(self, lane: str) -> float | None:
        """The price at the beginning of the hour in which a lane started; None before its first bar."""
        points = self._client.lane_equity(lane, limit=1)["points"]
        if not points:
            return None
        # An instant says when a bar was complete: the hour before it is the one in which the lane started.
        hour = (moment(points[0]["time"]) - timedelta(seconds=1)).replace(minute=0, second=0)
        bars = self._client.candles(ASSET, INTERVAL, since=hour.isoformat(), limit=1)["bars"]
        return bars[0]["open"] if bars else None


def gain_of(bars: Document | None) -> pd.Series | None:
    """The gain since the start in percent, by the instants at which the bars were complete."""
    if bars is None:
        return None
    times = instants(bars["bars"]) + pd.Timedelta(seconds=bars["step_s"])
    return pd.Series(100 * (values(bars["bars"], "close") / bars["entry_price"] - 1), times)
