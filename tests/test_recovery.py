"""A service that is killed at any instant comes to the same state as one that is not."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from service import logs
from service.store.database import Database
from service.store.tables import metadata
from tests.processes import ROOT
from tests.running_service import START, copied, running_service

pytestmark = pytest.mark.slow

TICKS = 18
# What tells how often a slot was begun and when, and not what came of it.
OF_THE_RUN = {"job_run", "heartbeat", "rate_window", "reservation"}


def live(folder: Path, first: int, last: int, nudge: int = 0) -> subprocess.Popen:
    """A service in a process of its own."""
    command = [sys.executable, "-m", "tests.test_recovery", str(folder), str(first), str(last), str(nudge)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def live_on(folder: Path, first: int) -> None:
    """Live undisturbed until two ticks after the last disturbed one, by when what the dead held is free."""
    with live(folder, first, TICKS + 2) as process:
        assert [int(line) for line in process.stdout][-1] == TICKS + 2


def everything(folder: Path) -> dict[str, list[tuple]]:
    """All rows of all tables but those of the run."""
    database = Database(f"sqlite:///{folder / 'simulated.sqlite'}")
    with database.reading() as db:
        rows = {
            table.name: [tuple(row) for row in db.execute(select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
            if table.name not in OF_THE_RUN
        }
    database.close()
    return rows


def first_difference(name: str, rows: list[tuple], others: list[tuple]) -> str:
    """The first row of a table that is not the same in both, cut short; nothing when all are."""
    pairs = ((row, other) for row, other in zip(rows, others, strict=True) if row != other)
    return next((f"{name}: {str(row)[:300]} is not {str(other)[:300]}" for row, other in pairs), "")


def test_random_kills_lead_to_the_same_final_state(seeded: Path, tmp_path: Path, tries):
    """kill -9 in the middle of ticks: bars, lanes, votes, documents equal those of an undisturbed run."""
    calm, disturbed = copied(seeded, tmp_path / "calm"), copied(seeded, tmp_path / "disturbed")
    live_on(calm, 0)
    chance, at, kills, wanted = random.Random(9), 0, 0, tries(4, 2, 20)
    while at < TICKS:
        # Later by more than a lease each time, so that what the dead one held is free again.
        process = live(disturbed, at, TICKS, nudge=16 * min(kills, 17))
        worked, patience = [], chance.uniform(0.05, 0.8) if kills < wanted else 3600
        first = process.stdout.readline()
        worked.append(int(first))
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        worked += [int(line) for line in process.stdout if line.strip().isdigit()]
        process.stdout.close()
        process.wait()
        at = max(worked)
    assert kills == wanted
    live_on(disturbed, at)
    same, other = everything(calm), everything(disturbed)
    assert {name: len(rows) for name, rows in other.items()} == {name: len(rows) for name, rows in same.items()}
    assert [difference for name in same if (difference := first_difference(name, same[name], other[name]))] == []


TICK_S = 300


def main(folder: Path, first: int, last: int, nudge: int) -> None:
    """Work every tick from `first` to `last`."""
    logs.configure("error")
    with running_service(folder, wall=START + first * TICK_S + nudge) as running:
        for tick in range(first, last + 1):
            running.wall = START + tick * TICK_S + nudge
            running.work()
            print(tick, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(argument) for argument in sys.argv[2:]))
