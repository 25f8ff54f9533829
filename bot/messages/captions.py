"""The captions of charts: the number that matters, and the source of the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import english, translate
from bot.languages.punctuation import labelled
from bot.messages import formats
from bot.messages.formats import asset, change_arrow, footer, percent, signed_percent, signed_usd
from bot.messages.markup import CAPTION, escaped, message
from bot.messages.oracle import facts, headline
from bot.messages.predictions import verdict
from bot.periods import ALL_TIME, WORDS, base, gain_pct, lane_gain, together_pct, within

# The horizons of forecasts, at the beginning of a line.
HORIZONS = {"24h": english("After 24 hours"), "7d": english("After 7 days"), "30d": english("After 30 days")}


def lanes(history: Mapping[str, Any], period: str, venue: str | None = None) -> str:
    """The best and the worst lane over a period, and all of them together."""
    entries = [lane for lane in history["lanes"] if lane["points"] and venue in (None, lane["venue"])]
    if not entries:
        return _caption(f"<b>{translate('The paper-trading lanes')}</b>", "", history, paper=True)
    ranks = sorted(entries, key=lambda lane: lane_gain(lane, period))
    lowest, best = (
        f"{escaped(lane['name'], 60)} {signed_percent(lane_gain(lane, period))}" for lane in (ranks[0], ranks[-1])
    )
    gain = signed_percent(together_pct(entries, period))
    total = translate("All together {gain}, worst: {worst}", gain=gain, worst=lowest)
    head = translate("<b>{best}</b> {period} is the best lane", best=best, period=translate(WORDS[period]))
    return _caption(head, total, history, paper=True)


def lane(history: Mapping[str, Any], period: str) -> str:
    """The gain of one lane over a period and since its start."""
    entry = history["lanes"][0] if history["lanes"] else None
    if entry is None or not entry["points"]:
        return _caption(f"<b>{translate('One paper-trading lane')}</b>", "", history, paper=True)
    points, capital = entry["points"], entry["initial_capital"]
    gain = signed_usd(points[-1]["equity_usd"] - base(points, period, capital))
    title = f"<b>{escaped(entry['label'], 120)} {signed_percent(lane_gain(entry, period))}</b>"
    head = f"{title} {translate(WORDS[period])} ({gain})"
    total = "" if period == ALL_TIME else f"{signed_percent(lane_gain(entry, ALL_TIME))} {translate(WORDS[ALL_TIME])}"
    return _caption(head, total, history, paper=True)


def strategy(document: Mapping[str, Any], period: str) -> str:
    """The gain of a strategy over a period, and that of holding."""
    name, capital = escaped(document["name"], 120), document["standing"]["initial_capital"]
    return _compared(document, name, period, capital, translate("Holding the same assets"))


def fund(document: Mapping[str, Any], period: str) -> str:
    """The gain of the fund over a period, and that of a constant half in Bitcoin."""
    name, benchmark = translate("The virtual apex fund"), translate("Always half in Bitcoin")
    return _compared(document, name, period, document["initial_capital"], benchmark)


def accuracy(document: Mapping[str, Any]) -> str:
    """The track record in one sentence."""
    return _caption(translate("<b>The AI against the market</b>"), verdict(document), document)


def price(document: Mapping[str, Any], quote: Mapping[str, Any], forecast: Mapping[str, Any] | None) -> str:
    """The price of an asset, its change in 24 hours, and the range of the next 24 hours."""
    change = quote["change_24h_pct"]
    head = f"<b>{change_arrow(change)} {asset(quote['asset'])} {formats.price(quote['price'])} USD</b>"
    head = translate("{price}, {change} in 24 hours", price=head, change=signed_percent(change))
    expected = _likely(forecast, "24h", "5", "95") if forecast else ""
    return _caption(head, expected, document)


def forecast(document: Mapping[str, Any], horizon: str) -> str:
    """Where the price of an asset will be after a horizon."""
    now = translate("{asset} {price} USD now", asset=asset(document["asset"]), price=formats.price(document["price"]))
    ranges = [_likely(document, horizon, "5", "95"), _likely(document, horizon, "25", "75")]
    return _caption(f"<b>{now}</b>", "\n".join(ranges), document)


def answer(document: Mapping[str, Any], address: str | None = None) -> str:
    """The answer to a question, with the price, the level, the deadline, and a link that a forwarded photo keeps."""
    link = f'<a href="{escaped(address, 300)}">{translate("Open in the bot")}</a>' if address else ""
    detail = "\n".join(part for part in (facts(document["understood"]), link) if part)
    return _caption(f"<b>{headline(document)}</b>", detail, document)


def _compared(document: Mapping[str, Any], name: str, period: str, capital: float, benchmark: str) -> str:
    if not document["equity"]:
        return _caption(f"<b>{name}</b>", "", document, paper=True)
    points = within(document["equity"], period)
    gain, holding = (
        signed_percent(gain_pct(points, period, capital, column)) for column in ("equity_usd", "benchmark_usd")
    )
    head = f"<b>{name} {gain}</b> {translate(WORDS[period])}"
    return _caption(head, labelled(benchmark, holding), document, paper=True)


def _likely(forecast: Mapping[str, Any], name: str, low: str, high: str) -> str:
    """Between which prices a share of the outcomes lies after a horizon."""
    quantiles = next(horizon["quantiles"] for horizon in forecast["horizons"] if horizon["horizon"] == name)
    return translate(
        "{horizon}, {percent} of outcomes: {low} to {high} USD",
        horizon=translate(HORIZONS[name]),
        percent=percent(int(high) - int(low), 0),
        low=formats.price(quantiles[low]),
        high=formats.price(quantiles[high]),
    )


def _caption(head: str, detail: str, document: Mapping[str, Any], *, paper: bool = False) -> str:
    return message([head, detail], footer(document, paper=paper), limit=CAPTION)
