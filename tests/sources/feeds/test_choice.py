"""The world of a first start without WORLD."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from service.config import Settings, SettingsError
from service.sources import feeds
from service.sources.feeds import choose_world, exchange
from service.sources.feeds.exchange import open_exchanges
from tests.sources.faults import hang, status

HOUR = 3600


def settings(tmp_path, *servers) -> Settings:
    names = ("kraken", "coinbase")
    addresses = tuple(f"{name}={server.address}" for name, server in zip(names, servers, strict=False))
    return Settings(data_dir=tmp_path, exchanges=addresses or ("kraken=http://127.0.0.1:1",))


@pytest.fixture
def market(kraken):
    """A Kraken with a day of hourly bars."""
    now = int(time.time()) // HOUR * HOUR
    kraken.bars = {"BTC/USD": []}
    kraken.hours = {"BTC/USD": [(now - HOUR * place, 9.0, 9.0, 9.0, 9.0, 1.0) for place in range(30, 0, -1)]}
    return kraken


def test_an_exchange_with_hourly_prices_makes_it_live(tmp_path, market, coinbase):
    """One that answers is enough, whatever the others do; a folder of bars, which answers at once, has no say."""
    coinbase.fault = status(451)
    options = settings(tmp_path, market, coinbase)
    for bars_dir in (None, tmp_path):
        world, sentence = choose_world(options.model_copy(update={"bars_dir": bars_dir}))
        assert world == "live"
        assert sentence.startswith("World: live, because kraken answers with hourly prices. ")


def test_without_an_answer_it_is_simulated_and_says_why(tmp_path, kraken, coinbase):
    """Each exchange with its reason, and how to have real prices."""
    kraken.fault, coinbase.fault = status(451), status(500)
    world, sentence = choose_world(settings(tmp_path, kraken, coinbase))
    assert world == "simulated"
    assert "kraken: it does not serve this country or network (451)" in sentence
    assert "coinbase: it does not answer" in sentence
    assert "WORLD=live" in sentence


def test_exchanges_that_hang_cost_the_time_limit_and_no_more(tmp_path, kraken, monkeypatch):
    """As where no name is resolved: the threads are abandoned."""
    monkeypatch.setattr(feeds, "ASKED_S", 0.6)
    kraken.fault = hang
    world, sentence = choose_world(settings(tmp_path, kraken))
    assert (world, "kraken: no " in sentence) == ("simulated", True)


def test_loading_a_library_slowly_costs_no_exchange_its_time(tmp_path, market, monkeypatch):
    """A slow machine stayed simulated for ever, and its threads printed errors at the first start."""
    late_s = 0.0

    def load(*arguments):
        nonlocal late_s
        late_s += 100
        return open_exchanges(*arguments)

    monkeypatch.setattr(exchange, "open_exchanges", load)
    monkeypatch.setattr(feeds, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + late_s, time=time.time))
    assert choose_world(settings(tmp_path, market))[0] == "live"


def test_an_exchange_that_does_not_exist_is_a_wrong_setting(tmp_path):
    """It is not taken for one that gives no answer."""
    with pytest.raises(SettingsError, match="no exchange called 'krakken'"):
        choose_world(Settings(data_dir=tmp_path, exchanges=("krakken",)))
