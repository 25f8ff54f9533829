"""What all lanes share: the row that describes one, the moment it is shown, and the events it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from service.errors import NinefoldError
from service.market.bars import Bar
from service.market.instants import HOUR
from service.trading.lanes.readings import Reading
from service.trading.pools import Pool

T = TypeVar("T")

Venue = Literal["cex", "dex"]
Status = Literal["waiting", "in_market", "in_lp", "harvesting", "switching"]


class AlreadySeen(NinefoldError):
    """A lane was shown a bar that it has seen, or one before it; applied again it would trade twice."""

    code = "already_seen"


@dataclass(frozen=True)
class Lane:
    """A row of the table of lanes. Raise `version` when its logic changes."""

    name: str
    label: str
    logic: str
    venue: Venue
    version: int = field(default=1, kw_only=True)

    @property
    def bot_id(self) -> str:
        """Which logic makes the numbers: the name and the version."""
        return f"{self.name}-{self.version}"


@dataclass(frozen=True)
class Event:
    """Something a lane did at the unix second `time`.

    `subject` is the asset or the pool. `value_usd` is what was moved, `cost_usd` what that cost in fees, slippage
    and gas, `pnl_usd` what a closed position made after all its costs (None where none was closed).
    """

    kind: Literal["trade", "harvest", "switch"]
    time: int
    subject: str
    note: str
    price: float
    value_usd: float
    cost_usd: float
    pnl_usd: float | None = None


@dataclass(frozen=True)
class Moment:
    """One bar of the market as every lane is shown it.

    `bars` are those of the instant, by asset; an asset that does not trade is absent. `readings` are of each asset's
    last complete hour, and to be used of assets that have a bar: its hour is not known to be over before. `votes` are
    the oracle's probabilities that an asset costs more in a day, as voted at the end of the last hour; an asset
    nobody voted on is absent. `pools` are those known at this instant. `as_of` is the unix second at which the bars
    are complete, `step` their length in seconds.
    """

    as_of: int
    step: int
    bars: Mapping[str, Bar]
    readings: Mapping[str, Reading]
    votes: Mapping[str, float]
    pools: Mapping[str, Pool]

    @property
    def time(self) -> int:
        """The unix second at which the bars open."""
        return self.as_of - self.step

    def ends_hour(self, since: int) -> bool:
        """Whether an hour has ended since the unix second `since`, the lane's `as_of`."""
        return self.as_of // HOUR > since // HOUR

    def fresh(self, since: int) -> dict[str, Reading]:
        """The readings of hours that ended so: none within an hour, and never any of a closed market."""
        if not self.ends_hour(since):
            return {}
        last = since // HOUR * HOUR
        return {
            asset: reading
            for asset, reading in self.readings.items()
            if asset in self.bars and reading.time + HOUR > last
        }


def changed(state: T, **changes: Any) -> T:
    """A copy of a frozen state with other values; `dataclasses.replace` takes six times as long, at every bar."""
    copy = object.__new__(type(state))
    copy.__dict__.update(state.__dict__, **changes)
    return copy


def refuse_seen(lane: Lane, as_of: int, moment: Moment) -> None:
    """Raise AlreadySeen unless the moment is later than the lane's last bar."""
    if moment.as_of <= as_of:
        raise AlreadySeen(f"lane {lane.name} has seen the bar that ended at {moment.as_of}; its last one is {as_of}")
