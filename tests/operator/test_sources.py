"""The database, Redis and every source of prices and news are each called once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest
import redis
import requests
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError, OperationalError

from service.errors import SourceFailed
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, iso
from service.operator import check
from service.operator.check import Finding, findings_table, run
from service.operator.commands import as_json
from service.store import migrations
from tests.jobs.live import Outside, answering, printing, serving_outside
from tests.operator.conftest import KEY, NO_CONNECTION, TIMEOUT_S, Examine, dead
from tests.running_service import START
from tests.sources.conftest import POOL, ccxt_options, coinbase_routes, kraken_routes
from tests.sources.faults import Waiting, drip_headers

NO_DATABASE = "It does not answer; check that it is running, its address and its password."
OTHER_FILE = "It cannot be read; check that it is a database of this service."


class TestTheDatabase:
    def test_works_at_the_newest_migration(self, examine, database_url):
        part = examine(database_url=database_url)["database"]
        assert (part.works, part.detail, part.ms > 0) == (True, "at the newest migration", True)

    def test_that_is_empty_works_since_the_first_start_fills_it(self, examine, empty_postgresql):
        part = examine(database_url=empty_postgresql)["database"]
        assert (part.works, part.detail) == (True, "empty: the first start creates its tables")

    @pytest.mark.parametrize(("revision", "words"), [("0001", "the next start"), ("9999", "update the service")])
    def test_of_another_migration_does_not_work(self, examine, database, database_url, revision, words):
        change = text("UPDATE alembic_version SET version_num = :revision")
        with database.writing() as db:
            db.execute(change, {"revision": revision})
        try:
            part = examine(database_url=database_url)["database"]
        finally:
            with database.writing() as db:
                db.execute(change, {"revision": migrations.head()})
        assert not part.works
        assert f"at migration {revision}" in part.detail
        assert words in part.detail

    def test_that_cannot_be_read_does_not_work(self, examine, tmp_path):
        """It does not answer, is another kind of file, or cannot be made."""
        part = examine(database_url=f"postgresql://someone:{KEY}@{dead()}/test")["database"]
        assert (part.works, part.detail, KEY in str(part)) == (False, NO_DATABASE, False)
        (tmp_path / "simulated.sqlite").write_bytes(b"Dear diary, " * 100)
        part = examine()["database"]
        assert (part.works, part.detail) == (False, OTHER_FILE)
        (tmp_path / "var").write_text("a file where a folder is wanted")
        part = examine(data_dir=tmp_path / "var")["database"]
        assert (part.works, "cannot be created" in part.detail) == (False, True)


def test_redis_is_asked_where_it_is_set(examine, redis_url):
    """Without a server it is unreachable; its password is hidden."""
    assert examine(redis_url=SecretStr(redis_url))["redis"].works
    assert "redis" not in examine()
    parts = examine(redis_url=SecretStr(f"redis://:{KEY}@{dead()}/0"))
    assert (parts["redis"].works, parts["redis"].detail) == (False, NO_CONNECTION)
    assert KEY not in as_json(findings_table(list(parts.values())))


def test_a_replay_tells_what_its_folder_holds(examine, tmp_path):
    lines = [f"{iso(START - START % HOUR + HOUR * hour)},100,102,99,101,5" for hour in range(72)]
    (tmp_path / "btc.csv").write_text("\n".join(["time,open,high,low,close,volume", *lines]))
    part = examine(world="replay", replay_dir=tmp_path, replay_start=iso(START + 2 * DAY))["prices"]
    assert (part.works, part.what) == (True, "replay of REPLAY_DIR")
    assert part.detail == "bars of 3600 s in a day: btc 24"


@pytest.fixture
def outside() -> Iterator[Outside]:
    """All that a live world asks, as servers on this machine; every one of them answers."""
    with serving_outside(POOL, kraken=kraken_routes, coinbase=coinbase_routes) as services:
        hour = START - START % 300 - HOUR
        bars = [(hour + 300 * place, 100.0, 102.0, 99.0, 101.0, 5.0) for place in range(12)]
        for name in ("kraken", "coinbase"):
            services.servers[name].bars = {"BTC/USD": bars}
            services.servers[name].hours = {"BTC/USD": []}
        yield services


@pytest.fixture
def live(examine, outside) -> Examine:
    """What came of the parts of a live world, with two exchanges, which have ten seconds."""

    def run(**options: Any) -> dict[str, Finding]:
        ccxt = ccxt_options(outside.servers["kraken"], outside.servers["coinbase"])
        options = outside.options | {"exchanges": ("kraken", "coinbase"), "source_timeout_s": 10} | options
        return examine(ccxt, **options)

    return run


PRICES = tuple(f"prices {asset}" for asset in ASSETS)
LISTS = ("pools", "polymarket", "kalshi", "news 1")
LIVE = ("exchange kraken", "exchange coinbase", *PRICES, *LISTS)
SERVERS = ("kraken", "coinbase", "pools", "polymarket", "kalshi", "paper")
FAILURES = ("exchange kraken", "exchange coinbase", *LISTS)


@pytest.mark.slow
class TestTheLiveWorld:
    def test_has_every_source_asked_by_itself(self, live):
        parts = live()
        assert tuple(parts)[1 : len(LIVE) + 1] == LIVE
        assert {parts[name].detail for name in LIVE if not parts[name].works} == set()
        promise = "BTC/USD: 101 USD, less than 30 days of hourly bars"
        assert parts["exchange coinbase"].detail == f"coinbase {promise}"
        assert parts["prices btc"].detail == f"kraken {promise}"
        assert parts["prices silver"].detail == "no source has it, so it is listed nowhere; BARS_DIR can add it"
        assert parts["pools"].detail == "usable pools: 1"
        assert parts["news 1"].detail == "headlines: 2"

    @pytest.mark.parametrize(("server", "part"), list(zip(SERVERS, FAILURES, strict=True)))
    def test_has_one_source_that_fails_and_the_others_work(self, live, outside, server, part):
        outside.servers[server].fault = answering(f'{{"error": ["{KEY}"]}}'.encode(), status=503)
        parts = live()
        assert [name for name in LIVE if not parts[name].works] == [part]
        assert parts[part].detail.endswith(".")
        assert KEY not in as_json(findings_table(list(parts.values()))), "what a source wrote is not told"

    def test_has_an_exchange_whose_own_words_are_not_told(self, live, outside):
        outside.servers["kraken"].fault = answering(f'{{"error": ["EGeneral:{KEY}"]}}'.encode())
        part = live()["exchange kraken"]
        assert (part.works, part.detail) == (False, "Kraken: the answer cannot be read.")

    def test_is_examined_at_once_within_the_time_of_one_call(self, live, outside):
        clients = Waiting()
        for server in outside.servers.values():
            server.fault = clients.hang
        parts = live(source_timeout_s=TIMEOUT_S)
        assert clients.most > len(outside.servers) // 2, "they were asked one after the other"
        assert [name for name in LIVE if parts[name].works] == []
        pattern = re.compile("no complete response|recently exceeded its time limit", re.IGNORECASE)
        assert {name: parts[name].detail for name in FAILURES if not pattern.search(parts[name].detail)} == {}

    def test_has_no_source_that_is_waited_for_longer_than_its_time(self, live, outside):
        """The time limit holds for the head of an answer too."""
        outside.servers["pools"].fault = drip_headers
        part = live(source_timeout_s=TIMEOUT_S)["pools"]
        assert (part.works, part.detail) == (False, "DefiLlama returned no pools: no complete response in time.")

    def test_that_cannot_be_reached_is_said_in_words(self, live):
        address = f"http://{dead()}"
        parts = live(polymarket_url=address, kalshi_url=address, pools_url=address, news_feeds=(f"{address}/rss",))
        assert all(parts[name].detail.lower().endswith(NO_CONNECTION.lower()) for name in LISTS)

    def test_shows_the_host_of_a_feed_and_not_its_token(self, live, outside):
        outside.servers["paper"].fault = printing()
        address = outside.servers["paper"].address.replace("http://", f"http://reader:{KEY}@")
        part = live(news_feeds=(f"{address}/rss?token={KEY}",))["news 1"]
        assert (part.what, part.works) == ("127.0.0.1", False)
        assert part.detail == "No headlines."


CAUSES = {
    "NetworkError": "it could not be reached; check the network and its address",
    "ProxyError": "no connection through the proxy; check SOURCE_PROXY or HTTPS_PROXY",
    "RateLimitExceeded": "it failed or refused the request; try again later",
    "JSONDecodeError": "the answer cannot be read",
    "404 of two pages": "404 of two pages",
}


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (redis.TimeoutError(KEY), "No complete response in time."),
        (redis.AuthenticationError(KEY), "Access refused; check the name and the password."),
        (OperationalError(KEY, {}, ValueError(KEY)), NO_DATABASE),
        (DatabaseError(KEY, {}, ValueError(KEY)), OTHER_FILE),
        (requests.ConnectionError(KEY), NO_CONNECTION),
        (ValueError(KEY), "It failed with ValueError/Exception."),
        *((SourceFailed(f"no bars: kraken: {cause}."), f"No bars: kraken: {CAUSES[cause]}.") for cause in CAUSES),
    ],
)
def test_an_error_is_described_by_its_class(error: Exception, detail: str):
    """Its text may hold a key, so it is left out; only a source's own sentence is kept."""
    finding = run("a part", "a server", 1.0, Mock(side_effect=error))
    assert (finding.works, finding.detail) == (False, detail)


def test_a_call_is_abandoned_after_its_time(monkeypatch):
    """One that ends in time names its part and its time."""
    finding = run("redis", "redis localhost", 1.0, lambda: Finding(detail="answers", tokens=3))
    assert finding == Finding("redis", "redis localhost", ms=finding.ms, tokens=3, detail="answers")
    assert 0 <= finding.ms < 1000
    monkeypatch.setattr(check, "GRACE_S", 0.0)
    finish = Event()
    finding = run("a part", "a server", 0.01, lambda: Finding(works=finish.wait(10)))
    finish.set()
    assert (finding.works, "no complete response in time" in finding.detail.lower()) == (False, True)
