"""What a job is, and what it is handed to work with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection

from service.config import Settings
from service.forecasting.brains import EMBEDDED
from service.forecasting.oracle import Polling, Voter, in_turn, voters
from service.jobs.schedules import Schedule
from service.market.clock import WorldClock
from service.store.database import Database

if TYPE_CHECKING:
    from service.sources.feeds import Feed

Effects = Callable[[Connection], object]


@dataclass(frozen=True)
class Workshop:
    """What every job works with. `history_from` is the unix second, in world time, at which stored history begins.

    `voters` vote on markets and challenges, asked as `polling` does. What is asked every hour and never seen by
    itself, the consensus lane and apex, asks the embedded engines, which cost nothing.
    """

    settings: Settings
    database: Database
    feed: Feed
    clock: WorldClock
    history_from: int
    voters: Sequence[Voter] = field(default_factory=voters)
    polling: Polling = in_turn

    @property
    def at_once(self) -> int:
        """How many questions are put to the voters at the same time: several where most of it is waiting."""
        return 8 if any(voter.engine != EMBEDDED for voter in self.voters) else 1


@dataclass(frozen=True)
class Job:
    """Something the clock makes this service do.

    `work(workshop, slot)` never reads a clock: the slot is its time, and it works everything up to it, so
    slots that were missed collapse into the latest one. It computes with no transaction open and returns
    what is to be written, which is called in one transaction with the mark that the slot is done.

    `clock` says whether slots count in world or in wall seconds. A slot comes up when every job in `needs`
    has done one at or after it and `wanted`, where there is one, sees something to do. After `time_limit_s` a
    try is broken off. A failed try is repeated after `backoff_s`, twice that, four times that, … with jitter, at
    most ten minutes; after `attempts` tries the slot is given up.
    """

    name: str
    schedule: Schedule
    work: Callable[[Workshop, int], Effects]
    clock: Literal["world", "wall"] = "world"
    needs: tuple[str, ...] = ()
    wanted: Callable[[Connection], bool] | None = None
    time_limit_s: int = 600
    attempts: int = 8
    backoff_s: float = 2.0

    def instant(self, clock: WorldClock, wall: float) -> int:
        """The second that this job's own clock shows when the wall shows `wall`."""
        return clock.at(wall) if self.clock == "world" else int(wall)
