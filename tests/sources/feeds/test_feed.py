"""Other coins from exchanges on this machine: which are listed, and their bars continued within one time limit."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from service.errors import SourceFailed
from service.market.bars import CoinBars, empty
from service.market.instants import DAY, HOUR
from service.sources.feeds.exchange import ExchangeFeed
from service.sources.feeds.feed import extend
from tests.jobs.coin_world import STEP, fine_bars, offer, open_coins
from tests.running_service import START
from tests.sources.faults import hang, status

NOTHING = CoinBars(empty(HOUR), empty(STEP))


@pytest.fixture
def feed(kraken, coinbase) -> ExchangeFeed:
    """Kraken first, then Coinbase; both show bars until the start of the service."""
    kraken.now = coinbase.now = START
    return replace(open_coins(kraken, coinbase), now=lambda: START)


def test_the_past_comes_by_the_hour_from_several_exchanges(feed, kraken, coinbase):
    """Kraken keeps 720 bars, so Coinbase gives the months before; the newest bars last five minutes."""
    walk = fine_bars(120, 0.3)
    for exchange in (kraken, coinbase):
        offer(exchange, "PEPE/USD", walk)
    answer = extend(feed, "pepe", NOTHING, START, 10)
    assert answer.source.startswith("kraken PEPE/USD, then coinbase PEPE/USD for ")
    assert (answer.hours.as_of, answer.feed.as_of) == (START // HOUR * HOUR, START // STEP * STEP)
    assert (answer.hours.as_of - int(answer.hours.time[0])) // DAY == 120
    assert answer.refusal == ""


def test_bars_are_continued_where_they_ended(feed, kraken):
    walk = fine_bars(2, 0.3)
    offer(kraken, "PEPE/USD", walk)
    kraken.now = START - 6 * HOUR
    first = extend(replace(feed, now=lambda: kraken.now), "pepe", NOTHING, kraken.now, 10)
    kraken.now = START
    second = extend(feed, "pepe", first, START, 10)
    assert second.feed.rows() == walk.since(int(first.feed.time[0])).until(START).rows()
    assert second.built.as_of == START // HOUR * HOUR


def test_a_gap_of_the_last_days_is_asked_for_again(feed, kraken):
    walk = fine_bars(2, 0.3)
    offer(kraken, "PEPE/USD", walk)
    history = walk.since(START - 9 * HOUR).until(START - HOUR)
    torn = CoinBars(empty(HOUR), history[(history.time < START - 6 * HOUR) | (history.time >= START - 3 * HOUR)])
    assert extend(feed, "pepe", torn, START, 10).feed.time.tolist() == history.since(0).time.tolist() + [
        time for time in walk.until(START).time.tolist() if time > history.time[-1]
    ]


def test_the_deadline_holds_for_the_whole_history(feed, kraken, coinbase):
    """Exchanges that hang cost the time limit once, not once for each of them or for each length of bars."""
    kraken.fault = coinbase.fault = hang
    began = time.monotonic()
    with pytest.raises(SourceFailed):
        extend(feed, "pepe", NOTHING, START, 0.6)
    assert time.monotonic() - began < 1.6


def test_coins_are_listed_by_their_tickers(feed, kraken, coinbase):
    """The assets, what tracks them, stablecoins, currencies and odd symbols are none."""
    for pair in ("PEPE/USD", "1INCH/USD", "BTC/USD", "USDC/USD", "EUR/USD", "PAXG/USD", "ADA/EUR", "42/USD"):
        kraken.bars[pair] = []
    for pair in ("LUNA/USD", "A-B.C/USD", "TOOLONGATICKER/USD", "ЖУК/USD"):
        kraken.bars[pair] = []
    kraken.stopped = {"LUNA/USD"}
    coinbase.bars = {"WIF/USD": [], "PEPE/USD": []}
    assert feed.list_coins() == {"pepe", "1inch", "wif"}
    kraken.bars["BONK/USD"] = []
    assert feed.list_coins() == {"pepe", "1inch", "wif", "bonk"}, "a new listing is seen the next time"


def test_one_exchange_is_enough_for_a_list(feed, kraken, coinbase):
    kraken.fault = status(451)
    coinbase.bars = {"WIF/USD": []}
    assert feed.list_coins() == {"wif"}
    coinbase.fault = kraken.fault
    with pytest.raises(SourceFailed, match=r"no list of coins: .*451"):
        feed.list_coins()


@pytest.mark.parametrize(("high", "low"), [(0.5, 0.0), (0.5, -1.0), (0.5, "NaN"), ("Infinity", 0.3), (0.1, 0.9)])
def test_wrong_numbers_of_an_exchange_are_no_bars(feed, kraken, high, low):
    offer(kraken, "PEPE/USD", fine_bars(1, 0.3))
    rows = kraken.bars["PEPE/USD"]
    place = next(place for place, row in enumerate(rows) if row[0] == START // HOUR * HOUR - HOUR)
    rows[place] = (*rows[place][:2], high, low, *rows[place][4:])
    answer = feed.fetch("pepe", START // HOUR * HOUR - 2 * HOUR, START, STEP, 10)
    assert [bar.time for bar in answer.refused] == [rows[place][0]]
    assert len(answer.bars) == 23
