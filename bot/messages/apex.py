"""Apex, its fund, and the headlines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.languages import translate, translate_plural
from bot.languages.punctuation import ended, enumerated, labelled
from bot.messages.formats import (
    UNKNOWN,
    book_name,
    chance,
    change_arrow,
    day_and_month,
    decimal,
    direction_arrow,
    footer,
    instant,
    percent,
    price,
    signed_decimal,
    signed_percent,
    signed_points,
    term,
    usd,
    words,
)
from bot.messages.markup import escaped, message, table

MAX_TRADES = 4
MAX_HEADLINES = 8
ADDRESSES = ("https://", "http://")


def brain(status: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The forecast, every layer behind it, and the track record of such forecasts."""
    vote = status["vote"]
    silent = [layer for layer in status["layers"] if layer["silent"]]
    direction = f"{direction_arrow(vote['direction'])} {escaped(term(vote['direction']), 40)}"
    up, down = percent(vote["bull_probability"]), percent(vote["bear_probability"])
    head = ("", translate("layer"), translate("up"), translate("weight"))
    blocks = [
        f"<b>{direction}</b> · {_horizon(status['horizon_hours'])}",
        translate("Up {up} · down {down}", up=up, down=down),
        translate("from {price} USD", price=price(status["spot"])),
        table([head, *map(_layer, status["layers"])], "<1", "<11", ">8", ">10"),
        *(f"{escaped(words(layer['name']), 60)}: {escaped(layer['silent'], 160)}" for layer in silent[:4]),
        *(_track_record(book) for book in status["record"][:2]),
        _called_at(status),
        translate("Next forecast: {instant}.", instant=instant(status["next_at"])),
    ]
    return message(blocks, footer(status, now))


def fund(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The virtual fund compared with a constant half in Bitcoin, with its live and its backfilled book."""
    benchmark, lead = document["benchmark"]["pnl_pct"], document["versus_benchmark_pct"]
    equity, initial = usd(document["equity_usd"], 2), usd(document["initial_capital"])
    exposure, cash = percent(document["exposure_pct"], 0), usd(document["cash_usd"])
    drawdown, fees = percent(document["max_drawdown_pct"]), usd(document["fees_usd"], 2)
    blocks = [
        translate("<b>The apex fund</b>"),
        translate("<b>{equity}</b> from {initial}", equity=equity, initial=initial)
        + f" · {signed_percent(document['pnl_pct'])}",
        translate("Always half in Bitcoin: {gain}.", gain=signed_percent(benchmark))
        + " "
        + translate("The fund against that: {points}", points=signed_points(lead)),
        translate("Now {share} in Bitcoin, {cash} in cash", share=exposure, cash=cash),
        translate("Largest drawdown {drawdown}, fees {fees}", drawdown=drawdown, fees=fees),
        _sharpe(document),
        *(_book(book) for book in document["books"][:2]),
        *_trades(document["trades"]),
        translate("A virtual {amount} that follows apex. No real order is placed.", amount=initial),
    ]
    return message(blocks, footer(document, now, paper=True))


def flipped(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The consensus changed sides between two widgets."""
    old, new, bitcoin = before["consensus"], after["consensus"], after["btc"]
    blocks = [
        f"<b>{direction_arrow(new['direction'])} "
        + translate("The consensus is now: {direction}", direction=escaped(term(new["direction"]), 40))
        + "</b>",
        translate(
            "Before, at {instant}: {direction}.",
            instant=instant(old["voted_at"]),
            direction=escaped(term(old["direction"]), 40),
        ),
        outlook(new),
        bitcoin_price(bitcoin),
        translate("/brain shows the reasons."),
    ]
    return message(blocks, footer(after))


def outlook(consensus: Mapping[str, Any]) -> str:
    """The consensus for its horizon, in one line."""
    bull, bear = (percent(consensus[f"{side}_probability"], 0) for side in ("bull", "bear"))
    return translate_plural(
        "Next {n} hour: bull {bull}, bear {bear}, {strength}",
        "Next {n} hours: bull {bull}, bear {bear}, {strength}",
        consensus["horizon_hours"],
        bull=bull,
        bear=bear,
        strength=escaped(term(consensus["strength"]), 40),
    )


def bitcoin_price(bitcoin: Mapping[str, Any]) -> str:
    """The Bitcoin price and its change."""
    change = signed_percent(bitcoin["change_24h_pct"])
    return translate("Bitcoin {price} USD, {change} in 24 hours", price=price(bitcoin["price"]), change=change)


def _horizon(hours: int) -> str:
    return translate_plural("Bitcoin in {n} hour", "Bitcoin in {n} hours", hours)


def _called_at(status: Mapping[str, Any]) -> str:
    at = instant(status["called_at"])
    if status["backfilled"]:
        return translate("Forecast made: {instant} (backfilled).", instant=at)
    return translate("Forecast made: {instant}.", instant=at)


def _layer(layer: Mapping[str, Any]) -> tuple[str, ...]:
    if layer["silent"]:
        return "·", words(layer["name"]), UNKNOWN, translate("no vote")
    weight = translate("no score") if layer["in_sample"] else decimal(layer["weight"], 2)
    return direction_arrow(layer["direction"]), words(layer["name"]), chance(layer["p_up"]), weight


def _track_record(book: Mapping[str, Any]) -> str:
    name, verdict = book_name(book), escaped(term(book["verdict"]), 120)
    if book["hit_rate_pct"] is None:
        count = translate_plural("{n} forecast resolved", "{n} forecasts resolved", book["n"])
        return ended(labelled(name, enumerated([count, verdict])))
    rate = translate(
        "{percent} right (n = {n}, equal to {effective} independent forecasts), 95% interval {low} to {high}",
        percent=percent(book["hit_rate_pct"], 0),
        n=book["n"],
        effective=round(book["n_eff"]),
        low=percent(book["hit_rate_low_pct"], 0),
        high=percent(book["hit_rate_high_pct"], 0),
    )
    return ended(labelled(name, labelled(rate, verdict)))


def _sharpe(document: Mapping[str, Any]) -> str:
    sharpe, low, high = document["sharpe"], document["sharpe_low"], document["sharpe_high"]
    if sharpe is None:
        return ""
    ratio = translate_plural(
        "Sharpe ratio {ratio} over {n} day",
        "Sharpe ratio {ratio} over {n} days",
        document["days"],
        ratio=decimal(sharpe, 2),
    )
    if low is None:
        return ratio
    return enumerated([ratio, translate("95% interval {low} to {high}", low=decimal(low, 1), high=decimal(high, 1))])


def _book(book: Mapping[str, Any]) -> str:
    gain = signed_percent(book["fund"]["pnl_pct"])
    days = translate_plural("{gain} in {n} day", "{gain} in {n} days", book["days"], gain=gain)
    trades = translate_plural("{n} trade", "{n} trades", book["trades_count"])
    return labelled(book_name(book), enumerated([days, trades]))


def _trades(trades: list[Mapping[str, Any]]) -> list[str]:
    if not trades:
        return [translate("No trades yet.")]
    rows = [
        (
            day_and_month(trade["time"]),
            term(trade["side"]),
            percent(trade["exposure_after_pct"], 0),
            price(trade["price"]),
        )
        for trade in trades[:MAX_TRADES]
    ]
    head = translate("Last trades (date, side, share in Bitcoin, price):")
    return [f"\n{head}\n{table(rows, '<5', '<8', '>5', '>8')}"]


def news(pulse: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """Direction and score of the last day's stories, the trending topics, and the newest headlines."""
    direction = translate("News: {direction}", direction=escaped(term(pulse["direction"]), 40))
    score = translate("score {score}", score=signed_decimal(pulse["score"], 2))
    failures = list(pulse["failed"].items())[:3]
    blocks = [
        f"<b>{direction_arrow(pulse['direction'])} {direction}</b> · {score}",
        _stories(pulse["n"]),
        _topics(pulse),
        *(_headline(headline) for headline in pulse["headlines"][:MAX_HEADLINES]),
        *(
            translate("No news from {source}: {reason}", source=escaped(source, 60), reason=escaped(reason, 120))
            for source, reason in failures
        ),
    ]
    return message(blocks, footer(pulse, now))


def _stories(number: int) -> str:
    if not number:
        return translate("No stories in the last 24 hours.")
    count = translate_plural("{n} story in the last 24 hours.", "{n} stories in the last 24 hours.", number)
    return f"{count} {translate('The score is between -1 and 1.')}"


def _topics(pulse: Mapping[str, Any]) -> str:
    mentions = enumerated(
        f"{escaped(topic['term'], 60)} ({decimal(topic['mentions'], 0)})" for topic in pulse["topics"][:5]
    )
    if not mentions:
        return ""
    if pulse["topics_basis"] == "rising":
        return translate("More often than usual: {topics}", topics=mentions)
    return translate("Named most often: {topics}", topics=mentions)


def _headline(headline: Mapping[str, Any]) -> str:
    title = escaped(headline["title"], 300)
    if headline["url"] and headline["url"].startswith(ADDRESSES):
        title = _linked(headline["url"], title)
    source = (
        f"<i>{escaped(headline['source'], 60)}{' · ' + translate('SIMULATED') if headline['simulated'] else ''}</i>"
    )
    return f"\n{change_arrow(headline['score'])} {title}\n{source}"


def _linked(url: str, title: str) -> str:
    """The title as a link; a URL that is too long is left out, since a shortened one leads nowhere."""
    address = escaped(url, 500)
    return title if address.endswith("…") else f'<a href="{address}">{title}</a>'
