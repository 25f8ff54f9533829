"""The timetable: which job comes after which, in every world."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from service.jobs.engine import Engine
from service.jobs.job import Job
from service.jobs.timetable import timetable
from service.market.instants import DAY, HOUR, MINUTE, WorldClock
from service.store.database import Database
from tests.jobs.mortal import work_all
from tests.market.coverages import whole

NOW = 1_800_000_000 - 1_800_000_000 % DAY + 10 * HOUR + 7 * MINUTE
STEP = 300


def jobs(world: str) -> dict[str, Job]:
    return {job.name: job for job in timetable(world, STEP)}


def after(timetable_jobs: dict[str, Job], name: str) -> set[str]:
    """Every job that a job waits for, directly or not."""
    needs = timetable_jobs[name].needs
    return set(needs).union(*(after(timetable_jobs, dependency) for dependency in needs))


@pytest.mark.parametrize("world", ["simulated", "replay", "live"])
def test_no_job_waits_for_itself_and_each_has_one_name(world):
    by_name = jobs(world)
    assert len(by_name) == len(timetable(world, STEP))
    assert not [name for name in by_name if name in after(by_name, name)]


@pytest.mark.parametrize("world", ["simulated", "replay", "live"])
def test_votes_follow_prices_and_scores_follow_settlements(world):
    by_name = jobs(world)
    assert {"tick", "observe"} <= after(by_name, "predict")
    assert {"tick", "predict"} <= after(by_name, "settle")
    assert {"predict", "settle"} <= after(by_name, "score")
    assert {"predict", "news", "rank"} <= after(by_name, "apex")
    assert {"settle", "battle"} <= after(by_name, "seal")


@pytest.mark.parametrize("world", ["simulated", "replay", "live"])
def test_the_past_of_every_world_is_backfilled_first(world):
    """Nothing is opened, called or printed before it was."""
    by_name = jobs(world)
    assert "refit" in after(by_name, "backfill")
    assert all("backfill" in after(by_name, name) for name in ("predict", "settle", "score", "apex", "news", "seal"))


def test_only_the_live_world_asks_outside_markets():
    """Once its own markets were opened."""
    assert not {"import_markets", "settle_imported", "history"} & {*jobs("simulated"), *jobs("replay")}
    assert all("predict" in after(jobs("live"), name) for name in ("import_markets", "settle_imported"))


def test_only_what_computes_nothing_from_prices_runs_before_history():
    """All else would be published or committed from a part of it."""
    names = {job.name for job in timetable("live", STEP) if not job.needs_history}
    assert names == {"tick", "history", "refund_expired", "prune"}


def test_jobs_that_callers_wait_for_follow_the_wall_clock():
    """A challenge is answered and votes are counted in seconds, however fast a replay runs."""
    for job in timetable("replay", STEP):
        assert (job.clock == "wall") == (
            job.name in {"answer", "audit", "list_markets", "rates", "refund_expired", "prune", "stamp", "witness"}
        )
    assert jobs("replay")["answer"].schedule.seconds == 2
    assert jobs("replay")["list_markets"].schedule.seconds == MINUTE


@pytest.mark.parametrize("world", ["simulated", "replay", "live"])
def test_every_job_runs_after_its_needs(world, sqlite_url):
    """The real timetable with jobs that do nothing: after one look each has run, none before its needs."""
    done: list[tuple[str, int]] = []
    database, all_jobs = Database(sqlite_url), timetable(world, STEP)
    engine = Engine(database, [_watched(job, done) for job in all_jobs], _job_context(world), now=lambda: NOW)
    work_all(engine)
    order = [name for name, _ in done]
    assert sorted(order) == sorted(job.name for job in all_jobs)
    for job in all_jobs:
        assert all(order.index(dependency) < order.index(job.name) for dependency in job.needs)
    hourly = {
        slot for name, slot in done if name in ("predict", "settle", "score", "news", "apex", "seal", "import_markets")
    }
    assert hourly == {NOW // HOUR * HOUR}
    assert max(slot for _, slot in done) <= NOW
    engine.stop()
    database.close()


def _job_context(world: str) -> SimpleNamespace:
    return SimpleNamespace(clock=WorldClock(world), histories=lambda _db, now: whole(("btc",), now))


def _watched(job: Job, done: list[tuple[str, int]]) -> Job:
    def work(_job_context, slot: int):
        done.append((job.name, slot))
        return lambda _: None

    return Job(job.name, job.schedule, work, job.clock, job.needs)
