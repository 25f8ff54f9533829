"""The real market through three exchanges: whatever goes wrong, the same bars are there at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
import structlog

from service.config import Settings
from service.jobs import prices
from service.market.bars import with_silent_bars
from service.market.instants import DAY, HOUR
from service.sources import sessions
from service.sources.feeds.exchange import open_exchanges
from service.store import bars
from service.store.database import Database
from tests.jobs.made_feed import LiveJobs
from tests.processes import free_port
from tests.sources.faults import cut_short, hang, status
from tests.sources.live.exchanges import STEP, Exchanges, trading

NOW = 1_795_687_505  # five seconds after a full hour
DAYS = 61
BASES = ("BTC", "PAXG")
ASSETS = {"btc": "BTC", "gold": "PAXG"}
UNLIMITED_RATE = {name: {"enableRateLimit": False} for name in ("kraken", "coinbase", "binance")}


@pytest.fixture
def exchanges() -> Iterator[Exchanges]:
    with trading(NOW - (DAYS + 20) * DAY, NOW, bases=BASES, now=lambda: NOW, is_limited=False) as servers:
        yield servers


@pytest.fixture
def arrive(exchanges, sqlite_url) -> Iterator[Callable[..., LiveJobs]]:
    """Let the history arrive until nothing is asked for any more."""
    databases: list[Database] = []

    def run(
        clock: int = NOW,
        rounds: int = 12,
        *,
        exchanges: tuple[str, ...] = exchanges.entries,
        source_timeout_s: float = 6.0,
        **options,
    ) -> LiveJobs:
        settings = Settings(world="live", exchanges=exchanges, source_timeout_s=source_timeout_s, **options)
        sessions.use_proxy(settings)
        databases.append(Database(sqlite_url))
        databases[-1].migrate()
        opened_feed = open_exchanges(settings, clock // DAY * DAY - DAYS * DAY, UNLIMITED_RATE)
        feed = replace(opened_feed, now=lambda: clock)
        jobs = LiveJobs(databases[-1], feed, clock)
        for seconds in range(0, 70 * rounds, 70):
            for job in (prices.tick, prices.history) if not seconds else (prices.history,):
                try_to(jobs, job, clock + seconds)
        return jobs

    yield run
    sessions.use_proxy(Settings())
    for database in databases:
        database.close()


def try_to(jobs: LiveJobs, job: Callable, slot: int) -> None:
    """Run a job as the engine does: one that fails is tried again later."""
    try:
        jobs.run(job, slot)
    except Exception as error:
        structlog.get_logger().info("job_failed", detail=str(error))


def is_equal_to(exchanges: Exchanges, jobs: LiveJobs, asset: str, until: int = NOW) -> bool:
    """Whether the stored hours and short bars are those of the market."""
    market, hours = exchanges.shown(ASSETS[asset], STEP).until(until), exchanges.hours[ASSETS[asset]].until(until)
    with jobs.database.reading() as db:
        short_bars = bars.load_bars(db, asset, 0, 2**40, STEP)
        stored_hours = bars.load_bars(db, asset, 0, 2**40, HOUR)
    expected = with_silent_bars(market).since(int(short_bars.time[0]))
    expected_hours = hours.since(jobs.feed.history_from)
    return (
        np.array_equal(short_bars.time, expected.time)
        and np.array_equal(short_bars.close, expected.close)
        and np.array_equal(stored_hours.time, expected_hours.time)
        and np.allclose(stored_hours.close, expected_hours.close)
    )


@pytest.mark.parametrize(
    ("faults", "spells"),
    [
        ({}, {}),
        ({"kraken": status(429)}, {"kraken": 3}),
        ({"coinbase": status(503)}, {"coinbase": 4}),
        ({"kraken": cut_short, "coinbase": cut_short}, {"kraken": 2, "coinbase": 2}),
        ({"kraken": status(403)}, {}),
        ({"kraken": status(500), "coinbase": status(502)}, {"kraken": 2, "coinbase": 2}),
    ],
    ids=["none", "429", "503", "cut", "403", "both"],
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


@pytest.mark.parametrize("silent", [0.005, 0.02, 0.14])
def test_silent_bars_cost_no_request(exchanges, arrive, silent):
    """History is hourly, so it takes as many requests as without them; two days of short bars are whole at once."""
    exchanges.silence(silent)
    jobs = arrive(rounds=1)
    first = exchanges.requests["coinbase"]
    assert jobs.histories(NOW)["btc"].state == "complete"
    assert is_equal_to(exchanges, jobs, "btc")
    times = jobs.times("btc", STEP)
    assert len(times) == (times[-1] - times[0]) // STEP + 1
    assert times[0] <= NOW - 2 * DAY
    try_to(jobs, prices.history, NOW + 60)
    assert exchanges.requests["coinbase"] == first


@pytest.mark.parametrize("off_s", [-HOUR, HOUR])
def test_a_wrong_clock_is_named(exchanges, arrive, off_s):
    """The bars are those of the exchanges, as far as the clock of this machine lets them be known."""
    jobs = arrive(clock=NOW + off_s, rounds=2)
    assert all(is_equal_to(exchanges, jobs, asset, min(NOW, NOW + off_s)) for asset in ASSETS)
    source = jobs.prices()["sources"]["btc"]
    assert f"this machine's clock is 60 min {'ahead' if off_s > 0 else 'behind'}" in source


@pytest.mark.parametrize("how", ["SOURCE_PROXY", "HTTP_PROXY"])
def test_through_a_proxy_the_bars_are_the_same(exchanges, arrive, http_proxy, monkeypatch, how):
    """By the option, or by the usual variable of the environment, for exchanges that are not on this machine."""
    remote_entries = tuple(entry.replace("127.0.0.1", "exchanges.test") for entry in exchanges.entries)
    if how == "HTTP_PROXY":
        monkeypatch.setenv(how, http_proxy.address)
    jobs = arrive(exchanges=remote_entries, source_proxy=http_proxy.address if how == "SOURCE_PROXY" else "")
    assert all(is_equal_to(exchanges, jobs, asset) for asset in ASSETS)


def test_one_sentence_a_fault_and_no_loop_of_texts(exchanges, arrive):
    """Both exchanges fail for twelve minutes: one line for all assets, which names both."""
    exchanges.faults = {"kraken": status(500), "coinbase": status(502)}
    with structlog.testing.capture_logs() as events:
        arrive()
    faults = [event["detail"] for event in events if event["event"] == "source_failed"]
    assert len(faults) == 1
    assert "kraken: " in faults[0]
    assert "coinbase: " in faults[0]
