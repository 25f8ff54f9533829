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
from service.doctor import examine
from service.doctor.__main__ import as_json, readable
from service.doctor.checks import Finding
from service.market.instants import DAY, HOUR, iso
from service.store import migrations
from service.store.database import Database
from service.store.tables import metadata, spending
from tests.jobs.live import Outside, answering, hang, printing
from tests.processes import ROOT, free_port
from tests.running_service import START
from tests.sources.conftest import ExchangeServer, coinbase_routes, kraken_routes, serve
from tests.sources.llm import model_server as it
from tests.sources.llm.model_server import ModelServer, answers, refuses, vote_text

KEY = "sk-secret-0123456789"
SEATS = ("momentum", "reversion", "breadth", "regime", "trend", "news")
TIMEOUT_S = 1.0
# What threads and a slow machine may add to a deadline.
MARGIN_S = 2.5
UNREACHABLE = "It could not be reached; check that it is running and its address."
OLLAMA = "Run `ollama serve` and `ollama pull llama3.2`."

Examine = Callable[..., dict[str, Finding]]


@pytest.fixture
def examined(tmp_path) -> Examine:
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
    """A host and port without a server."""
    return f"127.0.0.1:{free_port()}"


def test_a_service_that_was_never_started_is_well_and_free(examined, tmp_path):
    parts = examined()
    assert list(parts) == ["database", "prices", *(f"seat {name}" for name in SEATS)]
    assert [part for part in parts.values() if not part.works] == []
    assert {(part.tokens, part.usd) for part in parts.values()} == {(0, 0.0)}
    assert {parts[f"seat {name}"].what for name in SEATS} == {"embedded"}
    assert parts["prices"].what == "simulated market"


def test_nothing_is_made_by_looking(examined, tmp_path):
    examined(data_dir=tmp_path / "var")
    assert list(tmp_path.iterdir()) == []


class TestTheDatabase:
    def test_works_at_the_newest_migration(self, examined, database_url):
        part = examined(database_url=database_url)["database"]
        assert part.works
        assert part.detail == "at the newest migration"
        assert part.ms > 0

    def test_that_is_empty_works_since_the_first_start_fills_it(self, examined, empty_postgresql):
        part = examined(database_url=empty_postgresql)["database"]
        assert (part.works, part.detail) == (True, "empty: the first start creates its tables")

    @pytest.mark.parametrize(("revision", "words"), [("0001", "the next start"), ("9999", "update the service")])
    def test_of_another_migration_does_not_work(self, examined, database, database_url, revision, words):
        with database.writing() as db:
            db.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
        try:
            part = examined(database_url=database_url)["database"]
        finally:
            with database.writing() as db:
                db.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": migrations.head()})
        assert not part.works
        assert f"at migration {revision}" in part.detail
        assert words in part.detail

    def test_without_a_server_does_not_answer(self, examined):
        part = examined(database_url=f"postgresql://someone:{KEY}@{dead()}/test")["database"]
        assert not part.works
        assert part.detail == "It does not answer; check that it is running, its address and its password."
        assert KEY not in str(part)

    def test_that_is_another_kind_of_file_cannot_be_read(self, examined, tmp_path):
        (tmp_path / "simulated.sqlite").write_bytes(b"Dear diary, " * 100)
        part = examined()["database"]
        assert (part.works, part.detail) == (False, "It cannot be read; check that it is a database of this service.")

    def test_that_cannot_be_made_does_not_work(self, examined, tmp_path):
        (tmp_path / "var").write_text("a file where a folder is wanted")
        part = examined(data_dir=tmp_path / "var")["database"]
        assert not part.works
        assert "cannot be created" in part.detail


class TestRedisAndTheBroker:
    def test_are_asked_where_they_are_set(self, examined, redis_url):
        parts = examined(redis_url=SecretStr(redis_url), broker_url=SecretStr(redis_url))
        assert [parts[name].works for name in ("redis", "broker")] == [True, True]

    def test_a_broker_that_is_redis_is_asked_once(self, examined, redis_url):
        assert "broker" not in examined(redis_url=SecretStr(redis_url))

    def test_without_a_server_is_unreachable_and_hides_the_password(self, examined):
        address = SecretStr(f"redis://:{KEY}@{dead()}/0")
        parts = examined(redis_url=address, broker_url=address)
        assert {parts[name].works for name in ("redis", "broker")} == {False}
        assert {parts[name].detail for name in ("redis", "broker")} == {UNREACHABLE}
        assert KEY not in as_json(list(parts.values()))

    def test_rabbitmq_works(self, examined, rabbitmq_url):
        assert examined(broker_url=SecretStr(rabbitmq_url))["broker"].works

    def test_rabbitmq_refuses_a_wrong_password(self, examined, rabbitmq_url):
        part = examined(broker_url=SecretStr(rabbitmq_url.replace("guest:guest", f"guest:{KEY}")))["broker"]
        assert (part.works, part.detail) == (False, "Access refused; check the name and the password.")
        assert KEY not in str(part)

    def test_rabbitmq_without_a_server_is_unreachable(self, examined):
        part = examined(broker_url=SecretStr(f"amqp://guest:guest@{dead()}"))["broker"]
        assert (part.works, part.detail) == (False, UNREACHABLE)


def test_a_replay_tells_what_its_folder_holds(examined, tmp_path):
    lines = [f"{iso(START - START % HOUR + HOUR * hour)},100,102,99,101,5" for hour in range(72)]
    (tmp_path / "btc.csv").write_text("\n".join(["time,open,high,low,close,volume", *lines]))
    part = examined(world="replay", replay_dir=tmp_path, replay_start=iso(START + 2 * DAY))["prices"]
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
    services = Outside()
    routes = {
        "polymarket": lambda _server, _path, query: services.list("polymarket", query),
        "kalshi": lambda _server, _path, query: services.list("kalshi", query),
        "paper": lambda *_: None,
        "pools": lambda *_: {"status": "success", "data": [POOL]},
        "kraken": kraken_routes,
        "coinbase": coinbase_routes,
    }
    with ExitStack() as opened:
        for name, answered in routes.items():
            services.servers[name] = opened.enter_context(contextmanager(serve)(ExchangeServer(answered)))
        services.reset()
        hour = START - START % 300 - HOUR
        bars = [(hour + 300 * place, 100.0, 102.0, 99.0, 101.0, 5.0) for place in range(12)]
        for name in ("kraken", "coinbase"):
            services.servers[name].bars = {"BTC/USD": bars}
        yield services


@pytest.fixture
def live(examined, outside) -> Examine:
    """What came of the parts of a live world, with two exchanges."""

    def run(**options: Any) -> dict[str, Finding]:
        ccxt = {
            "kraken": {"urls": {"api": {"public": outside.servers["kraken"].address}}, "enableRateLimit": False},
            "coinbase": {"urls": {"api": {"rest": outside.servers["coinbase"].address}}, "enableRateLimit": False},
        }
        return examined(ccxt, **outside.options | {"exchanges": ("kraken", "coinbase")} | options)

    return run


LIVE = ("prices kraken", "prices coinbase", "pools", "polymarket", "kalshi", "news 1")
SERVERS = ("kraken", "coinbase", "pools", "polymarket", "kalshi", "paper")


@pytest.mark.slow
class TestTheLiveWorld:
    def test_has_every_source_asked_by_itself(self, live):
        parts = live(source_timeout_s=10)
        assert tuple(parts)[1:7] == LIVE
        assert {parts[name].detail for name in LIVE if not parts[name].works} == set()
        assert parts["prices coinbase"].detail == "bars of 300 s in a day: btc 12"
        assert parts["pools"].detail == "usable pools: 1"
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
        assert (part.works, part.detail) == (False, "No bars of btc: kraken: the answer cannot be read.")

    def test_is_examined_at_once_within_the_time_of_one_call(self, live, outside):
        for server in outside.servers.values():
            server.fault = hang
        began = time.monotonic()
        parts = live(source_timeout_s=TIMEOUT_S)
        assert time.monotonic() - began < TIMEOUT_S + MARGIN_S
        assert [name for name in LIVE if parts[name].works] == []
        assert all("no complete response" in parts[name].detail.lower() for name in LIVE)

    def test_has_no_source_that_is_waited_for_longer_than_its_time(self, live, outside):
        """DefiLlama's reader has a deadline for what follows the head of an answer, and none for the head."""
        outside.servers["pools"].fault = drip_head
        began = time.monotonic()
        part = live(source_timeout_s=TIMEOUT_S)["pools"]
        assert time.monotonic() - began < TIMEOUT_S + MARGIN_S
        assert (part.works, part.detail) == (False, "No complete response in time.")

    def test_that_cannot_be_reached_is_said_in_words(self, live):
        address = f"http://{dead()}"
        parts = live(polymarket_url=address, kalshi_url=address, pools_url=address, news_feeds=(f"{address}/rss",))
        assert all(
            parts[name].detail.lower().endswith(UNREACHABLE.lower())
            for name in ("pools", "polymarket", "kalshi", "news 1")
        )

    def test_shows_the_host_of_a_feed_and_not_its_token(self, live, outside):
        outside.servers["paper"].fault = printing()
        address = outside.servers["paper"].address.replace("http://", f"http://reader:{KEY}@")
        part = live(news_feeds=(f"{address}/rss?token={KEY}",))["news 1"]
        assert (part.what, part.works) == ("127.0.0.1", False)
        assert part.detail == "No headlines."


class TestASeatWithALanguageModel:
    def test_is_asked_one_real_question(self, examined, model):
        part = examined(**taken_by(model, "momentum"))["seat momentum"]
        assert (part.works, part.what, part.tokens, part.usd) == (True, "custom:some-model", 940, None)
        assert part.detail == "answers 62% to a sample question"
        (request,) = model.requests
        prompt = request["messages"][1]["content"]
        assert "Question: Will Bitcoin" in prompt
        assert "base rate of YES" in prompt

    def test_costs_what_its_provider_charges(self, examined, model):
        part = examined(**taken_by(model, "news", named="openai:gpt-5-mini"))["seat news"]
        assert (part.what, part.tokens) == ("openai:gpt-5-mini", 940)
        assert part.usd == pytest.approx((900 * 0.25 + 40 * 2.0) / 1e6)

    def test_leaves_the_others_to_their_embedded_engines(self, examined, model):
        parts = examined(**taken_by(model, "momentum", "trend"))
        engines = [parts[f"seat {name}"].what for name in SEATS]
        assert engines == ["custom:some-model", "embedded", "embedded", "embedded", "custom:some-model", "embedded"]
        assert len(model.requests) == 2

    def test_can_be_each_of_the_six(self, examined, model):
        parts = examined(**taken_by(model, *SEATS))
        assert all(parts[f"seat {name}"].works for name in SEATS)
        assert len({request["messages"][0]["content"] for request in model.requests}) == 6

    @pytest.mark.parametrize(
        ("behave", "reason"),
        [
            (refuses(401, f"Incorrect API key provided: {KEY}"), "refused the key (401)"),
            (refuses(402), "is out of credit (402)"),
            (answers(f"My key is {KEY}."), "gave no probability_yes"),
        ],
    )
    def test_is_not_stood_in_for_and_its_key_is_never_told(self, examined, model, behave, reason, capfd):
        model.behaviours = [behave]
        parts = examined(oracle_on_failure="fallback", **taken_by(model, "momentum"))
        assert not parts["seat momentum"].works
        assert parts["seat momentum"].detail == f"custom:some-model: {reason}."
        printed = "".join(capfd.readouterr())
        assert KEY not in as_json(list(parts.values())) + readable(list(parts.values())) + printed

    def test_that_hangs_fails_within_its_deadline_and_tells_what_it_may_have_cost(self, examined, model):
        model.behaviours = [it.hangs]
        began = time.monotonic()
        part = examined(oracle_deadline_s=0.6, **taken_by(model, "momentum"))["seat momentum"]
        assert time.monotonic() - began < 0.6 + MARGIN_S
        assert (part.works, part.detail) == (False, "custom:some-model: did not answer in time.")
        assert part.tokens > 4000
        assert f"at most {part.tokens} tokens, price unknown" in readable([part])

    def test_without_a_server_costs_nothing(self, examined):
        part = examined(oracle_deadline_s=1, **taken_by(f"http://{dead()}/v1", "momentum"))["seat momentum"]
        assert (part.works, part.tokens, part.usd) == (False, 0, 0.0)
        assert part.detail == "custom:some-model: could not be reached."

    def test_of_ollama_that_does_not_run_says_what_to_do(self, examined):
        options = taken_by(f"http://{dead()}/v1", "momentum", named="ollama:llama3.2")
        part = examined(oracle_deadline_s=1, **options)["seat momentum"]
        assert not part.works
        assert part.detail == f"ollama:llama3.2: could not be reached. {OLLAMA}"

    def test_of_ollama_that_lacks_the_model_says_what_to_do(self, examined, model):
        model.behaviours = [refuses(404, 'model "llama3.2" not examined, try pulling it first')]
        part = examined(**taken_by(model, "momentum", named="ollama:llama3.2"))["seat momentum"]
        assert (part.works, part.tokens) == (False, 0)
        assert part.detail == f"ollama:llama3.2: was not found (404). {OLLAMA}"

    def test_of_ollama_costs_tokens_and_no_money(self, examined, model):
        part = examined(**taken_by(model, "momentum", named="ollama:llama3.2"))["seat momentum"]
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
        self, examined, model, database, database_url
    ):
        before = everything_in(database)
        examined(database_url=database_url, **taken_by(model, "momentum", "trend"))
        with database.reading() as db:
            assert db.scalar(select(spending.c.tokens)) == 2 * 940
        assert everything_in(database) == before

    def test_is_capped_as_the_service_is(self, examined, model, sqlite_url):
        examined(database_url=sqlite_url, **taken_by(model, "momentum"))
        with closing(Database(sqlite_url)) as database, database.writing() as db:
            db.execute(update(spending).values(tokens=9_500))
        options = taken_by(model, "momentum") | {"oracle_daily_tokens": 10_000}
        part = examined(database_url=sqlite_url, **options)["seat momentum"]
        assert len(model.requests) == 1
        assert (part.works, part.tokens) == (False, 0)
        assert part.detail == "custom:some-model: today's budget for language models is used up."

    @pytest.mark.parametrize("url", ["", "postgresql://127.0.0.1:1/test"])
    def test_is_counted_in_memory_where_there_is_no_database(self, examined, model, url, tmp_path):
        assert examined(database_url=url, **taken_by(model, "momentum"))["seat momentum"].works
        assert list(tmp_path.iterdir()) == []

    def test_is_counted_in_memory_where_the_database_is_empty(self, examined, model, empty_postgresql):
        assert examined(database_url=empty_postgresql, **taken_by(model, "momentum"))["seat momentum"].works


@pytest.mark.parametrize(
    "options",
    [
        {"database_url": f"mysql://root:{KEY}@127.0.0.1/test"},
        {"database_url": f"{KEY}::"},
        {"database_url": "sqlite://"},
        {"redis_url": SecretStr(f"http://:{KEY}@127.0.0.1")},
        {"broker_url": SecretStr(f"http://:{KEY}@127.0.0.1")},
        {"broker_url": SecretStr(f"amqp://guest:{KEY}@127.0.0.1:http")},
        {"world": "live", "exchanges": ("unknown",)},
        {"world": "live", "exchanges": ()},
        {"oracle_model": "openai:gpt-5-mini"},
        {"oracle_model": "unknown:gpt-5-mini", "provider_keys": {"openai": KEY}},
    ],
)
def test_settings_that_cannot_be_used_are_told_before_anything_is_asked(examined, options):
    with pytest.raises(SettingsError) as caught:
        examined(**options)
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


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_part_and_exits_with_0_when_all_work(tmp_path, sqlite_url):
    done = shell(tmp_path, DATABASE_URL=sqlite_url)
    heading, *lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert heading.split() == ["part", "works", "ms", "cost", "what"]
    assert [line.split("  ")[0] for line in lines] == ["database", "prices", *(f"seat {name}" for name in SEATS)]


@pytest.mark.slow
def test_the_command_exits_with_1_when_something_does_not_work_and_tells_no_key(tmp_path, model):
    model.behaviours = [answers(vote_text()), refuses(401, f"Incorrect API key provided: {KEY}")]
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
    findings = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, "")
    assert {header["authorization"] for header in model.headers} == {f"Bearer {KEY}"}, "the key was used"
    assert KEY not in done.stdout
    assert sum(part["works"] for part in findings) == 2, "the prices, and the seat that was answered first"
    assert set(findings[0]) == {"part", "what", "works", "ms", "tokens", "usd", "detail"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "complaint"),
    [({"WORLD": "elsewhere"}, "error: WORLD: "), ({"ORACLE_MODEL": "openai:gpt-5"}, "error: openai:gpt-5 needs a key")],
)
def test_the_command_exits_with_2_when_the_settings_cannot_be_used(tmp_path, environment, complaint):
    done = shell(tmp_path, OPENAI_API_KEY="", **environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(complaint)
