"""The timetable: which job comes after which, in every world."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from dramatiq import Message

from service.jobs import timetable
from service.jobs.engine import Engine
from service.jobs.job import Job
from service.market.clock import WorldClock
from service.market.instants import DAY, HOUR, MINUTE
from service.store.database import Database

NOW = 1_800_000_000 - 1_800_000_000 % DAY + 10 * HOUR + 7 * MINUTE
STEP = 300


def jobs(world: str) -> dict[str, Job]:
    return {job.name: job for job in timetable(world, STEP)}


def after(known: dict[str, Job], name: str) -> set[str]:
    """Every job that a job waits for, directly or not."""
    needs = known[name].needs
    return set(needs).union(*(after(known, need) for need in needs))


@pytest.mark.parametrize("world", ["simulated", "replay", "live"])
def test_no_job_waits_for_itself_and_each_has_one_name(world):
    known = jobs(world)
    assert len(known) == len(timetable(world, STEP))
    assert not [name for name in known if name in after(known, name)]


@pytest.mark.parametrize("world", ["simulated", "replay", "live"])
def test_votes_come_after_prices_and_scores_after_what_became_of_them(world):
    known = jobs(world)
    assert {"tick", "observe"} <= after(known, "predict")
    assert {"tick", "predict"} <= after(known, "settle")
    assert {"predict", "settle"} <= after(known, "score")
    assert {"predict", "news", "rank"} <= after(known, "apex")
    assert {"settle", "battle"} <= after(known, "seal")


def test_only_a_made_up_or_recorded_past_is_lived_through():
    """And nothing is opened, called or printed before it was."""
    for world in ("simulated", "replay"):
        known = jobs(world)
        assert "refit" in after(known, "relive")
        assert all("relive" in after(known, name) for name in ("predict", "settle", "score", "apex", "news", "seal"))
        assert not {"take_over", "settle_taken"} & set(known)
    assert "relive" not in jobs("live")
    assert all("predict" in after(jobs("live"), name) for name in ("take_over", "settle_taken"))


def test_what_callers_wait_for_follows_the_wall():
    """A challenge is answered and votes are counted in seconds, however fast a replay runs."""
    for job in timetable("replay", STEP):
        assert (job.clock == "wall") == (job.name in ("answer", "list_markets", "prune"))
    assert jobs("replay")["answer"].schedule.seconds == 2
    assert jobs("replay")["list_markets"].schedule.seconds == MINUTE


@pytest.mark.parametrize("world", ["simulated", "replay", "live"])
def test_every_job_comes_up_and_in_its_order(world, sqlite_url):
    """The real timetable with jobs that do nothing: after one ring each has been worked, none before its needs."""
    done: list[tuple[str, int]] = []
    database, known = Database(sqlite_url), timetable(world, STEP)
    engine = Engine(database, [_watched(job, done) for job in known], _workshop(world), now=lambda: NOW)
    while engine.ring():
        (queue,) = (queue for name, queue in engine.broker.queues.items() if not name.endswith(".DQ"))
        while not queue.empty():
            engine.execute(*Message.decode(queue.get_nowait()).args)
    order = [name for name, _ in done]
    assert sorted(order) == sorted(job.name for job in known)
    for job in known:
        assert all(order.index(need) < order.index(job.name) for need in job.needs)
    hourly = {
        slot for name, slot in done if name in ("predict", "settle", "score", "news", "apex", "seal", "take_over")
    }
    assert hourly == {NOW // HOUR * HOUR}
    assert max(slot for _, slot in done) <= NOW
    engine.stop()
    database.close()


def _workshop(world: str) -> SimpleNamespace:
    return SimpleNamespace(clock=WorldClock(world))


def _watched(job: Job, done: list[tuple[str, int]]) -> Job:
    def work(_workshop, slot: int):
        done.append((job.name, slot))
        return lambda _: None

    return Job(job.name, job.schedule, work, job.clock, job.needs)
