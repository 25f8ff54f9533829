"""The recent price of an asset, and the fan of its forecast with a dot at each horizon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from notebooks.widgets.base.curves import CurveEnd, instants, labels
from notebooks.widgets.base.figure import Figure
from notebooks.widgets.base.theme import Palette
from notebooks.widgets.base.wording import Document, moment, price

LEVELS = ("5", "25", "50", "75", "95")
BANDS = (("5", "95"), ("25", "75"))
PAST_HOVER = "%{y:,.6g} USD<br>%{x|%Y-%m-%d %H:%M} UTC<extra></extra>"
FAINT = "38"  # opacity of a band, as the last two digits of a colour
STEPS = 48
CLOSEST, CLOSEST_LABELS = 1 / 30, 1 / 8  # of the reach: earlier dots and their labels would lie on each other


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
        self, forecast: Document, candles: Document, reach: Document, picked: str | None, palette: Palette
    ) -> list[dict[str, Any]]:
        """Draw the fan up to the horizon `reach` after a past of the same length; returns the labels at its end."""
        colour, curves = palette.colour(0), fan_curves(forecast, reach)
        times, past = past_prices(forecast, candles, reach)
        for trace, (low, high) in zip(self.bands, BANDS, strict=True):
            outline = np.append(curves.prices[low], curves.prices[high][::-1])
            trace.update(x=curves.times.append(curves.times[::-1]), y=outline, fillcolor=f"{colour}{FAINT}")
        self.past.update(x=times, y=past, line={"color": colour, "width": 2})
        line = {"color": colour, "width": 1.5, "dash": "dot"}
        self.median.update(x=curves.times, y=curves.prices["50"], line=line)
        self._draw_horizons(forecast, reach, picked, palette)
        drawn = np.concatenate([past, *curves.prices.values()])
        ends = [_end(level, prices[-1], palette) for level, prices in curves.prices.items()]
        return labels(ends, drawn, gap=0.08)

    def _draw_horizons(self, forecast: Document, reach: Document, picked: str | None, palette: Palette) -> None:
        dots = shown_horizons(forecast, reach)
        far = [_share(forecast, horizon, reach) >= CLOSEST_LABELS for horizon in dots]
        chosen = [horizon["horizon"] == picked for horizon in dots]
        self.horizons.update(
            x=instants(dots, "until"),
            y=[horizon["quantiles"]["50"] for horizon in dots],
            ids=[horizon["horizon"] for horizon in dots],
            text=[horizon["horizon"] if is_far else "" for horizon, is_far in zip(dots, far, strict=True)],
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
    (begin,), horizons = instants([forecast], "as_of"), forecast["horizons"]
    seconds = [0.0, *(instants(horizons, "until") - begin).total_seconds()]
    last = (instants([reach], "until") - begin).total_seconds()[0]
    at = np.unique([*np.linspace(0, last**0.5, STEPS) ** 2, *(second for second in seconds if second <= last)])
    prices = {}
    for level in LEVELS:
        knots = [forecast["price"], *(horizon["quantiles"][level] for horizon in horizons)]
        prices[level] = np.exp(np.interp(np.sqrt(at), np.sqrt(seconds), np.log(knots)))
    return FanCurves(pd.DatetimeIndex(pd.to_timedelta(at.round(), unit="s") + begin), prices)


def past_prices(forecast: Document, candles: Document, reach: Document) -> tuple[pd.Index, np.ndarray]:
    """The close of each bar at its end, and the price of the forecast at its instant."""
    (begin,), (until,) = instants([forecast], "as_of"), instants([reach], "until")
    times = instants(candles["bars"]) + pd.Timedelta(seconds=candles["step_s"])
    is_shown = (times >= begin - (until - begin)) & (times < begin)
    closes = np.array([bar["close"] for bar in candles["bars"]], float)[is_shown]
    return times[is_shown].append(pd.DatetimeIndex([begin])), np.append(closes, forecast["price"])


def shown_horizons(forecast: Document, reach: Document) -> list[Document]:
    """The horizons up to `reach`, without those so near the beginning that their dots would lie on each other."""
    return [horizon for horizon in forecast["horizons"] if CLOSEST <= _share(forecast, horizon, reach) <= 1]


def _share(forecast: Document, horizon: Document, reach: Document) -> float:
    begin = moment(forecast["as_of"])
    return (moment(horizon["until"]) - begin) / (moment(reach["until"]) - begin)


def _end(level: str, value: float, palette: Palette) -> CurveEnd:
    return CurveEnd(value, f"{level}%: {price(value)}", palette.ink if level == "50" else palette.quiet)


def _horizon_text(horizon: Document) -> str:
    low, high = (price(horizon["quantiles"][level]) for level in ("5", "95"))
    return f"after {horizon['horizon']}: 90% between {low} and {high} USD<br>a click shows all quantiles"
