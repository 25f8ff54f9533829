"""The doctor asks every source and seat of the settings once, and says what works, how fast and at what cost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select, text, update

from service.config import Settings, SettingsError
from service.doctor.checks import Finding
from service.doctor.examination import examine
from service.doctor.report import as_json, readable
from service.market.instants import DAY, HOUR, iso
from service.store import migrations
from service.store.database import Database
from service.store.tables import metadata, spending
from tests.houses import START
from tests.jobs.live import Outside, answering, hang, printing
from tests.processes import ROOT, free_port
from tests.sources.conftest import ExchangeServer, coinbase_routes, kraken_routes, serve
from tests.sources.llm import model_server as it
from tests.sources.llm.model_server import ModelServer, answers, refuses, said

KEY = "sk-secret-0123456789"
SEATS = ("momentum", "reversion", "breadth", "regime", "trend", "news")
TIMEOUT_S = 1.0
# What threads and a slow machine may add to a deadline.
MARGIN_S = 2.5

Examine = Callable[..., dict[str, Finding]]


@pytest.fixture
def found(tmp_path) -> Examine:
    """What came of every part, by its name; without options, of a service that was never started."""

    def run(ccxt: dict | None = None, **options: Any) -> dict[str, Finding]:
        settings = Settings(**{"data_dir": tmp_path, "source_timeout_s": TIMEOUT_S} | options)
        findings = examine(settings, lambda: float(START), ccxt)
        parts = {finding.part: finding for finding in findings}
        assert len(parts) == len(findings)
        return parts

    return run


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A server of models on this machine; it gives a sound vote until a test says otherwise."""
    with it.serving() as server:
        yield server


def taken_by(server: ModelServer | str, *seats: str, named: str = "some-model") -> dict[str, Any]:
    """Options that put a model of `server`, or of that address, into seats."""
    address = server if isinstance(server, str) else server.address
    return {"oracle_seats": {seat: {"model": named, "base_url": address, "api_key": KEY} for seat in seats}}


def dead() -> str:
    """The host and port of nobody."""
    return f"127.0.0.1:{free_port()}"


def test_a_service_that_was_never_started_is_well_and_free(found, tmp_path):
    parts = found()
    assert list(parts) == ["database", "prices", *(f"seat {name}" for name in SEATS)]
    assert [part for part in parts.values() if not part.works] == []
    assert {(part.tokens, part.usd) for part in parts.values()} == {(0, 0.0)}
    assert {parts[f"seat {name}"].what for name in SEATS} == {"embedded"}
    assert parts["prices"].what == "simulated market"


def test_nothing_is_made_by_looking(found, tmp_path):
    found(data_dir=tmp_path / "var")
    assert list(tmp_path.iterdir()) == []


class TestTheDatabase:
    def test_works_at_the_newest_migration(self, found, database_url):
        part = found(database_url=database_url)["database"]
        assert part.works
        assert part.detail == f"at migration {migrations.head()}, the newest"
        assert part.ms > 0

    def test_that_is_empty_works_since_the_first_start_fills_it(self, found, empty_postgresql):
        part = found(database_url=empty_postgresql)["database"]
        assert (part.works, part.detail) == (True, "empty: the first start makes its tables")

    @pytest.mark.parametrize(("revision", "words"), [("0001", "the next start"), ("9999", "update the service")])
    def test_of_another_migration_does_not_work(self, found, database, database_url, revision, words):
        with database.writing() as db:
            db.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
        try:
            part = found(database_url=database_url)["database"]
        finally:
            with database.writing() as db:
                db.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": migrations.head()})
        assert not part.works
        assert f"at migration {revision}" in part.detail
        assert words in part.detail

    def test_that_nobody_serves_does_not_answer(self, found):
        part = found(database_url=f"postgresql://someone:{KEY}@{dead()}/test")["database"]
        assert not part.works
        assert part.detail == "It does not answer: is it running, and are its address and password right?"
        assert KEY not in str(part)

    def test_that_is_another_kind_of_file_cannot_be_read(self, found, tmp_path):
        (tmp_path / "simulated.sqlite").write_bytes(b"Dear diary, " * 100)
        part = found()["database"]
        assert (part.works, part.detail.split(",")[0]) == (False, "It answers")

    def test_that_cannot_be_made_does_not_work(self, found, tmp_path):
        (tmp_path / "var").write_text("a file where a folder is wanted")
        part = found(data_dir=tmp_path / "var")["database"]
        assert not part.works
        assert "cannot be made" in part.detail


class TestRedisAndTheBroker:
    def test_are_asked_where_they_are_set(self, found, redis_url):
        parts = found(redis_url=SecretStr(redis_url), broker_url=SecretStr(redis_url))
        assert [parts[name].works for name in ("redis", "broker")] == [True, True]

    def test_a_broker_that_is_redis_is_asked_once(self, found, redis_url):
        assert "broker" not in found(redis_url=SecretStr(redis_url))

    def test_that_nobody_serves_are_said_to_be_unreachable_without_their_password(self, found):
        address = SecretStr(f"redis://:{KEY}@{dead()}/0")
        parts = found(redis_url=address, broker_url=address)
        assert {parts[name].works for name in ("redis", "broker")} == {False}
        assert {parts[name].detail for name in ("redis", "broker")} == {
            "It could not be reached: is it running, and is its address right?"
        }
        assert KEY not in as_json(list(parts.values()))

    def test_rabbitmq_works(self, found, rabbitmq_url):
        assert found(broker_url=SecretStr(rabbitmq_url))["broker"].works

    def test_rabbitmq_refuses_a_wrong_password(self, found, rabbitmq_url):
        part = found(broker_url=SecretStr(rabbitmq_url.replace("guest:guest", f"guest:{KEY}")))["broker"]
        assert (part.works, part.detail) == (False, "It refused the name or the password of its address.")
        assert KEY not in str(part)

    def test_rabbitmq_that_nobody_serves_is_unreachable(self, found):
        part = found(broker_url=SecretStr(f"amqp://guest:guest@{dead()}"))["broker"]
        assert (part.works, part.detail.split(":")[0]) == (False, "It could not be reached")


def test_a_replay_tells_what_its_folder_holds(found, tmp_path):
    lines = [f"{iso(START - START % HOUR + HOUR * hour)},100,102,99,101,5" for hour in range(72)]
    (tmp_path / "btc.csv").write_text("\n".join(["time,open,high,low,close,volume", *lines]))
    part = found(world="replay", replay_dir=tmp_path, replay_start=iso(START + 2 * DAY))["prices"]
    assert part.works
    assert part.what == "replay of REPLAY_DIR"
    assert part.detail == "bars of 3600 s in a day: btc 24"


def drip_head(handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.exchange.closing.wait(0.02):
        handler.wfile.write(b"x")


POOL = {
    "pool": "c0ffee",
    "project": "uniswap-v3",
    "chain": "Arbitrum",
    "symbol": "WETH-USDC",
    "poolMeta": "0.05%",
    "tvlUsd": 60_000_000,
    "volumeUsd1d": 90_000_000,
}


@pytest.fixture
def outside() -> Iterator[Outside]:
    """All that a live world asks, as servers on this machine; every one of them answers."""
    told = Outside()
    routes = {
        "polymarket": lambda _server, _path, query: told.list("polymarket", query),
        "kalshi": lambda _server, _path, query: told.list("kalshi", query),
        "paper": lambda *_: None,
        "pools": lambda *_: {"status": "success", "data": [POOL]},
        "kraken": kraken_routes,
        "coinbase": coinbase_routes,
    }
    with ExitStack() as opened:
        for name, answered in routes.items():
            told.servers[name] = opened.enter_context(contextmanager(serve)(ExchangeServer(answered)))
        told.reset()
        hour = START - START % 300 - HOUR
        bars = [(hour + 300 * place, 100.0, 102.0, 99.0, 101.0, 5.0) for place in range(12)]
        for name in ("kraken", "coinbase"):
            told.servers[name].bars = {"BTC/USD": bars}
        yield told


@pytest.fixture
def live(found, outside) -> Examine:
    """What came of the parts of a live world, with two exchanges."""

    def run(**options: Any) -> dict[str, Finding]:
        ccxt = {
            "kraken": {"urls": {"api": {"public": outside.servers["kraken"].address}}, "enableRateLimit": False},
            "coinbase": {"urls": {"api": {"rest": outside.servers["coinbase"].address}}, "enableRateLimit": False},
        }
        return found(ccxt, **outside.options | {"exchanges": ("kraken", "coinbase")} | options)

    return run


LIVE = ("prices kraken", "prices coinbase", "pools", "polymarket", "kalshi", "news 1")
SERVERS = ("kraken", "coinbase", "pools", "polymarket", "kalshi", "paper")


class TestTheLiveWorld:
    def test_has_every_source_asked_by_itself(self, live):
        parts = live(source_timeout_s=10)
        assert tuple(parts)[1:7] == LIVE
        assert {parts[name].detail for name in LIVE if not parts[name].works} == set()
        assert parts["prices coinbase"].detail == "coinbase BTC/USD, bars of the last hour: 12"
        assert parts["pools"].detail == "pools that a lane could be in: 1"
        assert parts["news 1"].detail == "headlines: 2"

    @pytest.mark.parametrize(("server", "part"), list(zip(SERVERS, LIVE, strict=True)))
    def test_has_one_source_that_fails_and_the_others_work(self, live, outside, server, part):
        outside.servers[server].fault = answering(f'{{"error": ["{KEY}"]}}'.encode(), status=503)
        parts = live(source_timeout_s=10)
        assert [name for name in LIVE if not parts[name].works] == [part]
        assert parts[part].detail.endswith(".")
        assert KEY not in as_json(list(parts.values())), "what a source wrote is not told"

    def test_has_an_exchange_whose_own_words_are_not_told(self, live, outside):
        outside.servers["kraken"].fault = answering(f'{{"error": ["EGeneral:{KEY}"]}}'.encode())
        part = live(source_timeout_s=10)["prices kraken"]
        assert (part.works, part.detail) == (False, "kraken gave no bars: it answered what cannot be read.")

    def test_is_examined_at_once_within_the_time_of_one_call(self, live, outside):
        for server in outside.servers.values():
            server.fault = hang
        began = time.monotonic()
        parts = live(source_timeout_s=TIMEOUT_S)
        assert time.monotonic() - began < TIMEOUT_S + MARGIN_S
        assert [name for name in LIVE if parts[name].works] == []
        assert all("in time" in parts[name].detail for name in LIVE)

    def test_has_no_source_that_is_waited_for_longer_than_its_time(self, live, outside):
        """DefiLlama's reader has a deadline for what follows the head of an answer, and none for the head."""
        outside.servers["pools"].fault = drip_head
        began = time.monotonic()
        part = live(source_timeout_s=TIMEOUT_S)["pools"]
        assert time.monotonic() - began < TIMEOUT_S + MARGIN_S
        assert (part.works, part.detail) == (False, "There was no whole answer in time.")

    def test_that_cannot_be_reached_is_said_in_words(self, live):
        nobody = f"http://{dead()}"
        parts = live(polymarket_url=nobody, kalshi_url=nobody, pools_url=nobody, news_feeds=(f"{nobody}/rss",))
        assert all(
            parts[name].detail.endswith("it could not be reached.")
            for name in ("pools", "polymarket", "kalshi", "news 1")
        )

    def test_shows_the_host_of_a_feed_and_not_its_token(self, live, outside):
        outside.servers["paper"].fault = printing()
        address = outside.servers["paper"].address.replace("http://", f"http://reader:{KEY}@")
        part = live(news_feeds=(f"{address}/rss?token={KEY}",))["news 1"]
        assert (part.what, part.works) == ("127.0.0.1", False)
        assert part.detail == "The feed holds no headline that can be read."


class TestASeatWithALanguageModel:
    def test_is_asked_one_real_question(self, found, model):
        part = found(**taken_by(model, "momentum"))["seat momentum"]
        assert (part.works, part.what, part.tokens, part.usd) == (True, "custom:some-model", 940, None)
        assert part.detail == "says 62 % to a made-up question"
        (asked,) = model.asked
        told = asked["messages"][1]["content"]
        assert "Question: Will Bitcoin" in told
        assert "base rate of YES" in told

    def test_costs_what_its_provider_charges(self, found, model):
        part = found(**taken_by(model, "news", named="openai:gpt-5-mini"))["seat news"]
        assert (part.what, part.tokens) == ("openai:gpt-5-mini", 940)
        assert part.usd == pytest.approx((900 * 0.25 + 40 * 2.0) / 1e6)

    def test_leaves_the_others_to_their_embedded_engines(self, found, model):
        parts = found(**taken_by(model, "momentum", "trend"))
        engines = [parts[f"seat {name}"].what for name in SEATS]
        assert engines == ["custom:some-model", "embedded", "embedded", "embedded", "custom:some-model", "embedded"]
        assert len(model.asked) == 2

    def test_can_be_each_of_the_six(self, found, model):
        parts = found(**taken_by(model, *SEATS))
        assert all(parts[f"seat {name}"].works for name in SEATS)
        assert len({asked["messages"][0]["content"] for asked in model.asked}) == 6

    @pytest.mark.parametrize(
        ("behave", "reason"),
        [
            (refuses(401, f"Incorrect API key provided: {KEY}"), "refused the key (401)"),
            (refuses(402), "is out of credit (402)"),
            (answers(f"My key is {KEY}."), "gave no probability_yes"),
        ],
    )
    def test_is_not_stood_in_for_and_its_key_is_never_told(self, found, model, behave, reason, capfd):
        model.behaviours = [behave]
        parts = found(oracle_on_failure="fallback", **taken_by(model, "momentum"))
        assert not parts["seat momentum"].works
        assert parts["seat momentum"].detail == f"custom:some-model: {reason}."
        printed = "".join(capfd.readouterr())
        assert KEY not in as_json(list(parts.values())) + readable(list(parts.values())) + printed

    def test_that_hangs_fails_within_its_deadline_and_tells_what_it_may_have_cost(self, found, model):
        model.behaviours = [it.hangs]
        began = time.monotonic()
        part = found(oracle_deadline_s=0.6, **taken_by(model, "momentum"))["seat momentum"]
        assert time.monotonic() - began < 0.6 + MARGIN_S
        assert (part.works, part.detail) == (False, "custom:some-model: did not answer in time.")
        assert part.tokens > 4000
        assert f"at most {part.tokens} tokens, price not known" in readable([part])

    def test_that_nobody_serves_costs_nothing(self, found):
        part = found(oracle_deadline_s=1, **taken_by(f"http://{dead()}/v1", "momentum"))["seat momentum"]
        assert (part.works, part.tokens, part.usd) == (False, 0, 0.0)
        assert part.detail == "custom:some-model: could not be reached."

    def test_of_ollama_that_does_not_run_says_what_to_do(self, found):
        host = dead()
        options = taken_by(f"http://{host}/v1", "momentum", named="ollama:llama3.2")
        part = found(oracle_deadline_s=1, **options)["seat momentum"]
        assert not part.works
        assert part.detail == (f"Ollama does not answer at {host}: run `ollama serve`, then `ollama pull llama3.2`.")

    def test_of_ollama_that_lacks_the_model_says_what_to_do(self, found, model):
        model.behaviours = [refuses(404, 'model "llama3.2" not found, try pulling it first')]
        part = found(**taken_by(model, "momentum", named="ollama:llama3.2"))["seat momentum"]
        assert (part.works, part.tokens) == (False, 0)
        assert part.detail == "Ollama runs, and does not have this model: run `ollama pull llama3.2`."

    def test_of_ollama_costs_tokens_and_no_money(self, found, model):
        part = found(**taken_by(model, "momentum", named="ollama:llama3.2"))["seat momentum"]
        assert (part.works, part.tokens, part.usd) == (True, 940, 0.0)
        assert "940 tokens, free" in readable([part])


def everything_in(database: Database) -> dict[str, list]:
    """All rows of all tables but what was spent."""
    with database.reading() as db:
        return {
            table.name: sorted(map(str, db.execute(select(table)).all()))
            for table in metadata.sorted_tables
            if table is not spending
        }


class TestWhatTheDoctorSpends:
    def test_is_kept_with_what_the_service_spends_and_nothing_else_is_written(
        self, found, model, database, database_url
    ):
        before = everything_in(database)
        found(database_url=database_url, **taken_by(model, "momentum", "trend"))
        with database.reading() as db:
            assert db.scalar(select(spending.c.tokens)) == 2 * 940
        assert everything_in(database) == before

    def test_is_capped_as_the_service_is(self, found, model, sqlite_url):
        found(database_url=sqlite_url, **taken_by(model, "momentum"))
        with closing(Database(sqlite_url)) as database, database.writing() as db:
            db.execute(update(spending).values(tokens=9_500))
        options = taken_by(model, "momentum") | {"oracle_daily_tokens": 10_000}
        part = found(database_url=sqlite_url, **options)["seat momentum"]
        assert len(model.asked) == 1
        assert (part.works, part.tokens) == (False, 0)
        assert part.detail == "custom:some-model: today's budget for language models is used up."

    @pytest.mark.parametrize("url", ["", "postgresql://127.0.0.1:1/test"])
    def test_is_counted_in_memory_where_there_is_no_database(self, found, model, url, tmp_path):
        assert found(database_url=url, **taken_by(model, "momentum"))["seat momentum"].works
        assert list(tmp_path.iterdir()) == []

    def test_is_counted_in_memory_where_the_database_is_empty(self, found, model, empty_postgresql):
        assert found(database_url=empty_postgresql, **taken_by(model, "momentum"))["seat momentum"].works


@pytest.mark.parametrize(
    "options",
    [
        {"database_url": f"mysql://root:{KEY}@127.0.0.1/test"},
        {"database_url": f"{KEY}::"},
        {"database_url": "sqlite://"},
        {"redis_url": SecretStr(f"http://:{KEY}@127.0.0.1")},
        {"broker_url": SecretStr(f"http://:{KEY}@127.0.0.1")},
        {"broker_url": SecretStr(f"amqp://guest:{KEY}@127.0.0.1:http")},
        {"world": "live", "exchanges": ("nobody",)},
        {"world": "live", "exchanges": ()},
        {"oracle_model": "openai:gpt-5-mini"},
        {"oracle_model": "nobody:gpt-5-mini", "provider_keys": {"openai": KEY}},
    ],
)
def test_settings_that_cannot_be_used_are_told_before_anything_is_asked(found, options):
    with pytest.raises(SettingsError) as caught:
        found(**options)
    assert KEY not in caught.value.detail


def shell(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The doctor as it is run from a shell."""
    return subprocess.run(
        [sys.executable, "-m", "service.doctor", *words],
        env={**os.environ, "DATA_DIR": str(folder), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_command_prints_a_line_for_each_part_and_exits_with_0_when_all_work(tmp_path, sqlite_url):
    done = shell(tmp_path, DATABASE_URL=sqlite_url)
    heading, *lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert heading.split() == ["part", "works", "ms", "cost", "what"]
    assert [line.split("  ")[0] for line in lines] == ["database", "prices", *(f"seat {name}" for name in SEATS)]


def test_the_command_exits_with_1_when_something_does_not_work_and_tells_no_key(tmp_path, model):
    model.behaviours = [answers(said()), refuses(401, f"Incorrect API key provided: {KEY}")]
    secrets = {
        "ORACLE_MODEL": "openai:gpt-5-mini",
        "OPENAI_API_KEY": f"{KEY}-openai",
        **{f"ORACLE_{name.upper()}_BASE_URL": model.address for name in SEATS},
        **{f"ORACLE_{name.upper()}_API_KEY": KEY for name in SEATS},
        "REDIS_URL": f"redis://:{KEY}@{dead()}",
        "BROKER_URL": f"amqp://guest:{KEY}@{dead()}",
        "DATABASE_URL": f"postgresql://someone:{KEY}@{dead()}/test",
    }
    done = shell(tmp_path, "--json", **secrets)
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert {header["authorization"] for header in model.headers} == {f"Bearer {KEY}"}, "the key was used"
    assert KEY not in done.stdout
    assert sum(part["works"] for part in told) == 2, "the prices, and the seat that was answered first"
    assert set(told[0]) == {"part", "what", "works", "ms", "tokens", "usd", "detail"}


@pytest.mark.parametrize(
    ("environment", "complaint"),
    [({"WORLD": "elsewhere"}, "error: WORLD: "), ({"ORACLE_MODEL": "openai:gpt-5"}, "error: openai:gpt-5 needs a key")],
)
def test_the_command_exits_with_2_when_the_settings_cannot_be_used(tmp_path, environment, complaint):
    done = shell(tmp_path, OPENAI_API_KEY="", **environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(complaint)
