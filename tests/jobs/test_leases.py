"""A lease keeps a slot while its process lives, and not longer."""

from __future__ import annotations

from sqlalchemy import insert

from service.jobs.job import JobContext
from tests.jobs.plant import START


def test_an_expired_lease_loses_the_slot(plant):
    """A process that was suspended continues and must not write."""
    outcomes = []

    def freeze(job_context: JobContext, slot: int):
        plant.wall += 16
        outcomes.append(other.execute("tick", START))
        return lambda db: db.execute(insert(plant.applied).values(slot=slot, lane="f"))

    other = plant.engine(plant.job())
    engine = plant.engine(plant.job(work=freeze))
    engine.dispatch()
    outcomes.append(engine.execute("tick", START))
    assert outcomes == ["done", "lost"]
    assert plant.slots() == [START]


def test_a_renewed_lease_keeps_its_slot(plant):
    hour, refused = START // 3600 * 3600, []

    def long(job_context: JobContext, slot: int):
        for _ in range(10):
            plant.wall += 6
            engine.beat()
            refused.append(other.execute("tick", hour))
        return lambda db: None

    other = plant.engine(plant.job(every=3600))
    engine = plant.engine(plant.job(every=3600, work=long))
    engine.dispatch()
    assert engine.execute("tick", hour) == "done"
    assert set(refused) == {"refused"}


def test_an_attempt_that_hangs_releases_its_job(plant):
    hour = START // 3600 * 3600

    def hang(job_context: JobContext, slot: int):
        for _ in range(20):
            plant.wall += 6
            engine.beat()
        outcomes.append(other.execute("tick", hour))
        return lambda db: None

    outcomes: list[str] = []
    other = plant.engine(plant.job(every=3600))
    engine = plant.engine(plant.job(every=3600, work=hang, time_limit_s=30))
    engine.dispatch()
    outcomes.append(engine.execute("tick", hour))
    assert outcomes == ["done", "lost"]
