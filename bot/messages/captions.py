"""The captions of charts: the number that matters, and the source of the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.languages import english, translate
from bot.messages import formats
from bot.messages.formats import asset, change_arrow, footer, percent, signed_percent
from bot.messages.markup import CAPTION, escaped, message
from bot.messages.oracle import facts, headline

# The horizons of forecasts, at the beginning of a line.
HORIZONS = {"24h": english("After 24 hours"), "7d": english("After 7 days"), "30d": english("After 30 days")}


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
    detail = "\n".join(part for part in (*facts(document), link) if part)
    return _caption(f"<b>{headline(document)}</b>", detail, document)


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


def _caption(head: str, detail: str, document: Mapping[str, Any]) -> str:
    return message([head, detail], footer(document), limit=CAPTION)
