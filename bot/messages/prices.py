"""Prices, where prices will be, and the captions of charts: the number that matters, and the source of the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.languages import TEXTS, english, enumerated, translate, translate_plural
from bot.messages.formats import (
    DOWN,
    UP,
    Document,
    asset,
    change_arrow,
    decimal,
    footer,
    instant,
    noun,
    percent,
    price,
    signed_decimal,
    signed_percent,
    time_of_day,
)
from bot.messages.markup import CAPTION, escaped, message, table
from bot.messages.oracle import facts, headline

# The horizons of forecasts, at the beginning of a line.
HORIZONS = {"24h": english("After 24 hours"), "7d": english("After 7 days"), "30d": english("After 30 days")}
BOUNDS = TEXTS["notices"]["bounds"]
NO_FORECAST = english("There is no forecast at the moment. Forecasts are renewed while the market is open.")
DAY, HEADLINES = "24h", 3
SPANS = {"h": english("{n}h"), "d": english("{n}d")}
QUOTED_IN = re.compile(r"(?<=\w)[/ -]?usd[tc]?$")


def find_asset(text: str, keys: Iterable[str]) -> str | None:
    """The key of the asset that `text` names, such as "btc", "Bitcoin" or "BTC/USDT"; None for another text."""
    word = QUOTED_IN.sub("", text.strip().lower())
    return next((key for key in keys if word in (key, asset(key).lower())), None)


def one_price(document: Document, key: str, *, now: datetime | None = None) -> str:
    """The price of one asset, its change and its range in 24 hours."""
    quote = next(quote for quote in document["prices"] if quote["asset"] == key)
    return message(_price_lines(quote), footer(document, now))


def conversion(quote: Document, reading: Document) -> str:
    """What the amount that a text asks for is worth in its currency; that prices are in USD where that has no rate."""
    amount, currency = reading["amount"] or 1, reading["currency"]
    usd = amount * quote["price"]
    value, unit = (reading["value"], currency) if currency and reading["value"] else (usd, "USD")
    number = decimal(amount, 0) if amount == int(amount) else price(amount)
    head = f"<b>{number} {asset(quote['asset'])} = {price(value)} {unit}</b>" if (amount, unit) != (1, "USD") else ""
    rate = f"1 {unit} = {price(usd / value)} USD" if unit != "USD" else ""
    return message([head, rate, translate("Prices here are in USD.") if currency and not rate else ""])


def _price_lines(quote: Document) -> list[str]:
    change = quote["change_24h_pct"]
    head = f"<b>{change_arrow(change)} {asset(quote['asset'])} {price(quote['price'])} USD</b>"
    values = {"change": signed_percent(change), "low": price(quote["low_24h"]), "high": price(quote["high_24h"])}
    if quote["market_open"]:
        return [head, translate("{change} in 24 hours, between {low} and {high} USD", **values)]
    closure = translate("This market is closed. The price is of {instant}.", instant=instant(quote["as_of"]))
    return [head, closure, translate("{change} in the 24 hours before, between {low} and {high} USD", **values)]


def why(document: Document, key: str, pulse: Document, forecast: Document | None) -> str:
    """What the data shows beside the move of a price: a usual day, the other markets, and the news."""
    quotes = {quote["asset"]: quote for quote in document["prices"]}
    quote, news = quotes.pop(key), next((row for row in pulse["by_asset"] if row["asset"] == key), None)
    change = quote["change_24h_pct"] or 0
    followers = sum((other["change_24h_pct"] or 0) * change > 0 for other in quotes.values())
    stories = [story for story in pulse["headlines"] if key in story["assets"]][:HEADLINES]
    titles = [f"· {instant(story['published_at'])}: {escaped(story['title'], 200)}" for story in stories]
    quotation = "\n".join([translate("Latest headlines:"), *titles]) if titles else ""
    blocks = [
        *_price_lines(quote),
        translate("Nobody knows the cause for certain. This is what the data of the last 24 hours shows."),
        _usual(change, forecast) if forecast and quote["market_open"] else "",
        translate("{n} of {total} other markets moved the same way.", n=followers, total=len(quotes)),
        translate_plural(
            "News about {asset} in 24 hours: {score} ({n} story)",
            "News about {asset} in 24 hours: {score} ({n} stories)",
            news["n"],
            asset=asset(key),
            score=signed_decimal(news["score"], 2),
        )
        if news
        else "",
        f"<blockquote expandable>{quotation}</blockquote>" if quotation else "",
    ]
    return message(blocks, footer(document))


def _usual(change: float, forecast: Document) -> str:
    """Whether a day's change is one of the nine of ten that are expected."""
    quantiles = next(horizon["quantiles"] for horizon in forecast["horizons"] if horizon["horizon"] == DAY)
    size = 100 * max(abs(quantiles[level] / forecast["price"] - 1) for level in ("5", "95"))
    text = percent(size)
    if abs(change) <= size:
        return translate("Not unusual: on nine days of ten it moves up to {percent}.", percent=text)
    return translate("Unusual: on nine days of ten it moves at most {percent}.", percent=text)


def price_levels(now: float) -> list[tuple[str, float]]:
    """Round prices about 5% below and above, each with its label."""
    return [level_with_arrow(float(f"{now * factor:.3g}"), now) for factor in (0.95, 1.05)]


def level_with_arrow(level: float, now: float) -> tuple[str, float]:
    """A level below an arrow that says on which side of the price it is."""
    return f"{DOWN if level < now else UP} {price(level)}", level


def prices(document: Document, *, now: datetime | None = None) -> str:
    """The price of every asset and its change in 24 hours."""
    rows = [
        (
            change_arrow(quote["change_24h_pct"]),
            asset(quote["asset"]),
            price(quote["price"]),
            signed_percent(quote["change_24h_pct"]),
        )
        for quote in document["prices"]
    ]
    head = translate("<b>Prices in USD</b>, with the change in 24 hours")
    closures = enumerated(asset(quote["asset"]) for quote in document["prices"] if not quote["market_open"])
    note = translate("Closed now, with the last price and the day before it: {assets}.", assets=closures)
    return message([head, table(rows, "<1", "<12", ">9", ">8"), note if closures else ""], footer(document, now))


def forecast(document: Document, *dates: Document, now: datetime | None = None) -> str:
    """The bounds of 90% of the outcomes after each horizon, below those of `dates`; a date beyond them is alone."""
    now_price = price(document["price"])
    head = translate("<b>Where {asset} will be</b>, now {price} USD", asset=noun(document["asset"]), price=now_price)
    horizons, today = document["horizons"], document["timestamp"][:10]
    rows = [(time_of_day(end["until"], is_today=end["until"].startswith(today)), *_bounds(end)) for end in dates]
    if not dates or dates[0]["until"] <= horizons[-1]["until"]:
        rows += [(_span(horizon["horizon"]), *_bounds(horizon)) for horizon in horizons]
    return _ranges(head, rows, "<11", document, now)


def _span(horizon: str) -> str:
    unit, count = SPANS.get(horizon[-1:]), horizon[:-1]
    return translate(unit, n=int(count)) if unit and count.isdecimal() else horizon


def forecasts(documents: Sequence[Document], *, now: datetime | None = None) -> str:
    """The same after 24 hours for several assets."""
    if not documents:
        return translate(NO_FORECAST)
    rows = [
        (asset(document["asset"]), *_bounds(horizon))
        for document in documents
        for horizon in document["horizons"]
        if horizon["horizon"] == DAY
    ]
    return _ranges(translate("<b>Prices in 24 hours</b>, in USD"), rows, "<12", documents[0], now)


def _ranges(head: str, rows: Sequence[tuple], width: str, document: Document, now: datetime | None) -> str:
    ranges = table([("", translate("from"), translate("to")), *rows], width, ">10", ">10")
    return message([head, ranges, translate(BOUNDS)], footer(document, now))


def _bounds(horizon: Document) -> tuple[str, str]:
    return price(horizon["quantiles"]["5"]), price(horizon["quantiles"]["95"])


def price_caption(document: Document, quote: Document, forecast: Document | None) -> str:
    """The price of an asset, its change and range in 24 hours, and the range of the next 24 hours."""
    expected = _likely(forecast, "24h", "5", "95") if forecast else ""
    return message([*_price_lines(quote), expected], footer(document), limit=CAPTION)


def forecast_caption(document: Document, horizon: str) -> str:
    """Where the price of an asset will be after a horizon."""
    now = translate("{asset} {price} USD now", asset=asset(document["asset"]), price=price(document["price"]))
    ranges = [_likely(document, horizon, "5", "95"), _likely(document, horizon, "25", "75")]
    return message([f"<b>{now}</b>", *ranges], footer(document), limit=CAPTION)


def answer_caption(document: Document, address: str | None = None) -> str:
    """The answer to a question, with the price, the level, the deadline, and a link that a forwarded photo keeps."""
    link = f'<a href="{escaped(address, 300)}">{translate("Open in the bot")}</a>' if address else ""
    return message([f"<b>{headline(document)}</b>", *facts(document), link], footer(document), limit=CAPTION)


def _likely(forecast: Document, name: str, low: str, high: str) -> str:
    """Between which prices a share of the outcomes lies after a horizon."""
    quantiles = next(horizon["quantiles"] for horizon in forecast["horizons"] if horizon["horizon"] == name)
    span, share = translate(HORIZONS[name]), percent(int(high) - int(low), 0)
    values = {"horizon": span, "percent": share, "low": price(quantiles[low]), "high": price(quantiles[high])}
    return translate("{horizon}, {percent} of outcomes: {low} to {high} USD", **values)
