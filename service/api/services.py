"""What `app.py` passes to the web, the documents that the jobs publish, and the reason where there is none yet.

A document is read from the database at most once a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from flask import current_app
from sqlalchemy import Connection

from service.config import Settings
from service.errors import HistoryArriving, ResourceNotFound, ServiceUnavailable
from service.forecasting.densities.fitting import LEAST_DAYS
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.panel import Panel
from service.market.assets import ASSETS
from service.market.coverage import FIRST_GUESS_S, MAKING_S, has_arrived
from service.market.instants import HOUR, WorldClock
from service.market.prices import AssetPrice
from service.sources.feeds.feed import CoinFeed
from service.store import bars, runs, snapshots
from service.store.database import Database
from service.store.runs import JobState
from service.store.secret import KeySecrets
from service.store.snapshots import Snapshot

KEPT_S = 1.0  # reading a document from the database takes longer than responding
STALLED_S = 30  # between two tries of a source that fails, growing to a minute
RETRY_S = 2  # a first start publishes most documents within seconds


@dataclass(frozen=True)
class Services:
    """`now` is the wall clock in unix seconds; world time is `clock.at(now())` and its bars are `step` seconds long.

    `panel` answers the oracle's questions. `key_secrets` are what API keys are hashed with. `coins` has the
    bars of other coins; only the live world has any. `job_states` are those at a wall second. `documents` are those
    that were read, with the time of reading.
    """

    settings: Settings
    database: Database
    clock: WorldClock
    step: int
    panel: Panel
    key_secrets: KeySecrets
    now: Callable[[], float] = time.time
    coins: CoinFeed | None = None
    job_states: Callable[[Connection, float], dict[str, JobState]] = runs.job_states
    documents: dict[str, tuple[float, Snapshot]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def world_now(self) -> int:
        """The present second of world time."""
        return self.clock.at(self.now())


def services() -> Services:
    return current_app.extensions["ninefold"]


def latest(name: str) -> Snapshot:
    """The latest document of a name; before the first one raises ServiceUnavailable, which says how long it takes."""
    snapshot = find(name)
    if snapshot is None:
        raise not_yet(services())
    return snapshot


def find(name: str) -> Snapshot | None:
    """The latest document of a name; None before the first one."""
    web = services()
    now = web.now()
    read_at, snapshot = web.documents.get(name, (0.0, None))
    if snapshot is None or not 0 <= now - read_at < KEPT_S:
        with web.database.reading() as db:
            snapshot = snapshots.latest_snapshot(db, name)
        if snapshot:
            web.documents[name] = now, snapshot
    return snapshot


def price_of(asset: str) -> AssetPrice:
    """The last price of an asset; raises ResourceNotFound where this world has no bars of it."""
    require_listed(asset)
    by_asset = snapshots.prices_by_asset(snapshots.read_prices(latest("prices")))
    if asset not in by_asset:
        raise ResourceNotFound(f"This world has no bars of {asset}; it has {', '.join(by_asset)}.")
    return by_asset[asset]


def require_listed(asset: str) -> None:
    """Raise ResourceNotFound, with the reason, for an asset that no source of this world has."""
    snapshot = find("prices")
    history = snapshots.read_prices(snapshot).histories.get(asset) if snapshot else None
    if history and history.state == "absent":
        raise ResourceNotFound(f"This world has no bars of {asset}: {history.detail}.")


def is_there(services: Services, latest: Knowledge) -> bool:
    """Whether the live world has what a question needs: fits, and no history that is still arriving."""
    with services.database.reading() as db:
        histories = bars.histories(db, ASSETS, services.step, services.world_now)
    return latest.fits is not None and has_arrived(histories)


def not_yet(services: Services) -> ServiceUnavailable:
    """The reason why a document or an answer is not there yet, to be raised."""
    with services.database.reading() as db:
        now = services.world_now
        histories = bars.histories(db, ASSETS, services.step, now).values()
    if services.clock.world != "live":
        detail = "It is being computed for the first time, in the first two minutes of a new service."
        return ServiceUnavailable(detail, retry_after_s=RETRY_S)
    arriving = [history for history in histories if history.state == "arriving"]
    if arriving and all(history.detail for history in arriving):
        detail = f"The price history does not arrive: {arriving[0].detail}. The service goes on asking."
        return HistoryArriving(detail, retry_after_s=STALLED_S)
    if arriving or not histories:
        seconds = max((history.seconds_left for history in arriving), default=FIRST_GUESS_S + MAKING_S)
        return HistoryArriving(f"The price history is arriving: about {seconds} s left.", retry_after_s=seconds)
    days = max((history.days for history in histories if history.state == "complete"), default=None)
    if days is None:
        failures = (history.detail for history in histories if history.state == "failing")
        detail = f"The price history cannot be completed: {next(failures, 'no source has any asset')}."
        return ServiceUnavailable(detail, retry_after_s=STALLED_S)
    if days < LEAST_DAYS:
        needs = f"The voters need {LEAST_DAYS} days of hourly prices"
        return ServiceUnavailable(f"{needs}; {days:.0f} are stored, and no source has more.", retry_after_s=HOUR)
    detail = "The price history is here; the first forecasts are being made from it."
    return ServiceUnavailable(detail, retry_after_s=MAKING_S // 2)
