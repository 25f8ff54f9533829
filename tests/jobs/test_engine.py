"""The engine under a clock that the tests set: no thread, no waiting."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.jobs.engine import ClockGuard
from service.jobs.job import Every, Job, JobContext
from service.jobs.timetable import job_states
from service.market.instants import DAY, WorldClock
from service.store import runs
from service.store.database import Database
from service.store.tables import job_run
from tests.conftest import absent
from tests.jobs.mortal import MINUTE, START, work_all
from tests.jobs.plant import HOUR
from tests.processes import ROOT, free_port, running, wait_until_ready, wait_until_said
from tests.running_service import START as SERVICE_START
from tests.running_service import RunningService, copied

FAKE_TIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


def test_a_slot_runs_once_however_often_the_clock_ticks(plant):
    """The first tick runs the latest one."""
    engine = plant.engine(plant.job())
    plant.beat_at(range(START, START + 60, 7), engine)
    assert (plant.slots(), plant.state()) == ([START], (START, "done", 1))


def test_missed_slots_collapse_into_the_latest_one(plant):
    plant.beat_at((START, START + 10 * MINUTE), plant.engine(plant.job()))
    assert plant.slots() == [START, START + 10 * MINUTE]


def test_a_slot_that_was_due_when_a_newer_one_came_is_skipped(plant):
    engine = plant.engine(plant.job())
    engine.due()
    plant.wall += MINUTE
    engine.due()
    work_all(engine)
    assert plant.slots() == [START + MINUTE]
    assert plant.state() == (START + MINUTE, "done", 1)


def test_a_clock_that_stops_adds_no_slots(plant):
    clock = WorldClock("replay", world_origin=START, wall_origin=START, speed=60.0, ends=START + 90)
    plant.beat_at((START + second for second in (0, 1, 2, 3, 1000, 100_000)), plant.engine(plant.job(), clock=clock))
    assert plant.slots() == [START, START + MINUTE]


def test_world_jobs_follow_the_world_and_wall_jobs_the_wall(plant):
    fast = WorldClock("replay", world_origin=1_000_000_020, wall_origin=START, speed=60.0)
    engine = plant.engine(plant.job("market"), plant.job("quota", clock="wall"), clock=fast)
    plant.beat_at(range(START, START + 60), engine)
    slots = {name: [slot for job, slot in plant.log if job == name] for name in ("market", "quota")}
    assert slots["market"] == [1_000_000_020 + MINUTE * n for n in range(60)]
    assert slots["quota"] == [START]


@pytest.mark.parametrize("jump", [1, 59, 60, 3600, 86400, 40 * 86400])
def test_a_clock_that_jumps_and_returns_repeats_no_slot(plant, jump):
    walls = (START, START + jump, START + 5, START + jump - 1, START + jump, START + jump + MINUTE)
    plant.beat_at(walls, plant.engine(plant.job()))
    slots = plant.slots()
    assert slots == sorted(set(slots))
    assert slots[-1] == (START + jump + MINUTE) // MINUTE * MINUTE


def test_a_job_is_due_when_its_needs_are_done(plant):
    jobs = (plant.job("resolve", needs=("context",)), plant.job("context", needs=("tick",)), plant.job("tick"))
    engine = plant.engine(*jobs)
    assert [run.job for run in engine.due()] == ["tick"]
    work_all(engine)
    assert [name for name, _ in plant.log] == ["tick", "context", "resolve"]


def test_a_dependent_job_follows_one_that_lags(plant):
    """Its slot is the latest that the needed job has done, not the latest of the clock."""

    def slow(job_context: JobContext, slot: int):
        plant.wall += 3 * MINUTE
        return lambda db: None

    engine = plant.engine(plant.job("tick", work=slow), plant.job("context", needs=("tick",)))
    engine.due()
    assert engine.execute("tick", START) == "done"
    assert sorted((run.job, run.slot) for run in engine.due()) == [("context", START), ("tick", START + 3 * MINUTE)]


def test_a_frequent_job_needs_a_rarer_one_once_in_its_slot(plant):
    """Between two slots of the rarer job it runs on; at the next one it waits."""
    engine = plant.engine(plant.job("refit", seconds=60 * MINUTE), plant.job("forecast", needs=("refit",)))
    first = HOUR + 3600
    plant.beat_at((first + minute * MINUTE for minute in (0, 1, 2, 60, 61)), engine)
    log = [(name, (slot - first) // MINUTE) for name, slot in plant.log]
    assert log[:4] == [("refit", 0), ("forecast", 0), ("forecast", 1), ("forecast", 2)]
    assert log[4:] == [("refit", 60), ("forecast", 60), ("forecast", 61)]


def test_a_failed_job_is_retried_later_and_blocks_no_other(plant):
    tries = []

    def fails(_slot: int) -> bool:
        tries.append(plant.wall - START)
        return len(tries) < 3

    failing = plant.job("tick", seconds=3600, work=plant.failing_while(fails), backoff_s=4.0)
    engine = plant.engine(failing, plant.job("other", seconds=3600))
    while len(tries) < 3:
        plant.beat(engine)
        plant.wall += 0.5
    assert (plant.log, plant.state()) == ([("other", HOUR)], (HOUR, "done", 3))
    first, second, third = tries
    assert first == 0
    assert 2 <= second - first <= 4.5
    assert 4 <= third - second <= 8.5


def test_a_fault_that_passes_is_waited_for(plant):
    """However long it lasts; until then the job lags, with the reason."""

    work = plant.failing_while(lambda _slot: plant.wall < START + DAY)
    engine = plant.engine(Job("triage", Every(28 * DAY), work))
    plant.beat_at(range(START, START + DAY, 5 * MINUTE), engine)
    with plant.database.reading() as db:
        state = runs.job_states(db, plant.wall)["triage"]
    assert (state.newest.state, state.error, state.lag_s) == ("due", "RuntimeError: feed down", DAY - 5 * MINUTE)
    assert state.failures > 100
    plant.beat_at(range(START + DAY, START + DAY + 11 * MINUTE, MINUTE), engine)
    assert len(plant.slots()) == 1


def test_a_newer_slot_replaces_one_that_failed(plant):
    job = plant.job(work=plant.failing_while(lambda slot: slot == START), backoff_s=1.0)
    plant.beat_at(range(START, START + MINUTE + 1), plant.engine(job))
    assert plant.slots() == [START + MINUTE]


@pytest.mark.parametrize(("speed", "lag_s"), [(1.0, 300.0), (60.0, 359.0)])
def test_the_lag_of_ended_processes_is_read_from_the_clock(plant, speed, lag_s):
    """No slot is added any more, and those that began since are due; a month has not begun."""
    clock = WorldClock("replay", world_origin=START, wall_origin=START, speed=speed)
    jobs = plant.job(), Job("triage", Every(28 * DAY), plant.job("triage").work)
    plant.beat_at([START], plant.engine(*jobs, clock=clock))
    with plant.database.reading() as db:
        lags = [
            {name: state.lag_s for name, state in job_states(jobs, clock, db, START + seconds).items()}
            for seconds in (60, 360)
        ]
    assert lags == [{"tick": 0, "triage": 0}, {"tick": lag_s, "triage": 0}]


def test_metrics_show_the_lag_of_ended_processes(house: RunningService):
    house.wall += 6 * MINUTE
    (lag,) = re.findall(r'^ninefold_job_lag_seconds{name="tick"} (.+)', house.client.get("/metrics").text, re.M)
    assert 60 <= float(lag) <= 6 * MINUTE


def test_the_pause_between_attempts_has_a_limit():
    job = Job("triage", Every(28 * DAY), lambda *_: lambda _: None)
    assert [job.longest_pause_s(attempt) for attempt in (1, 2, 9, 10, 10_000)] == [2, 4, 512, 600, 600]


def test_failed_effects_are_rolled_back_and_retried(plant):
    tries = []

    def work(job_context: JobContext, slot: int):
        def effects(db) -> None:
            plant.write(slot)(db)
            tries.append(slot)
            if len(tries) == 1:
                raise RuntimeError("disk full")

        return effects

    engine = plant.engine(plant.job(work=work, backoff_s=1.0))
    plant.beat(engine)
    assert (plant.slots(), plant.state()) == ([], (START, "due", 1))
    plant.beat_at([START + 2], engine)
    assert plant.slots() == [START]


def test_no_transaction_is_open_while_a_job_computes(plant):
    def work(job_context: JobContext, slot: int):
        with job_context.database.writing() as db:
            plant.write(0)(db)
        return lambda db: None

    plant.beat(plant.engine(plant.job(work=work)))
    assert plant.state() == (START, "done", 1)


def test_a_slot_that_kills_its_process_is_tried_more_rarely(plant):
    """And works as soon as it no longer does."""

    class Killed(BaseException):
        """A kill seen from inside: no code runs after it."""

    deaths = []

    def die(job_context: JobContext, slot: int):
        if plant.wall < START + 2 * 3600:
            deaths.append(plant.wall)
            raise Killed
        return plant.write(slot)

    engine = plant.engine(Job("triage", Every(28 * DAY), die))
    for plant.wall in range(START, START + 2 * 3600 + 11 * MINUTE, 5):
        for run in engine.due():
            with suppress(Killed):
                engine.execute(run.job, run.slot)
    pauses = [after - before for before, after in pairwise(deaths)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (15, 600)
    assert len(plant.slots()) == 1


def test_a_message_for_an_unknown_job_is_refused(plant):
    assert plant.engine(plant.job()).execute("of a newer release", START) == "refused"


class Clocks:
    """A wall clock and a steady one."""

    def __init__(self) -> None:
        self.wall, self.uptime = 1_800_000_000.0, 500.0

    def advance(self, seconds: float) -> None:
        self.wall += seconds
        self.uptime += seconds


def guarded() -> tuple[Clocks, ClockGuard]:
    clocks = Clocks()
    return clocks, ClockGuard(lambda: clocks.wall, lambda: clocks.uptime)


@pytest.mark.parametrize(("jump", "is_refused"), [(5, False), (-5, False), (6, True), (-6, True), (3 * DAY, True)])
def test_a_jump_of_more_than_five_seconds_is_refused(jump: float, is_refused: bool):
    clocks, guard = guarded()
    clocks.advance(60)
    clocks.wall += jump
    assert guard.refuses() == is_refused
    clocks.advance(600)
    assert guard.refuses() == is_refused


def test_a_clock_that_is_right_again_is_trusted_again():
    """Many small corrections are followed."""
    clocks, guard = guarded()
    clocks.wall += 3 * DAY
    assert guard.refuses()
    clocks.advance(100)
    clocks.wall -= 3 * DAY
    assert not guard.refuses()
    for _ in range(10):
        clocks.advance(1)
        clocks.wall += 4
        assert not guard.refuses()


def last_slot(database: Database) -> int:
    with database.reading() as db:
        return db.scalar(select(func.max(job_run.c.slot)))


def test_nothing_is_scheduled_after_a_jump(house: RunningService):
    uptime = house.wall
    house.engine = replace(house.runtime, elapsed=lambda: uptime).engine()
    house.wall += 3 * DAY
    assert house.engine.due() == []
    assert last_slot(house.runtime.database) <= SERVICE_START


@pytest.mark.slow
def test_a_real_clock_set_three_days_ahead_stops_the_jobs(seeded: Path, tmp_path: Path):
    """libfaketime sets the clock of a running process; no slot of the future is worked, and it goes on afterwards."""
    if FAKE_TIME is None:
        absent("no libfaketime: it is a package of Debian")
    offset, log, port, folder = tmp_path / "offset", tmp_path / "log", free_port(), copied(seeded, tmp_path)
    right = int(SERVICE_START + 60 - time.time())
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
    with closing(Database(f"sqlite:///{folder}/simulated.sqlite")) as database:
        assert last_slot(database) < SERVICE_START + 3600


@pytest.mark.parametrize(
    ("looks", "pause_s", "time_limit_s", "beats", "outcome", "others"),
    [
        (1, 16, 600, False, "lost", {"done"}),
        (10, 6, 600, True, "done", {"refused"}),
        (20, 6, 30, True, "lost", {"refused", "done"}),
    ],
    ids=["its process was suspended", "its lease is renewed", "it hangs beyond its time limit"],
)
def test_an_attempt_has_its_slot_while_its_lease_lasts(plant, looks, pause_s, time_limit_s, beats, outcome, others):
    """Another process looks for the slot so often meanwhile; what was lost must not be written."""

    def work(job_context: JobContext, slot: int):
        for _ in range(looks):
            plant.wall += pause_s
            if beats:
                engine.beat()
            outcomes.append(other.execute("tick", HOUR))
        return plant.write(slot)

    outcomes: list[str] = []
    other = plant.engine(plant.job(seconds=3600))
    engine = plant.engine(plant.job(seconds=3600, work=work, time_limit_s=time_limit_s))
    engine.due()
    assert engine.execute("tick", HOUR) == outcome
    assert (set(outcomes), plant.slots()) == (others, [HOUR])
