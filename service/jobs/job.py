"""Jobs, their schedules, the context they run in, and the headers of the documents that they publish.

A slot is a unix second, so daylight saving does not move it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection

from service.config import Settings
from service.documents import DocumentHeader
from service.errors import SourceFailed
from service.forecasting.apex.document import ApexScores, ResolvedCall, score
from service.forecasting.voters.context import Context, build_all
from service.forecasting.voters.panel import Panel, embedded_panel
from service.jobs.memory import ArenaMemory, CallMemory, Memory, ScoreMemory, same_bars
from service.market import headers
from service.market.bars import Bars
from service.market.coverage import History, whole_since
from service.market.instants import WorldClock, unix
from service.store import bars, snapshots
from service.store.bars import HourlyBars
from service.store.database import Database
from service.trading.accounts import AccountTerms
from service.trading.arena import Arena

if TYPE_CHECKING:
    from service.sources.feeds import Feed

LONGEST_PAUSE_S = 600

Effects = Callable[[Connection], object]


@dataclass(frozen=True)
class JobContext:
    """What every job works with. `history_from` is the unix second, in world time, at which stored history begins.

    `panel` votes on markets and challenges. The consensus lane and apex, which ask every hour and publish no single
    vote, ask `embedded`, which costs nothing. What follows is kept by this process.
    """

    settings: Settings
    database: Database
    feed: Feed
    clock: WorldClock
    history_from: int
    panel: Panel
    hourly_bars: HourlyBars = field(init=False, default_factory=HourlyBars)
    score_memory: ScoreMemory = field(init=False, default_factory=ScoreMemory)
    call_memory: CallMemory = field(init=False, default_factory=CallMemory)
    # One call of apex is new in four hours; contexts are without the inputs of headlines, of which new ones may arrive.
    apex_scores: Memory[Sequence[ResolvedCall], ApexScores] = field(init=False, default_factory=lambda: Memory(score))
    contexts: Memory[Mapping[str, Bars], dict[str, Context]] = field(
        init=False, default_factory=lambda: Memory(build_all, same_bars)
    )

    @cached_property
    def embedded(self) -> Panel:
        return embedded_panel(self.panel.quorum, self.panel.timer)

    @cached_property
    def account_terms(self) -> AccountTerms:
        """The costs of the paper accounts of strategies and lanes."""
        return AccountTerms(borrow=self.settings.borrow_rate_pct / 100)

    @cached_property
    def arenas(self) -> Memory[Mapping[str, Bars], Arena]:
        """The accounts of the strategies on hourly bars, since the first of them."""
        return Memory(ArenaMemory(self.account_terms).after, same_bars)

    def histories(self, db: Connection, now: int) -> dict[str, History]:
        """The stored history of every asset that a source was asked for, at the world second `now`."""
        return bars.histories(db, self.feed.assets, self.feed.step, now)

    def whole_since(self, db: Connection, now: int) -> dict[str, int]:
        """The assets to compute with, each with the unix second from which its history has no gap."""
        if self.clock.world != "live":
            return dict.fromkeys(self.feed.assets, self.history_from)
        return whole_since(self.histories(db, now))

    @property
    def at_once(self) -> int:
        """The number of questions that the panel answers at the same time: several where models make it wait."""
        return 8 if self.panel.has_models else 1


@dataclass(frozen=True)
class Job:
    """Work that the clock triggers.

    `work(job_context, slot)` never reads a clock: the slot is its time, and it does everything up to it, so missed
    slots collapse into the latest one. It computes with no transaction open and returns its effects, which are
    applied in the same transaction that marks the slot as done.

    `clock` says whether slots are world or wall seconds. A slot becomes due when every job in `needs` has done a slot
    at or after it, one with rarer slots its latest, and `is_wanted`, where there is one, returns True. One that
    `needs_history` waits in the live world until the prices have arrived. An attempt is interrupted after
    `time_limit_s`. A failed attempt is repeated after `backoff_s`, then twice that, four times that and so on, with
    jitter, at most ten minutes later, until it succeeds or a newer slot is due: a fault may pass at any time.
    """

    name: str
    schedule: Every
    work: Callable[[JobContext, int], Effects]
    clock: Literal["world", "wall"] = "world"
    needs: tuple[str, ...] = ()
    is_wanted: Callable[[Connection, JobContext], bool] | None = None
    needs_history: bool = True
    time_limit_s: int = 600
    backoff_s: float = 2.0

    def instant(self, clock: WorldClock, wall: float) -> int:
        """The time of this job's own clock, in seconds, at the wall time `wall`."""
        return clock.at(wall) if self.clock == "world" else int(wall)

    def unseen_s(self, clock: WorldClock, newest_slot: int, seen_at: float, now: float) -> float:
        """Real seconds since the first slot began that is later than `newest_slot` and the wall second `seen_at`."""
        slot = self.schedule.after(max(newest_slot, self.schedule.slot_at(self.instant(clock, seen_at))))
        return max(0.0, (self.instant(clock, now) - slot) / (clock.speed if self.clock == "world" else 1.0))

    def longest_pause_s(self, attempt: int) -> float:
        """The longest pause, in seconds, after the attempt with this number has failed."""
        return min(self.backoff_s * 2 ** min(attempt - 1, 30), LONGEST_PAUSE_S)


@dataclass(frozen=True)
class Every:
    """A slot every `seconds` since 1970, `offset` seconds later: those of a day, without one, are at midnight UTC."""

    seconds: int
    offset: int = 0

    def slot_at(self, now: int) -> int:
        """The latest slot at or before the unix second `now`."""
        return (now - self.offset) // self.seconds * self.seconds + self.offset

    def after(self, slot: int) -> int:
        return slot + self.seconds


def header(
    job_context: JobContext,
    slot: int,
    every_s: int,
    *,
    seen_at: int | None = None,
    sources: Mapping[str, str] | None = None,
) -> DocumentHeader:
    """The header of a document that is computed at `slot` and again every `every_s` seconds.

    `as_of` is the end of the last published bar, or the unix second `seen_at` where that is earlier, so that a source
    that stopped is visible. `sources` are added to the sources of the prices, by name.
    """
    with job_context.database.reading() as db:
        prices = snapshots.latest_prices(db)
    if prices is None:
        raise SourceFailed("no price has been published yet")
    return headers.header(
        slot,
        min(slot, unix(prices.as_of), slot if seen_at is None else seen_at),
        step=job_context.feed.step,
        world=job_context.clock.world,
        sources=prices.sources | dict(sources or {}),
        every_s=every_s,
    )


def bar_header(job_context: JobContext, slot: int, as_of: int, step: int, **sources: str) -> DocumentHeader:
    """The header of a document that is computed at `slot` from bars that end at `as_of`, every `step` seconds."""
    with job_context.database.reading() as db:
        origins = bar_sources(db) | sources
    return headers.header(slot, as_of, step=step, world=job_context.clock.world, sources=origins)


def bar_sources(db: Connection) -> dict[str, str]:
    """The origin of each asset's latest stored bars; empty before the first tick."""
    prices = snapshots.latest_prices(db)
    return dict(prices.sources) if prices else {}
