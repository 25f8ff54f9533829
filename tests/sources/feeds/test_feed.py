"""The stored bars of a coin are continued from an exchange, within one time limit."""

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
        offer(exchange, "DOGE/USD", walk)
    fetched = extend(feed, "doge", NOTHING, START, 10)
    assert fetched.source.startswith("kraken DOGE/USD, then coinbase DOGE/USD for ")
    assert (fetched.hours.as_of, fetched.fine.as_of) == (START // HOUR * HOUR, START // STEP * STEP)
    assert (fetched.hours.as_of - int(fetched.hours.time[0])) // DAY == 120
    assert fetched.refusal == ""


def test_bars_are_continued_where_they_ended(feed, kraken):
    walk = fine_bars(2, 0.3)
    offer(kraken, "DOGE/USD", walk)
    kraken.now = START - 6 * HOUR
    first = extend(replace(feed, now=lambda: kraken.now), "doge", NOTHING, kraken.now, 10)
    kraken.now = START
    second = extend(feed, "doge", first, START, 10)
    assert second.fine.rows() == walk.since(int(first.fine.time[0])).until(START).rows()
    assert second.built.as_of == START // HOUR * HOUR


def test_a_gap_of_the_last_days_is_asked_for_again(feed, kraken):
    walk = fine_bars(2, 0.3)
    offer(kraken, "DOGE/USD", walk)
    whole = walk.since(START - 9 * HOUR).until(START - HOUR)
    torn = CoinBars(empty(HOUR), whole[(whole.time < START - 6 * HOUR) | (whole.time >= START - 3 * HOUR)])
    assert extend(feed, "doge", torn, START, 10).fine.time.tolist() == whole.since(0).time.tolist() + [
        time for time in walk.until(START).time.tolist() if time > whole.time[-1]
    ]


def test_the_deadline_holds_for_the_whole_history(feed, kraken, coinbase):
    """Exchanges that hang cost the time limit once, not once for each of them or for each length of bars."""
    kraken.fault = coinbase.fault = lambda handler: handler.exchange.closing.wait(30)
    began = time.monotonic()
    with pytest.raises(SourceFailed):
        extend(feed, "doge", NOTHING, START, 0.6)
    assert time.monotonic() - began < 1.6
