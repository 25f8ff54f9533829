"""Kill -9 at any point of a job loses nothing and doubles nothing."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.jobs.mortal import LANES, MINUTE, START
from tests.processes import ROOT, Respawned

pytestmark = pytest.mark.slow

MORTAL = Path(__file__).with_name("mortal.py")
# Half of the points lie inside the transaction.
POINTS = ("claimed", "computed", "writing", "written")


class Lives(Respawned):
    """Runs of mortal.py, one real process after the other."""

    def work(self, now: int, until: str) -> str:
        """Let it work at the wall second `now` until it stands at `until` or has nothing to do."""
        self.tell(str(now))
        while (place := self.hear()) not in (until, "idle", ""):
            self.tell("go")
        return place


@contextmanager
def lives_of(url: str, *mode: str) -> Iterator[Lives]:
    lives = Lives(MORTAL, url, *mode)
    yield lives
    lives.end()


def die_often(url: str, times: int) -> list[str]:
    """Kill this many processes at random points, one minute apart; the last one may finish."""
    points = random.Random(times).choices(POINTS, k=times)
    with lives_of(url) as lives:
        for minute, point in enumerate(points):
            assert lives.work(START + minute * MINUTE, until=point) == point
            lives.kill()
            lives.replace()
        assert lives.work(START + times * MINUTE, until="") == "idle"
    return points


def faults(database, journal, minutes: int) -> dict[tuple[int, str], int]:
    """Every minute of every lane that is missing or doubled, and how often it is there."""
    with database.reading() as db:
        times = Counter(tuple(row) for row in db.execute(select(journal.c.slot, journal.c.lane)))
    expected = {(START + n * MINUTE, lane) for n in range(minutes) for lane in LANES}
    assert set(times) <= expected
    return {key: times[key] for key in expected if times[key] != 1}


def test_kills_at_any_point_lose_nothing_and_double_nothing(database, database_url, journal, tries):
    times = tries(12, 36, 1000)
    points = die_often(database_url, times)
    assert sum(point in ("writing", "written") for point in points) >= times / 4
    assert faults(database, journal, times + 1) == {}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_without_one_transaction_the_same_kills_do_damage(database, database_url, journal):
    """The control: if this passed without faults, the test above could not fail either."""
    with lives_of(database_url, "naive") as lives:
        assert lives.work(START, until="writing") == "writing"
        lives.kill()
        lives.replace()
        assert lives.work(START + MINUTE, until="") == "idle"
    assert faults(database, journal, 2) != {}


def test_two_processes_run_every_minute_once(database, database_url, journal):
    command = [sys.executable, MORTAL, database_url, "race"]
    racers = [subprocess.Popen(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}) for _ in range(2)]
    assert [racer.wait(timeout=60) for racer in racers] == [0, 0]
    assert faults(database, journal, 60) == {}
