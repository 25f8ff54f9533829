"""Whether the process lives, whether it can answer, and what a scraper collects."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Literal

import structlog
from flask import Blueprint, Response, current_app
from sqlalchemy.exc import SQLAlchemyError

from service.api import metrics
from service.api.operations import operation
from service.api.services import Services, not_yet, services
from service.errors import ServiceUnavailable
from service.forecasting.voters.price_forecasts import name_of
from service.market.assets import ASSETS
from service.market.headers import MISSED_BARS
from service.market.instants import HOUR, World, iso
from service.market.prices import AssetHistory, describe_history
from service.store import bars, snapshots, world
from service.store.audit import latest_audit
from service.store.knowledge import newest_fits
from service.trading.strategies import STRATEGIES

health = Blueprint("health", __name__)
IS_READY, REHEARSED_AT = "ninefold.is_ready", "ninefold.rehearsed_at"
# Real seconds for which a write that succeeded counts, so that those who ask cannot keep the database busy.
REHEARSED_S = 5

log = structlog.stdlib.get_logger(__name__)

FETCHING_S = 60  # real seconds that fetching and storing a bar may take; a replay may run much faster than real time
CLOCKS_APART_S = 5  # real seconds by which the clocks of two machines that share a database may differ
# One document of each job that publishes some, all in one transaction; an asset without a forecast has its own reason.
DOCUMENTS = (
    *("prices", "bot-battle", "leaderboard", "strategies/" + next(iter(STRATEGIES)), "strategy-hospital", "markets"),
    *("forecasts/record", "streaks", "news-pulse", "apex", "widget"),
)
LATE_S = 600  # real seconds after which a job that is due is late
# Jobs without which the service is not ready once they have been due for so long.
VITAL, VITAL_LATE_S = ("tick", "seal"), 3600


@dataclass(frozen=True)
class Alive:
    """The process is alive."""

    status: Literal["alive"]


@dataclass(frozen=True)
class Ready:
    """The service can answer questions on current bars.

    `as_of` is the end of the last bar, `age_s` its age in seconds of world time, `fitted_at` the world time up to which
    the voters were fitted. `histories` says how much of the past of each asset is stored. `late` has a sentence for
    each job that has been due for ten minutes, `audit` what the last comparison of the record with its ledger found, or
    that the database is damaged, which is looked at every day and at each start; null before the first.
    """

    status: Literal["ready"]
    world: World
    as_of: str
    age_s: int
    fitted_at: str
    histories: dict[str, AssetHistory]
    late: tuple[str, ...]
    audit: str | None


@health.get("/healthz")
@operation(tag="Operation", limit=None)
def alive() -> Alive:
    """Whether the process is alive. It checks nothing else, so a failing database causes no restart."""
    return Alive("alive")


@health.get("/readyz")
@operation(tag="Operation", limit=None, raises=(ServiceUnavailable,))
def ready() -> Ready:
    """Whether the service can answer: the database takes what a question writes, bars are current, voters are fitted.

    Every public document has been published once. It is not ready either when no job process has looked for a minute
    what is due, and when no new bars were stored or the ledger could not be sealed for an hour.
    """
    return _readiness(services())


@health.get("/metrics")
@operation(tag="Operation", limit=None, returns=str, media=metrics.MEDIA_TYPE)
def collect() -> Response:
    """Metrics for Prometheus. They contain no key, address or question."""
    try:
        is_ready = bool(_readiness(services()))
    except (ServiceUnavailable, SQLAlchemyError):
        is_ready = False
    return Response(metrics.exposition(services(), is_ready=is_ready), content_type=metrics.MEDIA_TYPE)


def _log_change(missing: str) -> None:
    """Log `ready` or `not_ready` where it is not what this process logged last."""
    if current_app.extensions.get(IS_READY) == (not missing):
        return
    current_app.extensions[IS_READY] = not missing
    if missing:
        log.warning("not_ready", missing=missing)
    else:
        log.info("ready")


def _fault_of_bars(services: Services, as_of: int, age: int) -> list[str]:
    """What is wrong with the last bar, which ends at the world second `as_of`, `age` seconds ago; empty if nothing."""
    if age < -CLOCKS_APART_S * services.clock.speed:
        ahead = f"the last bar ends at {iso(as_of)}, {-age} s of world time ahead of the clock"
        return [f"{ahead}: the clock is wrong, or was ahead when the bar was stored"]
    if age > max(MISSED_BARS * services.step, FETCHING_S * services.clock.speed):
        return [f"the last bar ended at {iso(as_of)}, {age} s of world time ago"]
    return []


def _readiness(services: Services) -> Ready:
    """The readiness; raises ServiceUnavailable that names everything missing, or what the database raises.

    A change of it is logged by the process that was asked.
    """
    wall = services.now()
    extensions = current_app.extensions
    if monotonic() - extensions.get(REHEARSED_AT, -inf) > REHEARSED_S:
        world.rehearse(services.database, int(wall))
        extensions[REHEARSED_AT] = monotonic()
    with services.database.reading() as db:
        openings = [bar.time for bar in bars.last_bars(db, ASSETS, services.step).values()]
        fits = newest_fits(services.database, db)
        lags = {job: state.lag_s for job, state in services.job_states(db, wall).items() if state.lag_s > LATE_S}
        silence = world.silence_s(db, wall)
        audit = latest_audit(db)
        histories = bars.histories(db, ASSETS, services.step, services.clock.at(wall))
        names = snapshots.names(db)
    unmade = [name for name in DOCUMENTS if name not in names]
    if not any(name_of(asset, None) in names for asset in ASSETS):
        unmade.append("forecasts")
    as_of = max(openings, default=0) + services.step
    age = services.clock.at(wall) - as_of
    is_first = bool(unmade) or fits is None  # later an asset that arrives holds up none of the others
    gaps = {asset: history for asset, history in histories.items() if history.state in ("arriving", "failing")}
    missing = [f"{asset}: {history.sentence}" for asset, history in gaps.items() if is_first]
    missing += _fault_of_bars(services, as_of, age) if openings else ["there are no price bars yet"]
    if fits is None:
        reason = not_yet(services)
        missing.append(reason.detail.rstrip(".") if reason.retry_after_s == HOUR else "the voters are not fitted yet")
    if unmade:
        missing.append(f"not available yet: {', '.join(unmade)}")
    if silence is None or silence > world.SILENT_S:
        missing.append(f"no job process has looked what is due {'yet' if silence is None else f'for {silence:.0f} s'}")
    late = {job: f"the job {job} has been due for {lag / 60:.0f} min without success" for job, lag in lags.items()}
    missing += [late[job] for job in VITAL if lags.get(job, 0) > VITAL_LATE_S]
    _log_change("; ".join(missing))
    if missing or fits is None:
        detail, reason = f"Not ready: {'; '.join(missing)}.", not_yet(services)
        kind = type(reason) if is_first else ServiceUnavailable
        raise kind(detail, retry_after_s=reason.retry_after_s)
    states = {asset: describe_history(history) for asset, history in histories.items()}
    return Ready(
        status="ready",
        world=services.clock.world,
        as_of=iso(as_of),
        age_s=max(age, 0),
        fitted_at=iso(fits.slot),
        histories=states,
        late=tuple(late.values()),
        audit=services.database.damage or (audit and audit.sentence),
    )
