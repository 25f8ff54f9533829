"""How the lanes got where they are: what each was worth, and what it did on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

from service.market.clock import World
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.trading.accounts import TERMS
from service.trading.lanes import LANES
from service.trading.lanes.lane import Event, Status, Venue
from service.trading.statements import usd

# A curve has about this many points at most; where there are more bars, those between two points are left out.
MOST_POINTS = 500
SPACINGS = (5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, DAY)

# (as_of, equity, status): what a lane was worth in USD when a bar was complete, a unix second.
PassedBar = tuple[int, float, Status]


@dataclass(frozen=True)
class LanePoint:
    """What a lane was worth when the bar was complete, and what it was doing."""

    time: str
    equity_usd: float
    status: Status


@dataclass(frozen=True)
class LaneEvent:
    """Something a lane did: `subject` is the asset or the pool, `price` in USD.

    `value_usd` is what was moved, `cost_usd` what that cost in fees, slippage and gas, `pnl_usd` what a closed
    position made after all its costs.
    """

    time: str
    kind: Literal["trade", "harvest", "switch"]
    subject: str
    note: str
    price: float
    value_usd: float
    cost_usd: float
    pnl_usd: float | None


@dataclass(frozen=True)
class LaneHistory:
    """One lane in the window, oldest first."""

    name: str
    label: str
    venue: Venue
    initial_capital: float
    points: tuple[LanePoint, ...]
    events: tuple[LaneEvent, ...]


@dataclass(frozen=True)
class BattleHistory:
    """The lanes between two instants; `as_of` is the last bar in it, null where there is none.

    Bars are `bar_s` seconds long. A point is the last bar of each `step_s` seconds of UTC, and the last of all is
    always there: nothing is averaged, and nothing is left out when `step_s` is `bar_s`. All events are told.
    """

    schema: str
    as_of: str | None
    world: World
    since: str
    until: str
    bar_s: int
    step_s: int
    lanes: tuple[LaneHistory, ...]


def history(
    bars: Mapping[str, Sequence[PassedBar]],
    events: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    since: int,
    until: int,
    step: int,
    world: World,
) -> BattleHistory:
    """The history of the lanes that `bars` names, from their bars and events of the window, oldest first.

    `since` and `until` are unix seconds, `step` is the length of this world's bars in seconds. An event is an Event
    as plain JSON.
    """
    ends = [end for passed in bars.values() if passed for end in (passed[0][0], passed[-1][0])]
    spaced = spacing(max(ends) - min(ends) if ends else 0, step)
    return BattleHistory(
        schema="bot-battle-history/1",
        as_of=iso(max(ends)) if ends else None,
        world=world,
        since=iso(since),
        until=iso(until),
        bar_s=step,
        step_s=spaced,
        lanes=tuple(_lane(name, thinned(passed, spaced), events[name]) for name, passed in bars.items()),
    )


def spacing(span: int, step: int) -> int:
    """Seconds between points: the length of a bar if that makes no more than MOST_POINTS in `span`, else enough."""
    least = span / MOST_POINTS
    if step >= least:
        return step
    return next((one for one in SPACINGS if one >= least and one % step == 0), ceil(least / DAY) * DAY)


def thinned(bars: Sequence[PassedBar], step: int) -> list[PassedBar]:
    """The last bar of each cell of `step` seconds that ends at a multiple of them, and so the last of all."""
    last_of = {-(-bar[0] // step): bar for bar in bars}
    return list(last_of.values())


def _lane(name: str, bars: Sequence[PassedBar], events: Sequence[Mapping[str, Any]]) -> LaneHistory:
    lane = LANES[name]
    return LaneHistory(
        name=name,
        label=lane.label,
        venue=lane.venue,
        initial_capital=usd(TERMS.capital),
        points=tuple(LanePoint(iso(as_of), usd(equity), status) for as_of, equity, status in bars),
        events=tuple(_told(Event(**event)) for event in events),
    )


def _told(event: Event) -> LaneEvent:
    return LaneEvent(
        time=iso(event.time),
        kind=event.kind,
        subject=event.subject,
        note=event.note,
        price=round(event.price, 8),
        value_usd=usd(event.value_usd),
        cost_usd=usd(event.cost_usd),
        pnl_usd=None if event.pnl_usd is None else usd(event.pnl_usd),
    )
