"""The rates of currencies from exchanges on this machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from service.config import Settings
from service.market.rates import Rate
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges

STEP = 300
NOW = datetime(2026, 1, 7, 12, 2, tzinfo=UTC)
CLOSED = datetime(2026, 1, 7, 12, tzinfo=UTC)


def quotes(price: float, until: datetime = CLOSED) -> list[tuple]:
    """An hour of bars that end at `until`, the last of them at `price`."""
    first = int((until - timedelta(hours=1)).timestamp())
    return [(first + STEP * place, *[price if place == 11 else 1.0] * 4, 5.0) for place in range(12)]


@pytest.fixture
def feed(kraken, coinbase) -> ExchangeFeed:
    """Kraken first, then Coinbase, at two minutes past twelve."""
    options = {
        "kraken": {"urls": {"api": {"public": kraken.address}}, "enableRateLimit": False},
        "coinbase": {"urls": {"api": {"rest": coinbase.address}}, "enableRateLimit": False},
    }
    settings = Settings(world="live", exchanges=("kraken", "coinbase"), source_timeout_s=10)
    opened = open_exchanges(settings, history_from=0, options=options)
    return ExchangeFeed(opened.clients, 0, opened.timeout_s, now=NOW.timestamp)


def test_a_rate_is_the_last_price_of_the_pair(feed, kraken):
    """The dollar in yen is turned into the yen in dollars."""
    kraken.bars = {"EUR/USD": quotes(1.084), "GBP/USD": quotes(1.268), "USD/JPY": quotes(160.0)}
    assert feed.rates() == {
        "EUR": Rate(1.084, "kraken EUR/USD", CLOSED),
        "GBP": Rate(1.268, "kraken GBP/USD", CLOSED),
        "JPY": Rate(0.00625, "kraken USD/JPY", CLOSED),
    }


def test_without_a_pair_the_prices_of_bitcoin_give_the_rate(feed, coinbase):
    coinbase.bars = {"BTC/EUR": quotes(80_000.0), "BTC/USD": quotes(92_000.0)}
    assert feed.rates() == {"EUR": Rate(1.15, "coinbase BTC/EUR and coinbase BTC/USD", CLOSED)}


def test_another_exchange_quotes_what_the_first_one_lacks(feed, kraken, coinbase):
    kraken.bars = {"EUR/USD": quotes(1.084)}
    coinbase.bars = {"GBP/USD": quotes(1.268), "EUR/USD": quotes(9.0)}
    assert {currency: rate.source for currency, rate in feed.rates().items()} == {
        "EUR": "kraken EUR/USD",
        "GBP": "coinbase GBP/USD",
    }


def test_a_pair_without_recent_trades_gives_no_rate(feed, kraken):
    kraken.bars = {"EUR/USD": quotes(1.084, CLOSED - timedelta(hours=3))}
    assert feed.rates() == {}
