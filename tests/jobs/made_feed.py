"""A live feed of two coins whose price is the number of the bar, and the jobs that fetch from it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from service.config import Settings
from service.errors import SourceFailed
from service.forecasting.voters.panel import embedded_panel
from service.jobs.job import JobContext
from service.market.bars import from_rows
from service.market.coverage import History
from service.market.instants import DAY, MINUTE, WorldClock
from service.sources.feeds.feed import AssetUnlisted, FetchedBars
from service.store import bars, snapshots
from service.store.database import Database
from tests.jobs.contexts import work

STEP = 5 * MINUTE
SLOT = 1_763_985_600  # Monday, 24 November 2025, 12:00 UTC
HISTORY_FROM = SLOT - 200 * DAY


@dataclass
class MadeFeed:
    """`silent` bars are those in which nobody traded.

    The `faulty_assets` raise, the `absentees` are had nowhere; no bar of a length is older than its `oldest`. A fetch
    that passes one of the `broken` instants loses a day of bars before it to a passing fault, once. `units` are, by
    asset, the unit of its prices between two instants. `requests` are the assets, spans and lengths that were asked
    for.
    """

    world: str = "live"
    step: int = STEP
    history_from: int = HISTORY_FROM
    assets: tuple[str, ...] = ("btc", "eth")
    faulty_assets: set[str] = field(default_factory=set)
    absentees: set[str] = field(default_factory=set)
    silent: set[int] = field(default_factory=set)
    oldest: dict[int, int] = field(default_factory=dict)
    broken: list[int] = field(default_factory=list)
    units: dict[str, tuple[float, int, int]] = field(default_factory=dict)
    requests: list[tuple[str, int, int, int]] = field(default_factory=list)

    def fetch(self, asset: str, since: int, until: int, step: int = STEP) -> FetchedBars:
        self.requests.append((asset, since, until, step))
        if asset in self.faulty_assets:
            raise SourceFailed("no answer")
        if asset in self.absentees:
            raise AssetUnlisted("no source has it")
        first = max(-(-since // step) * step, self.oldest.get(step, 0))
        gap_end = next((instant for instant in self.broken if since < instant <= until), 0)
        fault = "broken off" if gap_end else ""
        self.broken = [instant for instant in self.broken if instant != gap_end]
        span = range(first, until - step + 1, step)
        times = [time for time in span if time not in self.silent and not gap_end - DAY <= time < gap_end]
        unit, begins, ends = self.units.get(asset, (1.0, 0, 0))
        rows = [(time, *[time // STEP * (unit if begins <= time < ends else 1.0)] * 4, 1.0) for time in times]
        return FetchedBars(from_rows(rows, step), (), "a test", fault)


class LiveJobs:
    """Runs jobs of a live world over a database and writes their effects."""

    def __init__(self, database: Database, feed: Any = None, now: int = SLOT) -> None:
        self.database, self.feed = database, feed or MadeFeed()
        clock = WorldClock("live", world_origin=now, wall_origin=now)
        panel = embedded_panel(5, time.perf_counter)
        since = self.feed.history_from
        self.context: Any = JobContext(Settings(world="live"), database, self.feed, clock, since, panel)

    def run(self, job: Callable, slot: int = SLOT) -> None:
        work(self.context, job, slot)

    def read(self, query: Callable, *arguments):
        with self.database.reading() as db:
            return query(db, *arguments)

    def times(self, asset: str = "btc", step: int = STEP) -> list[int]:
        """The times of the stored bars of a length."""
        return self.read(bars.load_bars, asset, 0, 2**40, step).time.tolist()

    def windows(self) -> tuple[tuple[int, int], ...]:
        """The spans of which the short bars of the first asset were answered."""
        return self.read(bars.find_coverage, "btc", STEP).windows

    def prices(self) -> dict:
        return json.loads(self.read(snapshots.latest_snapshot, "prices").body)

    def histories(self, now: int = SLOT) -> dict[str, History]:
        return self.read(self.context.histories, now)
