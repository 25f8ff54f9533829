"""A client of a real server that is cut again and again sees every event once."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from service.client import Client
from service.store.database import Database
from tests.processes import free_port, running, wait_until_ready
from tests.receiver import trade

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


@pytest.fixture
def database(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """The database of the server."""
    file = shutil.copy(migrated_sqlite, tmp_path / "simulated.sqlite")
    with closing(Database(f"sqlite:///{file}")) as database:
        yield database


@pytest.fixture
def url(database: Database, tmp_path: Path) -> Iterator[str]:
    """The web server of `python app.py` over that database."""
    port, log = free_port(), tmp_path / "log"
    options = {"PORT": str(port), "DATA_DIR": str(tmp_path), "PYTHONPATH": str(HERE.parents[1])}
    with running([sys.executable, "served.py"], log, folder=HERE, **options) as process:
        wait_until_ready(port, process, log, "/healthz")
        yield f"http://127.0.0.1:{port}"


def read_until_cut(url: str, last_id: str, most: int) -> list[dict[str, str]]:
    """The complete blocks among the first `most` bytes of a stream that goes on after `last_id`."""
    headers = {"Last-Event-ID": last_id}
    text = b""
    with httpx.stream("GET", f"{url}/api/v1/events", headers=headers, timeout=15) as answer:
        assert answer.status_code == 200, answer.read()
        for piece in answer.iter_raw():
            text += piece
            if len(text) >= most:
                break
    *blocks, _ = text[:most].decode().split("\n\n")
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def test_a_cut_client_sees_every_event_once(url: str, database: Database, tries):
    """It keeps the last id that it saw complete; cuts come anywhere."""
    cuts, chance = tries(20, 40, 100), random.Random(3)
    seqs, seen, last_id = trade(database, 20), [], "0"
    for _ in range(cuts):
        seqs += trade(database, 20)
        for block in read_until_cut(url, last_id, chance.randint(1, 5000)):
            last_id = block["id"]
            seen += [json.loads(block["data"])["id"]] if "data" in block else []
    assert 0 < len(seen) < len(seqs)
    with Client(url) as client, closing(client.events(since=int(last_id))) as rest:
        while len(seen) < len(seqs):
            seen.append(next(rest)["id"])
    assert seen == seqs
