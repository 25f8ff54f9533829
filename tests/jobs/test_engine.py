"""The engine under a clock that the tests set: no thread, no waiting."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from sqlalchemy import insert, select

from service.config import SettingsError
from service.jobs.engine import Engine
from service.jobs.job import Job, Workshop
from service.jobs.schedules import Every, Monthly
from service.market.clock import WorldClock
from service.store import runs
from service.store.database import Database
from service.store.tables import job_run

MINUTE = 60
START = 1_700_000_040


@dataclass
class Plant:
    """Engines over one database and one clock, as if each were a process."""

    database: Database
    applied: object
    work_all: Callable[[Engine], None]
    wall: float = START
    worked: list[tuple[str, int]] = field(default_factory=list)

    def engine(self, *jobs: Job, clock: WorldClock = WorldClock("simulated"), now=None) -> Engine:  # noqa: B008
        workshop = SimpleNamespace(database=self.database, clock=clock)
        return Engine(self.database, jobs, workshop, now=now or (lambda: self.wall))

    def job(self, name: str = "tick", every: int = MINUTE, **options) -> Job:
        """A job that writes its slot down."""

        def work(workshop: Workshop, slot: int):
            self.worked.append((name, slot))
            return lambda db: db.execute(insert(self.applied).values(slot=slot, lane=name[0]))

        return Job(name, Every(every), **({"work": work} | options))

    def beat(self, *engines: Engine) -> None:
        """One look at the clock in every engine, and everything that follows from it."""
        for engine in engines:
            engine.ring()
        for engine in engines:
            self.work_all(engine)

    def slots(self) -> list[int]:
        """What was written, in the order of writing."""
        with self.database.reading() as db:
            return list(db.scalars(select(self.applied.c.slot).order_by(self.applied.c.id)))

    def state(self, job: str = "tick") -> tuple[int, str, int]:
        with self.database.reading() as db:
            run = runs.newest(db, job)
        return run.slot, run.state, run.attempt


@pytest.fixture
def plant(database, applied, mortal) -> Plant:
    return Plant(database, applied, mortal.work_all)


only_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_the_first_look_at_the_clock_works_the_latest_slot(plant):
    plant.beat(plant.engine(plant.job()))
    assert plant.slots() == [START]
    assert plant.state() == (START, "done", 1)


def test_a_slot_is_worked_once_however_often_the_clock_is_looked_at(plant):
    engine = plant.engine(plant.job())
    for second in range(0, 60, 7):
        plant.wall = START + second
        plant.beat(engine)
    assert plant.slots() == [START]


@only_sqlite
def test_four_tickers_over_a_day_of_minutes_work_each_of_the_1440_once(plant, in_ci):
    """In CI a whole day, else four hours of it."""
    minutes = 1440 if in_ci else 240
    engines = [plant.engine(plant.job()) for _ in range(4)]
    with ThreadPoolExecutor(4) as four:
        for minute in range(minutes):
            plant.wall = START + minute * MINUTE
            list(four.map(Engine.ring, engines))
            list(four.map(plant.work_all, engines))
    assert plant.slots() == [START + minute * MINUTE for minute in range(minutes)]


def test_missed_slots_collapse_into_the_latest_one(plant):
    engine = plant.engine(plant.job())
    plant.beat(engine)
    plant.wall += 10 * MINUTE
    plant.beat(engine)
    assert plant.slots() == [START, START + 10 * MINUTE]


def test_a_slot_that_was_due_when_a_newer_one_came_is_skipped(plant):
    engine = plant.engine(plant.job())
    engine.ring()
    plant.wall += MINUTE
    engine.ring()
    plant.work_all(engine)
    assert plant.slots() == [START + MINUTE]
    with plant.database.reading() as db:
        assert list(db.scalars(select(job_run.c.state).order_by(job_run.c.slot))) == ["skipped", "done"]


def test_a_clock_that_stands_still_makes_no_slots(plant):
    ended = WorldClock("replay", world_origin=START, wall_origin=START, speed=60.0, ends=START + 90)
    engine = plant.engine(plant.job(), clock=ended)
    for second in (0, 1, 2, 3, 1000, 100_000):
        plant.wall = START + second
        plant.beat(engine)
    assert plant.slots() == [START, START + MINUTE]


def test_world_jobs_follow_the_world_and_wall_jobs_the_wall(plant):
    fast = WorldClock("replay", world_origin=1_000_000_020, wall_origin=START, speed=60.0)
    engine = plant.engine(plant.job("market"), plant.job("quota", clock="wall"), clock=fast)
    for second in range(60):
        plant.wall = START + second
        plant.beat(engine)
    worked = {name: [slot for job, slot in plant.worked if job == name] for name in ("market", "quota")}
    assert worked["market"] == [1_000_000_020 + MINUTE * n for n in range(60)]
    assert worked["quota"] == [START]


@pytest.mark.parametrize("jump", [1, 59, 60, 3600, 86400, 40 * 86400])
def test_a_clock_that_jumps_ahead_and_back_doubles_nothing_and_goes_on_when_it_has_caught_up(plant, jump):
    engine = plant.engine(plant.job())
    for wall in (START, START + jump, START + 5, START + jump - 1, START + jump, START + jump + MINUTE):
        plant.wall = wall
        plant.beat(engine)
    slots = plant.slots()
    assert slots == sorted(set(slots))
    assert slots[-1] == (START + jump + MINUTE) // MINUTE * MINUTE


def test_a_clock_that_was_set_back_makes_no_slots_until_it_has_caught_up(plant):
    engine = plant.engine(plant.job())
    plant.beat(engine)
    for wall in (START - 7 * MINUTE, START - 1, START + MINUTE - 1):
        plant.wall = wall
        plant.beat(engine)
    assert plant.slots() == [START]
    with plant.database.reading() as db:
        assert list(db.scalars(select(job_run.c.slot))) == [START]


@only_sqlite
def test_over_a_year_a_monthly_job_runs_at_the_start_of_each_month(plant):
    engine = plant.engine(Job("refit", Monthly(), plant.job("refit").work))
    for day in range(366):
        plant.wall = 1_704_067_200 + 86400 * day + 1000
        plant.beat(engine)
    assert len(plant.slots()) == 12
    assert all((slot - 1_704_067_200) % 86400 == 0 for slot in plant.slots())


def test_a_job_waits_for_the_ones_it_needs_and_is_rung_as_soon_as_they_are_done(plant):
    engine = plant.engine(
        plant.job("resolve", needs=("context",)), plant.job("context", needs=("tick",)), plant.job("tick")
    )
    assert [run.job for run in engine.ring()] == ["tick"]
    plant.work_all(engine)
    assert [name for name, _ in plant.worked] == ["tick", "context", "resolve"]


def test_a_needy_job_keeps_up_with_one_that_lags_behind_the_clock(plant):
    """Its slot is the one that the needed job has reached, not the one the clock has reached."""

    def slow(workshop: Workshop, slot: int):
        plant.wall += 3 * MINUTE
        return lambda db: None

    engine = plant.engine(plant.job("tick", work=slow), plant.job("context", needs=("tick",)))
    engine.ring()
    assert engine.execute("tick", START) == "done"
    assert engine.execute("context", START) == "done"


def test_what_fails_is_tried_again_later_and_blocks_no_other_job(plant):
    tries = []

    def fail_twice(workshop: Workshop, slot: int):
        tries.append(plant.wall - START)
        if len(tries) < 3:
            raise RuntimeError("feed down")
        return lambda db: None

    jobs = plant.job("tick", every=3600, work=fail_twice, backoff_s=4.0), plant.job("other", every=3600)
    engine = plant.engine(*jobs)
    while plant.state()[1] != "done" if tries else True:
        plant.beat(engine)
        plant.wall += 0.5
    assert plant.worked == [("other", START // 3600 * 3600)]
    first, second, third = tries
    assert first == 0
    assert 2 <= second - first <= 4.5
    assert 4 <= third - second <= 8.5


def test_a_failure_is_remembered_with_its_reason(plant):
    def fail(workshop: Workshop, slot: int):
        raise RuntimeError("feed down")

    plant.beat(plant.engine(plant.job(work=fail)))
    with plant.database.reading() as db:
        assert db.scalar(select(job_run.c.error)) == "RuntimeError: feed down"


def test_after_its_last_try_a_slot_is_given_up_and_the_next_one_is_worked(plant):
    def fail_at_first(workshop: Workshop, slot: int):
        if slot == START:
            raise RuntimeError("feed down")
        return lambda db: db.execute(insert(plant.applied).values(slot=slot, lane="t"))

    engine = plant.engine(plant.job(work=fail_at_first, attempts=3, backoff_s=1.0))
    for second in range(60):
        plant.wall = START + second
        plant.beat(engine)
    assert plant.state() == (START, "dead", 3)
    plant.wall = START + MINUTE
    plant.beat(engine)
    assert plant.slots() == [START + MINUTE]


def test_effects_that_fail_leave_nothing_and_are_tried_again(plant):
    tries = []

    def work(workshop: Workshop, slot: int):
        def effects(db) -> None:
            db.execute(insert(plant.applied).values(slot=slot, lane="t"))
            tries.append(slot)
            if len(tries) == 1:
                raise RuntimeError("disk full")

        return effects

    engine = plant.engine(plant.job(work=work, backoff_s=1.0))
    plant.beat(engine)
    assert plant.slots() == []
    assert plant.state() == (START, "due", 1)
    plant.wall += 2
    plant.beat(engine)
    assert plant.slots() == [START]


def test_nothing_is_held_in_the_database_while_a_job_computes(plant):
    def work(workshop: Workshop, slot: int):
        with workshop.database.writing() as db:
            db.execute(insert(plant.applied).values(slot=0, lane="x"))
        return lambda db: None

    plant.beat(plant.engine(plant.job(work=work)))
    assert plant.state() == (START, "done", 1)


def test_what_outlasts_its_lease_is_lost_to_the_process_that_took_over(plant):
    """As after a freeze: the frozen process wakes up, and must not write."""
    outcomes = []

    def freeze(workshop: Workshop, slot: int):
        plant.wall += 16
        outcomes.append(other.execute("tick", START))
        return lambda db: db.execute(insert(plant.applied).values(slot=slot, lane="f"))

    other = plant.engine(plant.job())
    engine = plant.engine(plant.job(work=freeze))
    engine.ring()
    outcomes.append(engine.execute("tick", START))
    assert outcomes == ["done", "lost"]
    assert plant.slots() == [START]


def test_a_long_try_keeps_its_slot_while_its_process_beats(plant):
    hour, refused = START // 3600 * 3600, []

    def long(workshop: Workshop, slot: int):
        for _ in range(10):
            plant.wall += 6
            engine.beat()
            refused.append(other.execute("tick", hour))
        return lambda db: None

    other = plant.engine(plant.job(every=3600))
    engine = plant.engine(plant.job(every=3600, work=long))
    engine.ring()
    assert engine.execute("tick", hour) == "done"
    assert set(refused) == {"refused"}


def test_a_try_that_hangs_past_its_time_limit_does_not_keep_its_job_for_ever(plant):
    hour = START // 3600 * 3600

    def hang(workshop: Workshop, slot: int):
        for _ in range(20):
            plant.wall += 6
            engine.beat()
        outcomes.append(other.execute("tick", hour))
        return lambda db: None

    outcomes: list[str] = []
    other = plant.engine(plant.job(every=3600))
    engine = plant.engine(plant.job(every=3600, work=hang, time_limit_s=30))
    engine.ring()
    outcomes.append(engine.execute("tick", hour))
    assert outcomes == ["done", "lost"]


def test_a_slot_that_kills_its_process_at_every_try_is_given_up(plant):
    class Killed(BaseException):
        """What a kill looks like from inside: nothing after it is run."""

    def die(workshop: Workshop, slot: int):
        raise Killed

    for _ in range(3):
        engine = plant.engine(plant.job(every=3600, work=die, attempts=2))
        engine.ring()
        slot = START // 3600 * 3600
        if plant.state()[2] < 2:
            with pytest.raises(Killed):
                engine.execute("tick", slot)
        else:
            assert engine.execute("tick", slot) == "refused"
        plant.wall += 16
    assert plant.state() == (slot, "dead", 3)


def test_a_bell_for_a_job_that_this_process_does_not_know_is_refused(plant):
    assert plant.engine(plant.job()).execute("of a newer release", START) == "refused"


def test_a_bell_that_is_lost_is_rung_again_after_ten_seconds(plant):
    engine = plant.engine(plant.job())
    assert len(engine.ring()) == 1
    plant.wall += 9
    assert engine.ring() == []
    plant.wall += 1
    assert len(engine.ring()) == 1


@pytest.mark.parametrize("needed", ["nothing", "wall"])
def test_a_job_can_only_need_a_job_of_its_own_clock(plant, needed):
    jobs = plant.job("wall", clock="wall"), plant.job("tick", needs=(needed,))
    with pytest.raises(ValueError, match=f"job tick needs {needed}"):
        plant.engine(*jobs)


def test_an_address_that_no_broker_has_is_refused_without_telling_its_password(plant):
    with pytest.raises(SettingsError) as caught:
        Engine(plant.database, [], SimpleNamespace(), "http://user:secret@host")
    assert "redis://" in caught.value.detail
    assert "secret" not in caught.value.detail
