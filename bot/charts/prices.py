"""The charts of prices, forecasts and answers, each with the fan of the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from matplotlib.ticker import FuncFormatter

from bot.charts.sheet import (
    ChartTheme,
    Sheet,
    format_time_axis,
    label_ends,
    moment,
    notes,
    png,
    sheet,
)
from bot.keyboards import ALL_TIME, LENGTHS, PERIOD_WORDS
from bot.languages import zone
from bot.messages import formats
from bot.messages.formats import Document

# How far the fan of /price reaches: about a third of the period.
FAN_LENGTHS = {
    "24h": timedelta(hours=8),
    "7d": timedelta(days=3),
    "30d": timedelta(days=10),
    ALL_TIME: timedelta(days=30),
}
BANDS = "inner band: half of all outcomes, outer: 90%"
NO_FORECAST = "there is no forecast now"
MAX_HEIGHTS = 1.5  # a level this many times the height of the chart away from it is named instead of drawn
LEVELS = ("5", "25", "50", "75", "95")
STEPS = 48


class PriceCurve(NamedTuple):
    """The prices of an asset in USD up to now."""

    name: str
    times: list[datetime]
    prices: list[float]


def price(
    prices: Document, quote: Document, candles: Document, forecast: Document | None, period: str, theme: ChartTheme
) -> bytes:
    """The price over a period and the fan of the time after it; `quote` is the asset's part of `prices`."""
    chart, curve = sheet(960, theme), price_curve(candles, quote)
    outlook = fan(forecast, moment(forecast["as_of"]) + FAN_LENGTHS[period]) if forecast else None
    _draw(chart, curve, outlook)
    change = quote["change_24h_pct"] if period == "24h" else 100 * (curve.prices[-1] / curve.prices[0] - 1)
    since = f"since {curve.times[0]:%d %b %Y}" if period == ALL_TIME else PERIOD_WORDS[period]
    title = f"{curve.name} {formats.price(quote['price'])} USD"
    title += "" if change is None else f", {formats.signed_percent(change)} {since}"
    return png(chart, title, notes(prices, *_explained(outlook)))


def forecast(
    prices: Document, quote: Document, candles: Document, forecast: Document, horizon: str, theme: ChartTheme
) -> bytes:
    """The fan up to a horizon of the forecast, after a past of the same length."""
    chart, curve = sheet(960, theme), price_curve(candles, quote)
    outlook = fan(forecast, moment(forecast["as_of"]) + LENGTHS[horizon])
    _draw(chart, curve, outlook)
    low, high = (formats.price(outlook.prices[level][-1]) for level in ("5", "95"))
    title = f"{curve.name} {PERIOD_WORDS[horizon]}: 90% between {low} and {high} USD"
    return png(chart, title, notes(prices, *_explained(outlook)))


def answer(
    answer: Document, quote: Document, candles: Document, forecast: Document | None, headline: str, theme: ChartTheme
) -> bytes:
    """The price, the levels of a question, and the fan up to its deadline; `headline` is the answer."""
    meaning = answer["understood"]
    chart, curve = sheet(1060, theme), price_curve(candles, quote)
    deadline = moment(meaning["deadline"])
    outlook = fan(forecast, deadline, answer.get("price_forecast")) if forecast else None
    levels = [level for level in (meaning["level"], meaning["upper_level"]) if level is not None]
    remarks = _draw(chart, curve, outlook, levels)
    key = [*_explained(outlook), *remarks, f"deadline {formats.instant(meaning['deadline'])}"]
    if outlook and outlook.times[-1] < deadline:
        key.append(f"the forecast reaches {outlook.times[-1]:%d %b}")
    return png(chart, headline, notes(answer, *key), meaning["canonical"])


def price_curve(candles: Document, quote: Document) -> PriceCurve:
    """The closes of complete bars, each at the end of its bar, and the present price."""
    step, now = timedelta(seconds=candles["step_s"]), moment(quote["as_of"])
    closes = [(moment(bar["time"]) + step, bar["close"]) for bar in candles["bars"]]
    points = [*((time, close) for time, close in closes if time < now), (now, quote["price"])]
    return PriceCurve(quote["name"], [time for time, _ in points], [close for _, close in points])


def _draw(chart: Sheet, curve: PriceCurve, outlook: Fan | None, levels: Sequence[float] = ()) -> list[str]:
    """Draw the curve, the fan and the levels; returns a note for each level that is too far away to be drawn."""
    axes, theme = chart.axes, chart.theme
    axes.plot(np.asarray(curve.times), np.asarray(curve.prices), color=theme.line, linewidth=3.5)
    ends = []
    if outlook:
        _draw_fan(chart, outlook)
        bounds = [outlook.prices[level][-1] for level in ("5", "95")]
        ends = [(bound, formats.price(bound), theme.soft_ink) for bound in bounds]
    ends.append((curve.prices[-1], formats.price(curve.prices[-1]), theme.line))
    low, high = axes.get_ylim()
    room, remarks = MAX_HEIGHTS * (high - low), []
    for level in levels:
        if not low - room <= level <= high + room:
            remarks.append(f"level {formats.price(level)} USD: far {'above' if level > high else 'below'} this chart")
            continue
        axes.axhline(level, color=theme.level, linewidth=3, linestyle="--")
        ends.append((level, f"level {formats.price(level)}", theme.level))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: formats.price(value)))
    format_time_axis(axes)
    label_ends(chart, ends)
    return remarks


def _draw_fan(chart: Sheet, outlook: Fan) -> None:
    axes, theme = chart.axes, chart.theme
    times = np.asarray(outlook.times)
    for low, high in (("5", "95"), ("25", "75")):
        band = {"color": theme.line, "alpha": 0.22, "linewidth": 0}
        axes.fill_between(times, outlook.prices[low], outlook.prices[high], **band)
    axes.plot(times, np.asarray(outlook.prices["50"]), color=theme.line, linewidth=2, linestyle=":")


def _explained(outlook: Fan | None) -> list[str]:
    """The meaning of the bands and where they end."""
    if outlook is None:
        return ["in USD", NO_FORECAST]
    return ["in USD", f"forecast until {outlook.times[-1].astimezone(zone()):%d %b %H:%M %Z}", BANDS]


class Fan(NamedTuple):
    """Prices in USD by quantile level, each at the same `times`."""

    times: list[datetime]
    prices: dict[str, list[float]]


def fan(forecast: Document, until: datetime, exact: Document | None = None) -> Fan:
    """The quantiles from the forecast's instant to `until`, at most to its longest horizon.

    Between two horizons the log return of a quantile is interpolated on the square root of time, since the spread of a
    random walk grows like it. `exact` is a further horizon, such as the deadline of a question.
    """
    start = moment(forecast["as_of"])
    horizons: list[Document] = [*forecast["horizons"], *([exact] if exact else [])]
    ends = [horizon for horizon in horizons if moment(horizon["until"]) > start]
    ends.sort(key=lambda horizon: horizon["until"])
    knots = np.array([0.0, *((moment(horizon["until"]) - start).total_seconds() for horizon in ends)])
    last = min(max((until - start).total_seconds(), 0.0), float(knots[-1]))
    seconds = np.unique([*np.linspace(0, last**0.5, STEPS) ** 2, *knots[knots < last], last])
    prices = {}
    for level in LEVELS:
        at_knots = [forecast["price"], *(horizon["quantiles"][level] for horizon in ends)]
        prices[level] = np.exp(np.interp(np.sqrt(seconds), np.sqrt(knots), np.log(at_knots))).tolist()
    return Fan([start + timedelta(seconds=float(second)) for second in seconds], prices)
