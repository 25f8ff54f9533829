"""The exchange rates of currencies in USD, from the pairs that the exchanges offer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import structlog

from service.market.assets import ASSETS
from service.market.bars import Bars, check
from service.market.instants import HOUR, utc
from service.market.rates import Rate
from service.sources.feeds.bar_folder import BarFolder
from service.sources.feeds.exchange_client import RATE_SYMBOLS, STEP, ExchangeClient, Request

log = structlog.stdlib.get_logger(__name__)


# An exchange is not asked in less time: after a timeout it is skipped for a while.
SHORTEST_S = 0.5


class Quote(NamedTuple):
    """The last price of a pair, the unix second that it is of, and the pair with its exchange."""

    price: float
    as_of: int
    source: str


def read_rates(clients: Sequence[ExchangeClient | BarFolder], now: int, timeout_s: float) -> dict[str, Rate]:
    """The rate of each currency that one of the exchanges quotes; the others are missing.

    A currency without a pair with the dollar has the rate between the two prices of Bitcoin on one exchange.
    """
    deadline = time.monotonic() + timeout_s
    rates = {currency: _rate(clients, currency, now, deadline) for currency in RATE_SYMBOLS}
    return {currency: rate for currency, rate in rates.items() if rate}


def _rate(clients: Sequence[ExchangeClient | BarFolder], currency: str, now: int, deadline: float) -> Rate | None:
    for place, client in enumerate(clients):
        seconds = (deadline - time.monotonic()) / (len(clients) - place)
        if seconds > SHORTEST_S and (rate := _of_exchange(client, currency, now, seconds)):
            return rate
    log.warning("rate_missing", currency=currency)
    return None


def _of_exchange(client: ExchangeClient | BarFolder, currency: str, now: int, seconds: float) -> Rate | None:
    quote = _quote(client, Request(currency, RATE_SYMBOLS[currency], STEP), now, seconds / 2)
    if quote is None:
        return None
    pair = quote.source.split()[-1]
    if pair.startswith("BTC/"):
        dollars = _quote(client, Request("btc", ASSETS["btc"].symbols, STEP), now, seconds / 2)
        if dollars is None:
            return None
        source, as_of = f"{quote.source} and {dollars.source}", min(quote.as_of, dollars.as_of)
        return Rate(_rounded(dollars.price / quote.price), source, utc(as_of))
    usd = 1 / quote.price if pair.startswith("USD") else quote.price
    return Rate(_rounded(usd), quote.source, utc(quote.as_of))


def _rounded(usd: float) -> float:
    return float(f"{usd:.6g}")


def _quote(client: ExchangeClient | BarFolder, request: Request, now: int, seconds: float) -> Quote | None:
    """The last price of the first traded symbol within two hours; None without one."""
    since = (now - 2 * HOUR) // STEP * STEP
    answer = client.ask(request, since, now // STEP * STEP, seconds)
    bars: Bars = check(answer.rows, STEP)[0].until(now)
    return Quote(float(bars.close[-1]), bars.as_of, answer.source) if len(bars) else None
