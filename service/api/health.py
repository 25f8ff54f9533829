"""Whether the process lives, whether it can answer, and what a scraper collects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flask import Blueprint, Response

from service.api import metrics
from service.api.operations import operation
from service.api.services import Services, services
from service.errors import Unavailable
from service.market.assets import ASSETS
from service.market.clock import World
from service.market.instants import iso
from service.market.prices import MISSED_BARS
from service.store import bars, fits, heartbeat, snapshots

health = Blueprint("health", __name__)

# How long on the wall a bar may take to be fetched and stored; a replay may run far faster than the wall.
PATIENCE_S = 60
# What questions need, and every world has from its first seconds on. A hospital needs a month that has closed, and the
# track record of the past takes some seconds more to live through.
DOCUMENTS = ("prices", "bot-battle", "leaderboard")


@dataclass(frozen=True)
class Alive:
    """The process answers."""

    status: Literal["alive"]


@dataclass(frozen=True)
class Ready:
    """The service answers questions over bars that are current.

    `as_of` is the end of the last bar and `age_s` how many seconds of world time ago that was; `fitted_at`
    is the world time up to which the voters have learned.
    """

    status: Literal["ready"]
    world: World
    as_of: str
    age_s: int
    fitted_at: str


READY = Ready("ready", "simulated", "2026-11-21T12:05:00Z", 42, "2026-11-21T00:00:00Z")


@health.get("/healthz")
@operation(tag="Operation", limit=None, example=Alive("alive"))
def alive() -> Alive:
    """Whether the process lives. It touches nothing else, so a failing database does not get it restarted."""
    return Alive("alive")


@health.get("/readyz")
@operation(tag="Operation", limit=None, raises=(Unavailable,), example=READY)
def ready() -> Ready:
    """Whether the service can answer: the database takes a write, the bars are current, the voters have learned."""
    return _readiness(services())


@health.get("/metrics")
@operation(tag="Operation", limit=None, returns=str, media=metrics.MEDIA_TYPE)
def collect() -> Response:
    """What Prometheus collects. It holds no key, address or question."""
    return Response(metrics.exposition(), content_type=metrics.MEDIA_TYPE)


def _readiness(known: Services) -> Ready:
    """What is ready; raises Unavailable that names everything that is not, or what the database raises."""
    wall = known.now()
    with known.database.writing() as db:
        heartbeat.beat(db, int(wall))
    with known.database.reading() as db:
        openings = [bar.time for asset in ASSETS if (bar := bars.last(db, asset, known.step))]
        fitted = fits.latest_slot(db)
        unmade = [name for name in DOCUMENTS if snapshots.latest(db, name) is None]
    as_of = max(openings, default=0) + known.step
    age = known.clock.at(wall) - as_of
    missing = []
    if not openings:
        missing.append("there are no bars yet")
    elif age > max(MISSED_BARS * known.step, PATIENCE_S * known.clock.speed):
        missing.append(f"the last bar ended at {iso(as_of)}, {age} s of world time ago")
    if fitted is None:
        missing.append("the voters have not learned yet")
    if unmade:
        missing.append(f"not made yet: {', '.join(unmade)}")
    if missing:
        raise Unavailable(f"Not ready: {'; '.join(missing)}.")
    return Ready("ready", known.clock.world, iso(as_of), age, iso(fitted))
