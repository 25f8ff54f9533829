"""Whether the process lives, whether it can answer, and what a scraper collects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flask import Blueprint, Response

from service.api import metrics
from service.api.operations import operation
from service.api.services import Services, services
from service.errors import ServiceUnavailable
from service.market.assets import ASSETS
from service.market.clock import World
from service.market.headers import MISSED_BARS
from service.market.instants import iso
from service.store import bars, heartbeat, snapshots
from service.store.knowledge import newest_fits

health = Blueprint("health", __name__)

# Real seconds that fetching and storing a bar may take; a replay may run much faster than real time.
FETCHING_S = 60
# What every world has within seconds of its first start. A hospital needs a closed month, and the backfilled track
# record takes some seconds longer.
DOCUMENTS = ("prices", "bot-battle", "leaderboard")


@dataclass(frozen=True)
class Alive:
    """The process is alive."""

    status: Literal["alive"]


@dataclass(frozen=True)
class Ready:
    """The service can answer questions on current bars.

    `as_of` is the end of the last bar, `age_s` its age in seconds of world time, `fitted_at` the world time up to which
    the voters were fitted.
    """

    status: Literal["ready"]
    world: World
    as_of: str
    age_s: int
    fitted_at: str


@health.get("/healthz")
@operation(tag="Operation", limit=None)
def alive() -> Alive:
    """Whether the process is alive. It checks nothing else, so a failing database causes no restart."""
    return Alive("alive")


@health.get("/readyz")
@operation(tag="Operation", limit=None, raises=(ServiceUnavailable,))
def ready() -> Ready:
    """Whether the service can answer: the database is writable, the bars are current, the voters are fitted."""
    return _readiness(services())


@health.get("/metrics")
@operation(tag="Operation", limit=None, returns=str, media=metrics.MEDIA_TYPE)
def collect() -> Response:
    """Metrics for Prometheus. They contain no key, address or question."""
    return Response(metrics.exposition(), content_type=metrics.MEDIA_TYPE)


def _readiness(services: Services) -> Ready:
    """The readiness; raises ServiceUnavailable that names everything missing, or what the database raises."""
    wall = services.now()
    with services.database.writing() as db:
        heartbeat.beat(db, int(wall))
    with services.database.reading() as db:
        openings = [bar.time for asset in ASSETS if (bar := bars.last(db, asset, services.step))]
        fits = newest_fits(services.database, db)
        unmade = [name for name in DOCUMENTS if snapshots.latest(db, name) is None]
    as_of = max(openings, default=0) + services.step
    age = services.clock.at(wall) - as_of
    missing = []
    if not openings:
        missing.append("there are no price bars yet")
    elif age > max(MISSED_BARS * services.step, FETCHING_S * services.clock.speed):
        missing.append(f"the last bar ended at {iso(as_of)}, {age} s of world time ago")
    if fits is None or not fits.linear:
        missing.append("the voters are not fitted yet")
    if unmade:
        missing.append(f"not available yet: {', '.join(unmade)}")
    if missing or fits is None:
        raise ServiceUnavailable(f"Not ready: {'; '.join(missing)}.")
    return Ready("ready", services.clock.world, iso(as_of), age, iso(fits.slot))
