"""Coins outside the seven from exchanges on this machine: which ones they list, and their bars of an hour."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.errors import SourceFailed
from service.market.instants import HOUR
from service.sources.feeds.exchange import ExchangeFeed
from tests.jobs.coin_world import STEP, fine_bars, offer, open_coins
from tests.running_service import START


@pytest.fixture
def feed(kraken, coinbase) -> ExchangeFeed:
    """Kraken first, then Coinbase; both show bars until the start of the service."""
    kraken.now = coinbase.now = START
    return replace(open_coins(kraken, coinbase), now=lambda: START)


def test_coins_are_listed_by_their_tickers(feed, kraken, coinbase):
    """The seven, what tracks them, stablecoins, currencies and odd symbols are none."""
    for pair in ("DOGE/USD", "1INCH/USD", "BTC/USD", "USDC/USD", "EUR/USD", "PAXG/USD", "ADA/EUR", "42/USD"):
        kraken.bars[pair] = []
    for pair in ("LUNA/USD", "A-B.C/USD", "TOOLONGATICKER/USD", "ЖУК/USD"):
        kraken.bars[pair] = []
    kraken.stopped = {"LUNA/USD"}
    coinbase.bars = {"WIF/USD": [], "DOGE/USD": []}
    assert feed.list_coins() == {"doge", "1inch", "wif"}


def test_a_new_listing_is_seen_the_next_time(feed, kraken):
    kraken.bars = {"DOGE/USD": []}
    assert feed.list_coins() == {"doge"}
    kraken.bars = {"DOGE/USD": [], "WIF/USD": []}
    assert feed.list_coins() == {"doge", "wif"}


def test_one_exchange_is_enough_for_a_list(feed, kraken, coinbase):
    kraken.fault = lambda handler: handler.reply(451, b"{}")
    coinbase.bars = {"WIF/USD": []}
    assert feed.list_coins() == {"wif"}
    coinbase.fault = kraken.fault
    with pytest.raises(SourceFailed, match=r"no list of coins: .*451"):
        feed.list_coins()


@pytest.mark.parametrize(("high", "low"), [(0.5, 0.0), (0.5, -1.0), (0.5, "NaN"), ("Infinity", 0.3), (0.1, 0.9)])
def test_wrong_numbers_of_an_exchange_are_no_bars(feed, kraken, high, low):
    offer(kraken, "DOGE/USD", fine_bars(1, 0.3))
    rows = kraken.bars["DOGE/USD"]
    place = next(place for place, row in enumerate(rows) if row[0] == START // HOUR * HOUR - HOUR)
    rows[place] = (*rows[place][:2], high, low, *rows[place][4:])
    fetched = feed.fetch("doge", START // HOUR * HOUR - 2 * HOUR, START, STEP, 10)
    assert [bar.time for bar in fetched.refused] == [rows[place][0]]
    assert len(fetched.bars) == 23
