from __future__ import annotations

import json
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.errors import WrongClock
from service.jobs import prices
from service.jobs.engine import ClockGuard
from service.store.database import Database
from service.store.tables import job_run
from tests.conftest import absent
from tests.processes import ROOT, free_port, running, wait_until_ready, wait_until_said
from tests.running_service import START, copied, running_service

FAKE_TIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
DAY = 86_400


class Clocks:
    """A wall clock and a steady one."""

    def __init__(self) -> None:
        self.wall, self.steady = 1_800_000_000.0, 500.0

    def advance(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


@pytest.mark.parametrize(("jump", "refused"), [(5, False), (-5, False), (6, True), (-6, True), (3 * DAY, True)])
def test_a_jump_of_more_than_five_seconds_is_refused(jump: float, refused: bool):
    clocks = Clocks()
    guard = ClockGuard(lambda: clocks.wall, lambda: clocks.steady)
    clocks.advance(60)
    clocks.wall += jump
    assert guard.refuses() == refused
    clocks.advance(600)
    assert guard.refuses() == refused


def test_a_clock_that_is_right_again_is_trusted_again():
    clocks = Clocks()
    guard = ClockGuard(lambda: clocks.wall, lambda: clocks.steady)
    clocks.wall += 3 * DAY
    assert guard.refuses()
    clocks.advance(100)
    clocks.wall -= 3 * DAY
    assert not guard.refuses()


def test_many_small_corrections_are_followed():
    clocks = Clocks()
    guard = ClockGuard(lambda: clocks.wall, lambda: clocks.steady)
    for _ in range(10):
        clocks.advance(1)
        clocks.wall += 4
        assert not guard.refuses()


def test_nothing_is_scheduled_after_a_jump(seeded: Path, tmp_path: Path):
    with running_service(copied(seeded, tmp_path)) as service:
        steady = service.wall
        service.engine = replace(service.runtime, elapsed=lambda: steady).engine()
        service.wall += 3 * DAY
        assert service.engine.dispatch() == []
        with service.runtime.database.reading() as db:
            assert db.scalar(select(func.max(job_run.c.slot))) <= START


def test_a_tick_refuses_when_stored_bars_lie_ahead(seeded: Path, tmp_path: Path):
    with running_service(copied(seeded, tmp_path)) as service, pytest.raises(WrongClock, match="but the clock shows"):
        prices.tick(service.engine.job_context, START // 300 * 300 - 300)


@pytest.mark.slow
def test_a_real_clock_set_three_days_ahead_stops_the_jobs(seeded: Path, tmp_path: Path):
    """libfaketime sets the clock of a running process; no slot of the future is worked, and it goes on afterwards."""
    if FAKE_TIME is None:
        absent("no libfaketime: it is a package of Debian")
    offset, log, port, folder = tmp_path / "offset", tmp_path / "log", free_port(), copied(seeded, tmp_path)
    right = int(START + 60 - time.time())
    offset.write_text(f"{right:+d}")
    options = {
        "LD_PRELOAD": str(FAKE_TIME),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "PORT": str(port),
        "DATA_DIR": str(folder),
        "HISTORY_DAYS": "120",
    }
    with running([sys.executable, "app.py"], log, ROOT, **options) as process:
        wait_until_ready(port, process, log)
        offset.write_text(f"{right + 3 * DAY:+d}")
        wait_until_said("clock_jumped", process, log)
        offset.write_text(f"{right:+d}")
        wait_until_said("clock_right_again", process, log)
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    jump = next(json.loads(line) for line in log.read_text().splitlines() if "clock_jumped" in line)
    assert jump["seconds"] == pytest.approx(3 * DAY, abs=1)
    database = Database(f"sqlite:///{folder}/simulated.sqlite")
    with database.reading() as db:
        assert db.scalar(select(func.max(job_run.c.slot))) < START + 3600
    database.close()
