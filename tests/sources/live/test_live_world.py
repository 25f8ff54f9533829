"""The live world: chosen at a first start, with other coins, and with the same bars whatever goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import structlog

from service.config import Settings, SettingsError
from service.errors import SourceFailed
from service.jobs import prices
from service.market.bars import CoinBars, empty, with_silent_bars
from service.market.instants import DAY, HOUR
from service.sources import feeds, sessions
from service.sources.feeds import choose_world, exchange
from service.sources.feeds.exchange import ExchangeFeed, open_exchanges
from service.sources.feeds.feed import extend
from service.store import bars
from service.store.database import Database
from tests.jobs.coin_world import fine_bars, offer, open_coins
from tests.jobs.made_feed import LiveJobs
from tests.processes import free_port
from tests.running_service import START
from tests.sources.faults import cut_short, hang, status
from tests.sources.live.exchanges import STEP, Exchanges, trading

NOTHING = CoinBars(empty(HOUR), empty(STEP))
NOW = 1_795_687_505  # five seconds after the end of a bar
DAYS = 61
ASSETS = {"btc": "BTC", "gold": "PAXG"}
UNLIMITED_RATE = {name: {"enableRateLimit": False} for name in ("kraken", "coinbase", "binance")}


def settings(tmp_path, **servers) -> Settings:
    return Settings(data_dir=tmp_path, exchanges=tuple(f"{name}={server.address}" for name, server in servers.items()))


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
    options = settings(tmp_path, kraken=market, coinbase=coinbase)
    for bars_dir in (None, tmp_path):
        world, sentence = choose_world(options.model_copy(update={"bars_dir": bars_dir}))
        assert world == "live"
        assert sentence.startswith("World: live, because kraken answers with hourly prices. ")


def test_without_an_answer_it_is_simulated_and_says_why(tmp_path, kraken, coinbase, monkeypatch):
    """Each exchange with its reason, and how to have real prices. One that hangs costs the limit alone."""
    kraken.fault, coinbase.fault = status(451), status(500)
    world, sentence = choose_world(settings(tmp_path, kraken=kraken, coinbase=coinbase))
    assert world == "simulated"
    assert "kraken: it does not serve this country or network (451)" in sentence
    assert "coinbase: it does not answer" in sentence
    assert "WORLD=live" in sentence
    with pytest.raises(SettingsError, match="no exchange called 'krakken'"):
        choose_world(Settings(data_dir=tmp_path, exchanges=("krakken",)))
    monkeypatch.setattr(feeds, "ASKED_S", 0.6)
    kraken.fault = hang
    world, sentence = choose_world(settings(tmp_path, kraken=kraken))
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
    assert choose_world(settings(tmp_path, kraken=market))[0] == "live"


@pytest.fixture
def feed(kraken, coinbase) -> ExchangeFeed:
    """Kraken first, then Coinbase; both show bars until the start of the service."""
    kraken.now = coinbase.now = START
    return replace(open_coins(kraken, coinbase), now=lambda: START)


def test_the_past_comes_by_the_hour_from_several_exchanges(feed, kraken, coinbase):
    """Kraken keeps 720 bars, so Coinbase gives the months before; the newest bars last five minutes."""
    walk = fine_bars(120, 0.3)
    for server in (kraken, coinbase):
        offer(server, "PEPE/USD", walk)
    answer = extend(feed, "pepe", NOTHING, START, 10)
    assert answer.source.startswith("kraken PEPE/USD, then coinbase PEPE/USD for ")
    assert (answer.hours.as_of, answer.feed.as_of) == (START // HOUR * HOUR, START // STEP * STEP)
    assert (answer.hours.as_of - int(answer.hours.time[0])) // DAY == 120
    assert answer.refusal == ""


def test_bars_are_continued_where_they_ended(feed, kraken):
    """A gap of the last days is asked for again."""
    walk = fine_bars(2, 0.3)
    offer(kraken, "PEPE/USD", walk)
    history = walk.since(START - 9 * HOUR).until(START - HOUR)
    torn = CoinBars(empty(HOUR), history[(history.time < START - 6 * HOUR) | (history.time >= START - 3 * HOUR)])
    assert extend(feed, "pepe", torn, START, 10).feed.time.tolist() == history.since(0).time.tolist() + [
        time for time in walk.until(START).time.tolist() if time > history.time[-1]
    ]
    kraken.now = START - 6 * HOUR
    first = extend(replace(feed, now=lambda: kraken.now), "pepe", NOTHING, kraken.now, 10)
    kraken.now = START
    second = extend(feed, "pepe", first, START, 10)
    assert second.feed.rows() == walk.since(int(first.feed.time[0])).until(START).rows()
    assert second.built.as_of == START // HOUR * HOUR


def test_exchanges_that_hang_are_asked_once_for_a_history(feed, kraken, coinbase):
    """Exchanges that hang are asked once: not again for each length of bars."""
    kraken.fault = coinbase.fault = hang
    with pytest.raises(SourceFailed):
        extend(feed, "pepe", NOTHING, START, 0.6)
    assert [len(kraken.requests), len(coinbase.requests)] == [1, 1]


def test_coins_are_listed_by_their_tickers(feed, kraken, coinbase):
    """The assets, what tracks them, stablecoins, currencies and odd symbols are none. One exchange is enough."""
    others = ("BTC", "USDC", "EUR", "PAXG", "42", "A-B.C", "TOOLONGATICKER", "ЖУК")
    kraken.bars = {f"{ticker}/USD": [] for ticker in ("PEPE", "1INCH", "LUNA", *others)} | {"ADA/EUR": []}
    kraken.stopped = {"LUNA/USD"}
    coinbase.bars = {"WIF/USD": [], "PEPE/USD": []}
    assert feed.list_coins() == {"pepe", "1inch", "wif"}
    kraken.bars["BONK/USD"] = []
    assert feed.list_coins() == {"pepe", "1inch", "wif", "bonk"}, "a new listing is seen the next time"
    kraken.fault = status(451)
    assert feed.list_coins() == {"wif", "pepe"}
    coinbase.fault = kraken.fault
    with pytest.raises(SourceFailed, match=r"no list of coins: .*451"):
        feed.list_coins()


@pytest.fixture
def exchanges() -> Iterator[Exchanges]:
    bases = tuple(ASSETS.values())
    with trading(NOW - (DAYS + 20) * DAY, NOW, bases=bases, now=lambda: NOW, is_limited=False) as servers:
        yield servers


@pytest.fixture
def arrive(exchanges, sqlite_url) -> Iterator[Callable[..., LiveJobs]]:
    """Let the history arrive until nothing is asked for any more."""
    databases: list[Database] = []

    def run(clock: int = NOW, rounds: int = 12, **options) -> LiveJobs:
        settings = Settings(world="live", **({"exchanges": exchanges.entries, "source_timeout_s": 6.0} | options))
        sessions.use_proxy(settings)
        databases.append(Database(sqlite_url))
        databases[-1].migrate()
        feed = open_exchanges(settings, clock // DAY * DAY - DAYS * DAY, UNLIMITED_RATE)
        jobs = LiveJobs(databases[-1], replace(feed, now=lambda: clock), clock)
        for seconds in range(0, 70 * rounds, 70):
            for job in (prices.tick, prices.history) if not seconds else (prices.history,):
                try:
                    jobs.run(job, clock + seconds)
                except Exception as error:  # the engine tries it again later
                    structlog.get_logger().info("job_failed", detail=str(error))
        return jobs

    yield run
    sessions.use_proxy(Settings())
    for database in databases:
        database.close()


def is_equal_to(exchanges: Exchanges, jobs: LiveJobs, asset: str, until: int = NOW) -> bool:
    """Whether the stored hours and short bars are those of the market."""
    market, hours = exchanges.markets[ASSETS[asset]].until(until), exchanges.hours[ASSETS[asset]].until(until)
    with jobs.database.reading() as db:
        short_bars = bars.load_bars(db, asset, 0, 2**40, STEP)
        stored_hours = bars.load_bars(db, asset, 0, 2**40, HOUR)
    expected = with_silent_bars(market).since(int(short_bars.time[0]))
    expected_hours = hours.since(jobs.feed.history_from)
    is_equal = np.array_equal(short_bars.time, expected.time) and np.array_equal(short_bars.close, expected.close)
    is_equal &= np.array_equal(stored_hours.time, expected_hours.time)
    return is_equal and np.allclose(stored_hours.close, expected_hours.close)


@pytest.mark.parametrize(
    ("faults", "spells"),
    [
        *(({}, {}), ({"kraken": status(429)}, {"kraken": 3}), ({"coinbase": status(503)}, {"coinbase": 4})),
        ({"kraken": status(403)}, {}),
        ({"kraken": cut_short, "coinbase": cut_short}, {"kraken": 2, "coinbase": 2}),
        ({"kraken": status(500), "coinbase": status(502)}, {"kraken": 2, "coinbase": 2}),
    ],
    ids=["none", "429", "503", "403", "cut", "both"],
)
def test_after_a_fault_the_same_bars_are_there(exchanges, arrive, faults, spells):
    """Binance refuses this country throughout; a passing fault is waited for."""
    exchanges.faults, exchanges.spells = faults, spells
    jobs = arrive()
    assert all(is_equal_to(exchanges, jobs, asset) for asset in ASSETS)
    histories = jobs.histories(NOW)
    assert {asset: histories[asset].state for asset in ASSETS} == {"btc": "complete", "gold": "complete"}
    assert histories["silver"].state == "absent"


@pytest.mark.parametrize("is_there", [pytest.param(True, marks=pytest.mark.slow), False])
def test_an_exchange_that_never_answers_changes_no_bar(exchanges, arrive, is_there):
    """The next one has its share of the time; the one that hangs, or that is not there, is passed over for a while."""
    exchanges.faults = {"kraken": hang}
    first = exchanges.entries[0] if is_there else f"kraken=http://127.0.0.1:{free_port()}"
    jobs = arrive(exchanges=(first, *exchanges.entries[1:]), source_timeout_s=1.5 if is_there else 6.0)
    assert all(is_equal_to(exchanges, jobs, asset) for asset in ASSETS)


@pytest.mark.parametrize("off_s", [-HOUR, HOUR])
def test_a_wrong_clock_is_named(exchanges, arrive, off_s):
    """The bars are those of the exchanges, as far as the clock of this machine lets them be known."""
    jobs = arrive(clock=NOW + off_s, rounds=2)
    assert all(is_equal_to(exchanges, jobs, asset, min(NOW, NOW + off_s)) for asset in ASSETS)
    assert f"this machine's clock is 60 min {'ahead' if off_s > 0 else 'behind'}" in jobs.prices()["sources"]["btc"]


def test_one_sentence_a_fault_and_no_loop_of_texts(exchanges, arrive):
    """Both exchanges fail for twelve minutes: one line for all assets, which names both."""
    exchanges.faults = {"kraken": status(500), "coinbase": status(502)}
    with structlog.testing.capture_logs() as events:
        arrive()
    faults = [event["detail"] for event in events if event["event"] == "source_failed"]
    assert [("kraken: " in fault, "coinbase: " in fault) for fault in faults] == [(True, True)]
