"""A service whose clock was ahead is taken back to a backup, by the commands of the operator."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from service.ledger.verifier import verify
from service.market.instants import DAY
from service.store import ledger
from tests.running_service import copied, running_service

NOTE = ("--note", "The clock was three days ahead.")
MARKETS = "/api/v1/predictions"


def markets(folder: Path, wall: float) -> list[tuple[str, dict[str, Any]]]:
    """The markets of a service that works until the second `wall`: their ids and what the nine say of them."""
    with running_service(folder, wall=wall) as service:
        service.work()
        assert service.client.get("/readyz").status_code == 200
        with service.runtime.database.reading() as db:
            assert verify(ledger.export(db)).fault is None
        document = service.client.get(MARKETS, headers={"X-API-Key": service.register()}).get_json()
        return [(market["id"], market["ai"]) for market in document["markets"]]


@pytest.mark.slow
def test_a_world_ahead_of_time_is_taken_back(operate_in, present: Path, tmp_path: Path):
    """It goes on as if the clock had been right, and its ledger has what it published meanwhile, corrected."""
    wall = time.time()
    folder, right = copied(present, tmp_path), copied(present, tmp_path / "right")
    assert operate_in(folder, "backup", tmp_path / "kept")[0] == 0
    ahead = markets(folder, wall + 3 * DAY)
    (folder / "simulated.sqlite").rename(tmp_path / "before")
    assert operate_in(folder, "restore", tmp_path / "kept")[0] == 0
    code, printed, complaint = operate_in(folder, "world", "rewind", tmp_path / "before", *NOTE, "--json")
    assert (code, complaint) == (0, "")
    taken_back = json.loads(printed)
    assert taken_back["taken_over"] == taken_back["corrected"] > 0
    assert taken_back["roots"] == 1
    again = markets(folder, wall + 60)
    assert again == markets(right, wall + 60) != ahead
    assert operate_in(folder, "ledger", "export", tmp_path / "ledger.jsonl")[0] == 0
    assert verify((tmp_path / "ledger.jsonl").read_text().splitlines()).rewinds == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("nowhere", *NOTE), "nowhere is not a database of this service"),
        (("postgresql://127.0.0.1:1/x", *NOTE), "127.0.0.1/x cannot be read: "),
        (("nowhere", "--note", " "), "The note must state why"),
    ],
)
def test_a_missing_database_or_reason_is_refused(operate, now, words: tuple[str, ...], complaint: str):
    code, _, errors = operate("world", "rewind", *words)
    assert (code, complaint in errors) == (2, True)
