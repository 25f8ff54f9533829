"""The history of the lanes: their equity over time and their actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

from service.documents import World
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.trading.accounts import TERMS
from service.trading.lanes import LANES, LaneBar
from service.trading.lanes.lane import LaneEvent, Status, Venue
from service.trading.statements import usd

# The approximate maximum of points in a curve; where there are more bars, those between two points are left out.
MOST_POINTS = 500
SPACINGS = (5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, DAY)


@dataclass(frozen=True)
class LanePoint:
    """The equity and the status of a lane when a bar was complete."""

    time: str
    equity_usd: float
    status: Status


@dataclass(frozen=True)
class HistoryEvent:
    """An action of a lane: `subject` is the asset or the pool, `price` in USD.

    `value_usd` is the amount moved, `cost_usd` its cost in fees, slippage and gas, `pnl_usd` the result of a closed
    position after all costs.
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
    events: tuple[HistoryEvent, ...]


@dataclass(frozen=True)
class BattleHistory:
    """The lanes between two instants; `as_of` is the end of the last bar in it, null without a bar.

    Bars are `bar_s` seconds long. The points are the last bar of each `step_s` seconds of UTC and the last bar of all.
    Nothing is averaged, and when `step_s` equals `bar_s` every bar is a point. All events are included.
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
    bars: Mapping[str, Sequence[LaneBar]],
    events: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    since: int,
    until: int,
    step: int,
    world: World,
) -> BattleHistory:
    """The history of the lanes in `bars`, from their bars and events of the window, oldest first.

    `since` and `until` are unix seconds, `step` is the length of this world's bars in seconds. Events are LaneEvents
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
    """Seconds between points: `step` if that gives at most MOST_POINTS in `span` seconds, else the next that does."""
    least = span / MOST_POINTS
    if step >= least:
        return step
    return next((each for each in SPACINGS if each >= least and each % step == 0), ceil(least / DAY) * DAY)


def thinned(bars: Sequence[LaneBar], step: int) -> list[LaneBar]:
    """The last bar of each `step` seconds of UTC, which includes the last bar of all."""
    last_of = {-(-bar[0] // step): bar for bar in bars}
    return list(last_of.values())


def _lane(name: str, bars: Sequence[LaneBar], events: Sequence[Mapping[str, Any]]) -> LaneHistory:
    lane = LANES[name]
    return LaneHistory(
        name=name,
        label=lane.label,
        venue=lane.venue,
        initial_capital=usd(TERMS.capital),
        points=tuple(LanePoint(iso(as_of), usd(equity), status) for as_of, equity, status in bars),
        events=tuple(_published(LaneEvent(**event)) for event in events),
    )


def _published(event: LaneEvent) -> HistoryEvent:
    return HistoryEvent(
        time=iso(event.time),
        kind=event.kind,
        subject=event.subject,
        note=event.note,
        price=round(event.price, 8),
        value_usd=usd(event.value_usd),
        cost_usd=usd(event.cost_usd),
        pnl_usd=None if event.pnl_usd is None else usd(event.pnl_usd),
    )
