"""Jobs, and the context they run in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection

from service.config import Settings
from service.forecasting.apex.call import Call, Thresholds, thresholds_of
from service.forecasting.apex.scores import ApexScores, ResolvedCall, score
from service.forecasting.voters.context import Context, build_all
from service.forecasting.voters.panel import Panel, embedded_panel
from service.jobs.arena_memory import ArenaMemory
from service.jobs.call_memory import CallMemory
from service.jobs.memory import Memory, same_bars
from service.jobs.schedules import Schedule
from service.jobs.score_memory import ScoreMemory
from service.market.bars import Bars
from service.market.coverage import History, whole_since
from service.market.instants import WorldClock
from service.store import bars
from service.store.bars import HourlyBars
from service.store.database import Database
from service.trading.accounts import AccountTerms
from service.trading.arena import Arena

if TYPE_CHECKING:
    from service.sources.feeds import Feed

Effects = Callable[[Connection], object]


@dataclass(frozen=True)
class JobContext:
    """What every job works with. `history_from` is the unix second, in world time, at which stored history begins.

    `panel` votes on markets and challenges. The consensus lane and apex, which ask every hour and publish no single
    vote, ask `embedded`, which costs nothing.
    """

    settings: Settings
    database: Database
    feed: Feed
    clock: WorldClock
    history_from: int
    panel: Panel

    @cached_property
    def embedded(self) -> Panel:
        """The nine with their embedded engines."""
        return embedded_panel(self.panel.quorum, self.panel.timer)

    @cached_property
    def hourly_bars(self) -> HourlyBars:
        """The hourly bars that this process has read."""
        return HourlyBars()

    @cached_property
    def score_memory(self) -> ScoreMemory:
        """The markets and challenges that this process has read, with their scores."""
        return ScoreMemory()

    @cached_property
    def call_memory(self) -> CallMemory:
        """The calls of apex that this process has read."""
        return CallMemory()

    @cached_property
    def apex_scores(self) -> Memory[Sequence[ResolvedCall], ApexScores]:
        """The scores of apex's calls, of which one is new in four hours."""
        return Memory(score)

    @cached_property
    def apex_thresholds(self) -> Memory[Sequence[Call], Thresholds]:
        """The thresholds of apex's special mode after its calls."""
        return Memory(thresholds_of)

    @cached_property
    def contexts(self) -> Memory[Mapping[str, Bars], dict[str, Context]]:
        """The contexts of hourly bars, without the inputs of headlines, of which new ones may arrive."""
        return Memory(build_all, same_bars)

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
    at or after it, one with rarer slots its latest, and `wanted`, where there is one, returns True. One that
    `needs_history` waits in the live world until the prices have arrived. An attempt is interrupted after
    `time_limit_s`. A failed attempt is repeated after `backoff_s`, then twice that, four times that and so on, with
    jitter, at most ten minutes later; after `attempts` attempts the slot is dead.
    """

    name: str
    schedule: Schedule
    work: Callable[[JobContext, int], Effects]
    clock: Literal["world", "wall"] = "world"
    needs: tuple[str, ...] = ()
    wanted: Callable[[Connection, JobContext], bool] | None = None
    needs_history: bool = True
    time_limit_s: int = 600
    attempts: int = 8
    backoff_s: float = 2.0

    def instant(self, clock: WorldClock, wall: float) -> int:
        """The time of this job's own clock, in seconds, at the wall time `wall`."""
        return clock.at(wall) if self.clock == "world" else int(wall)
