"""The operator's command line over a database that a service has used."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from service.config import Settings
from service.forecasting.predictions.callers import open_challenge
from service.forecasting.predictions.commitments import question_row
from service.market.instants import DAY, HOUR, WorldClock, utc
from service.operator.__main__ import main
from service.operator.check import Finding
from service.operator.check import examine as examine_service
from service.questions import Circumstances
from service.store import ledger, predictions, world
from service.store.secret import key_secret
from tests.api.web import Web
from tests.processes import free_port
from tests.running_service import START, copied
from tests.sources.llm import model_server as it
from tests.sources.llm.model_server import ModelServer

KEY = "sk-secret-0123456789"  # must not appear
SEATS = ("momentum", "reversion", "breadth", "regime", "trend", "news")
TIMEOUT_S = 1.0
NO_CONNECTION = "It could not be reached; check the network and its address."
Examine = Callable[..., dict[str, Finding]]
Operate = Callable[..., tuple[int, str, str]]
SPOTS = {"btc": 94075.9, "sol": 147.04}
WALL_START = 1_795_255_200  # 2026-11-21T10:00:00Z


def taken_by(server: ModelServer | str, *seats: str, model: str = "some-model") -> dict[str, Any]:
    """Options that put a model of `server`, or of that address, into seats."""
    address = server if isinstance(server, str) else server.address
    return {"oracle_seats": {seat: {"model": model, "base_url": address, "api_key": KEY} for seat in seats}}


def dead() -> str:
    """A host and port without a server."""
    return f"127.0.0.1:{free_port()}"


@pytest.fixture
def environment(tmp_path, database_url) -> Mapping[str, str]:
    return {"DATA_DIR": str(tmp_path), "DATABASE_URL": database_url}


@pytest.fixture
def web(tmp_path, database) -> Web:
    """The service over the same database and secret."""
    return Web(database, Settings(world="simulated", data_dir=tmp_path), secret=key_secret(Settings(data_dir=tmp_path)))


@pytest.fixture
def operate(environment, monkeypatch, capsys) -> Operate:
    """Run a command in this process: exit code, what it printed, what it complained about."""
    return lambda *words: operated(monkeypatch, capsys, environment, *words)


@pytest.fixture
def operate_in(monkeypatch, capsys) -> Operate:
    """Run a command on a folder: its exit code, what it printed, and its complaint."""
    return lambda folder, *words: operated(monkeypatch, capsys, {"DATA_DIR": str(folder)}, *words)


def answer_of(operate: Operate, *words: object) -> Any:
    """What a command answers in JSON."""
    code, output, complaint = operate(*words, "--json")
    assert (code, complaint) == (0, "")
    return json.loads(output)


def complaint_of(operate: Operate, *words: object) -> str:
    """Why a command cannot be carried out."""
    code, output, complaint = operate(*words)
    assert (code, output, complaint[:7]) == (2, "", "error: ")
    return complaint[7:].rstrip("\n")


def operated(monkeypatch, capsys, environment: Mapping[str, str], *words: object) -> tuple[int, str, str]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    capsys.readouterr()  # what a service of the test has logged
    code = main([str(word) for word in words])
    return code, *capsys.readouterr()


@pytest.fixture
def now(database) -> int:
    """World time in a database whose world runs ten days ahead of the wall and stands still."""
    instant = int(time.time()) + 10 * DAY
    clock = WorldClock("replay", world_origin=instant, wall_origin=WALL_START, speed=1.0, ends=instant)
    with database.writing() as db:
        world.claim_world(db, fingerprint="abc", step=HOUR, history_from=0, clock=clock, wall=WALL_START)
    return instant


@pytest.fixture
def challenge(database, now) -> Callable[..., int]:
    """Open a challenge, two days before `now` and until five days after it; its number."""

    def opened(text: str, author: str = "key:0000beef", *, opened_at: int = now - 2 * DAY, days: int = 7) -> int:
        with database.writing() as db:
            number = predictions.next_challenge_number(db)
            deadline = utc(opened_at).date() + timedelta(days=days)
            circumstances = Circumstances(utc(opened_at), SPOTS)
            market = replace(open_challenge(text, deadline, circumstances, number, author), salt="5a17")
            predictions.add_predictions(db, [market])
            ledger.append(db, [question_row(market)], opened_at)
        return number

    return opened


@pytest.fixture
def folder(seeded: Path, tmp_path: Path) -> Path:
    """The data of a service after its first start."""
    return copied(seeded, tmp_path)


@pytest.fixture
def examine(tmp_path) -> Examine:
    """What came of every part, by its name; without options, of a service that was never started."""

    def run(
        ccxt: dict | None = None,
        *,
        world: str = "simulated",
        data_dir: Path = tmp_path,
        source_timeout_s: float = TIMEOUT_S,
        **options: Any,
    ) -> dict[str, Finding]:
        settings = Settings(world=world, data_dir=data_dir, source_timeout_s=source_timeout_s, **options)
        findings = examine_service(settings, lambda: float(START), ccxt)
        parts = {finding.part: finding for finding in findings}
        assert len(parts) == len(findings)
        return parts

    return run


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A server of models on this machine; it gives a sound vote until a test says otherwise."""
    with it.serving() as server:
        yield server
