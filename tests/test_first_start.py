"""A first start without WORLD, as a stranger does it, with three exchanges on this machine; and outages of one."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Timer
from types import SimpleNamespace

import httpx
import pytest
from sqlalchemy import event, make_url
from sqlalchemy.engine import Engine

import app
from service.api import openapi
from service.config import Settings, read
from service.jobs import rank
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR
from service.store import bars
from service.store.database import Database
from service.store.predictions import settled_predictions
from tests.processes import ROOT, free_port, running, wait_until
from tests.relay import Relay
from tests.running_service import RunningService, running_service
from tests.sources.live.exchanges import Exchanges, trading
from tests.sources.llm import model_server

SIX = ("btc", "eth", "sol", "bnb", "xrp", "gold")
FREE = {"prices", "rates"}  # what is no consequence of history
SEATS = ("MOMENTUM", "REVERSION", "BREADTH", "REGIME", "TREND", "NEWS")
QUESTIONS = {
    "bitcoin": "Will bitcoin be above 97000 dollars in a week?",
    "gold": "Will gold be above 4100 dollars in a week?",
}
MONTH_END = int(datetime(2026, 10, 31, 23, 58, 5, tzinfo=UTC).timestamp())


def test_a_process_may_open_what_the_system_allows():
    """Each event stream is a connection, and many shells allow 1,024 files."""
    script = "import app, resource as r; app.allow_connections(); print(*r.getrlimit(r.RLIMIT_NOFILE))"
    command = ["sh", "-c", f"ulimit -Sn 64 && exec '{sys.executable}' -c '{script}'"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert len(set(output.split())) == 1


class Looks:
    """What the database of a service shows, each time it is looked at."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.early: list[tuple[set[str], int]] = []  # documents and rows of the ledger from before history was whole
        self.settled = 0

    def look(self) -> None:
        if not self._file.is_file():
            return
        with closing(sqlite3.connect(f"file:{self._file}?mode=ro", uri=True)) as db:
            try:
                documents = {name for (name,) in db.execute("SELECT name FROM snapshot")}
                ((rows,),) = db.execute("SELECT count(*) FROM ledger")
                ((self.settled,),) = db.execute("SELECT count(*) FROM prediction WHERE outcome IS NOT NULL")
                # Read last: a history that is whole now may not have been so when the documents were read.
                series = {name: json.loads(body) for name, body in db.execute("SELECT series, body FROM coverage")}
            except sqlite3.OperationalError:
                return  # its tables are being created
        hourly = [series[f"{asset}/3600"] for asset in ASSETS if series.get(f"{asset}/300", {}).get("is_listed")]
        if not hourly or any(not each["windows"] or each["windows"][0][0] > each["wanted_from"] for each in hourly):
            self.early.append((documents - FREE, rows))


@pytest.mark.slow
def test_once_it_is_ready_every_public_document_answers(tmp_path):
    """Whichever job ends last: readiness is asked for after each one, and then every address that takes no key."""
    with running_service(tmp_path, history_days=60) as service:
        paths = [
            route.path.replace("{asset}", "btc").replace("{key}", "macd_slow").replace("{lane}", "trend")
            for route in openapi.routes(service.runtime.application())
            if route.method == "GET" and route.operation.key != "required"
        ]
        while service.client.get("/readyz").status_code == 503:
            for run in service.engine.due()[:1]:
                service.engine.execute(run.job, run.slot)
        queries = {"/api/v1/candles": "?asset=btc", "/api/v1/events": "?seconds=1"}
        answers = {path: service.client.get(path + queries.get(path, "")) for path in paths if "{" not in path}
        others = {path: answer.status_code for path, answer in answers.items() if answer.status_code != 200}
        assert others == {"/api/v1/ledger/witness": 404}, "this service is no witness"
        assert len(answers) > 35


@pytest.fixture
def exchanges() -> Iterator[Exchanges]:
    now = int(time.time())
    with trading(now - 170 * DAY, now + DAY) as opened:
        yield opened


@pytest.mark.slow
def test_a_first_start_has_the_real_market_models_and_a_record(exchanges, tmp_path):
    """Nothing is made from a part of history; six seats have a model; silver, which no exchange has, is nowhere."""
    port, log, looks = free_port(), tmp_path / "log", Looks(tmp_path / "var" / "live.sqlite")
    with model_server.serving() as models:
        seats = {f"ORACLE_{seat}_BASE_URL": models.address for seat in SEATS}
        options = {"WORLD": "", "EXCHANGES": ",".join(exchanges.entries), "HISTORY_DAYS": "155", "ORACLE_MODEL": "mine"}
        nowhere = f"http://127.0.0.1:{free_port()}"
        sources = dict.fromkeys(("POOLS_URL", "POLYMARKET_URL", "KALSHI_URL", "NEWS_FEEDS"), nowhere)
        environment = {"PORT": str(port), "DATA_DIR": str(tmp_path / "var")} | options | seats | sources
        with running([sys.executable, "app.py"], log, **environment) as process:
            ask = _asker(port)

            def is_there() -> bool:
                assert process.poll() is None, log.read_text()
                looks.look()
                return ask("/readyz").status_code == 200 and looks.settled > 300

            wait_until(is_there, 240)
            assert looks.early
            assert all(not documents and not rows for documents, rows in looks.early), looks.early[-1]
            key = ask("/api/v1/register", {"email": "you@example.com"}).json()["api_key"]
            answers = [ask("/api/v1/oracle", {"question": question}, key).json() for question in QUESTIONS.values()]
            prices, board = ask("/api/v1/prices").json(), ask("/api/v1/leaderboard", key=key).json()
            silver = ask("/api/v1/leaderboard?asset=silver", key=key)
    for answer in answers:
        assert answer["world"] == "live"
        assert len(answer["votes"]) == 9
        assert [vote["engine"] for vote in answer["votes"].values()].count("custom:mine") == 6
    assert [price["asset"] for price in prices["prices"]] == board["assets"] == [*SIX]
    assert prices["histories"]["silver"]["state"] == "absent"
    assert (silver.status_code, "no source has it" in silver.json()["detail"]) == (404, True)
    assert log.read_text().startswith("World: live, because ")
    _require_marked_record(tmp_path / "var" / "live.sqlite")


def _asker(port: int) -> Callable[..., httpx.Response]:
    def ask(path: str, body: dict | None = None, key: str = "") -> httpx.Response:
        try:
            return httpx.request(
                "POST" if body else "GET",
                f"http://127.0.0.1:{port}{path}",
                json=body,
                headers={"X-API-Key": key} if key else {},
                timeout=30,
            )
        except httpx.TransportError:
            return httpx.Response(0)

    return ask


def _require_marked_record(file: Path) -> None:
    """Every settled market of the past is marked, and none has odds, which cannot be had honestly."""
    database = Database(f"sqlite:///{file}")
    with database.reading() as db:
        past = settled_predictions(db)
    database.close()
    assert past
    assert all(market.backfilled and market.odds is None for market in past)


@pytest.mark.slow
def test_a_start_before_a_month_ends_goes_on_across_it(tmp_path):
    """Two minutes before an hour and a month are over; the snapshots of the hospital hold what their bars give."""
    with (
        trading(MONTH_END - 110 * DAY, MONTH_END + DAY, now=lambda: clock.wall, is_limited=False) as exchanges,
        running_service(tmp_path, MONTH_END, **_options(exchanges)) as running,
    ):
        clock.wall = MONTH_END
        for seconds in (0, 5, 60, 60, 60, 300, HOUR):
            clock.wall += seconds
            running.move(seconds)
        running.register()
        answer = running.ask(QUESTIONS["bitcoin"])
        assert answer.status_code == 200
        with running.runtime.database.reading() as db:
            names = db.exec_driver_sql("SELECT name FROM snapshot WHERE name LIKE 'strategy-hospital/%'")
            months = [name for (name,) in names]
        assert sorted(months) == [f"{rank.HOSPITAL}/2026-{month:02}" for month in (8, 9, 10)]
        _require_bars_of(exchanges, running)


clock = SimpleNamespace(wall=MONTH_END)


def _options(exchanges: Exchanges) -> dict:
    nowhere = f"http://127.0.0.1:{free_port()}"
    addresses = {"pools_url": nowhere, "polymarket_url": nowhere, "kalshi_url": nowhere, "news_feeds": (nowhere,)}
    return {"world": "live", "exchanges": exchanges.entries, "history_days": 91, **addresses}


def _require_bars_of(exchanges: Exchanges, running: RunningService) -> None:
    with running.runtime.database.reading() as db:
        stored = bars.load_bars(db, "btc", 0, 2**40, HOUR)
    expected = exchanges.hours["BTC"].since(int(stored.time[0])).until(stored.as_of)
    assert stored.time.tolist() == expected.time.tolist()
    assert stored.close.tolist() == expected.close.tolist()


@pytest.fixture
def without_a_choice(tmp_path, monkeypatch) -> Callable[[], Settings]:
    """The settings of a start without WORLD whose exchanges do not answer."""
    monkeypatch.setenv("WORLD", "")
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("EXCHANGES", f"kraken=http://127.0.0.1:{free_port()}")
    return read


def test_a_second_start_keeps_the_first_world(without_a_choice, exchanges, monkeypatch, capsys):
    """Whether the exchanges answer by then or not."""
    assert app.in_a_world(without_a_choice()).world == "simulated"
    assert capsys.readouterr().out.startswith("World: simulated, because no exchange answered")
    monkeypatch.setenv("EXCHANGES", ",".join(exchanges.entries))
    assert app.in_a_world(without_a_choice()).world == "simulated"
    assert (capsys.readouterr().out, exchanges.requests.total()) == ("", 0)


def test_a_folder_of_an_earlier_version_keeps_its_world(without_a_choice, tmp_path):
    """That was simulated by default, and has no file with a choice."""
    (tmp_path / "simulated.sqlite").touch()
    assert without_a_choice().world == "simulated"


def test_a_database_keeps_the_choice_of_its_first_start(without_a_choice, tmp_path, monkeypatch):
    """Several machines share it, and none of them has the folder of another."""
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/shared.sqlite")
    chosen = app.in_a_world(without_a_choice())
    app.build_runtime(chosen).database.close()
    monkeypatch.setattr(app, "choose_world", lambda _: ("live", ""))
    assert app.in_a_world(without_a_choice()).world == "simulated"
    assert not (tmp_path / "world").exists()


OUTAGE_S = 0.2


@pytest.mark.slow
def test_an_outage_at_any_statement_of_a_start_is_waited_for(
    empty_postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Also between two that succeed: a process that ended would be replaced, and its traceback is no line of JSON."""
    server = make_url(empty_postgresql)
    relay = Relay(server.host or "127.0.0.1", server.port or 5432)
    address = server.set(host="127.0.0.1", port=relay.port).render_as_string(False)
    settings = Settings(world="simulated", data_dir=tmp_path, database_url=address, history_days=60)
    monkeypatch.setattr(app, "FIRST_PAUSE_S", OUTAGE_S)
    app.build_engine(settings).job_context.database.close()
    for statement in count(1):
        strikes = Outage(relay, statement)
        event.listen(Engine, "before_cursor_execute", strikes)
        app.patiently(lambda: app.build_engine(settings)).job_context.database.close()
        event.remove(Engine, "before_cursor_execute", strikes)
        if strikes.left > 0:
            break
    assert statement > 5


class Outage:
    """Cuts a relay before the n-th statement, and mends it soon afterwards."""

    def __init__(self, relay: Relay, statement: int) -> None:
        self._relay = relay
        self.left = statement  # until the outage; negative after it

    def __call__(self, *_: object) -> None:
        self.left -= 1
        if self.left == 0:
            self._relay.cut()
            Timer(OUTAGE_S, self._relay.mend).start()
