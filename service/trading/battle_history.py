"""The history of the lanes: their equity over time and their actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal, TypeVar

import numpy as np

from service.documents import World, percent, usd
from service.market.instants import DAY, HOUR, MINUTE, iso, iso_all
from service.trading.accounts import TERMS
from service.trading.lanes import LANES
from service.trading.lanes.lane import LaneBar, Status, Venue

B = TypeVar("B", bound=tuple[Any, ...])

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
class HistoryPoint(LanePoint):
    """A point of a thinned curve; `drawdown_pct` is the fall from the highest equity of all bars since the start."""

    drawdown_pct: float


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
    points: tuple[HistoryPoint, ...]
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


@dataclass(frozen=True)
class LanePages:
    """A lane's events or its equity, in pages; what precedes `live_since` was computed by the first start.

    `next` is the cursor of the next page, null on the last.
    """

    schema: str
    world: World
    lane: str
    label: str
    live_since: str
    count: int
    next: str | None


@dataclass(frozen=True)
class LaneEventsDocument(LanePages):
    """A page of the trades, harvests and switches of a lane, newest first."""

    events: tuple[HistoryEvent, ...]


@dataclass(frozen=True)
class LaneEquityDocument(LanePages):
    """A page of the equity of a lane at every bar, oldest first."""

    points: tuple[LanePoint, ...]


def events_document(
    name: str, events: Sequence[Mapping[str, Any]], *, live_since: int, world: World, next: str | None
) -> LaneEventsDocument:
    """The page of these events, which are LaneEvents as plain JSON; `live_since` is a unix second."""
    published_events = tuple(_published(event) for event in events)
    header = (world, name, LANES[name].label, iso(live_since), len(published_events), next)
    return LaneEventsDocument("lane-events/1", *header, published_events)


def equity_document(
    name: str, bars: Sequence[LaneBar], *, live_since: int, world: World, next: str | None
) -> LaneEquityDocument:
    """The page of these bars; `live_since` is a unix second."""
    header = (world, name, LANES[name].label, iso(live_since), len(bars), next)
    times = iso_all(np.array([as_of for as_of, *_ in bars], dtype=np.int64))
    points = (LanePoint(time, usd(equity), status) for time, (_, equity, status) in zip(times, bars, strict=True))
    return LaneEquityDocument("lane-equity/1", *header, tuple(points))


def history(
    bars: Mapping[str, Sequence[LaneBar]],
    events: Mapping[str, Sequence[Mapping[str, Any]]],
    peaks: Mapping[str, float],
    *,
    since: int,
    until: int,
    step: int,
    world: World,
) -> BattleHistory:
    """The history of the lanes in `bars`, from their bars and events of the window, oldest first.

    `peaks` has the highest equity in USD of each lane that has bars before the window. `since` and `until` are unix
    seconds, `step` is the length of this world's bars in seconds. Events are LaneEvents as plain JSON.
    """
    ends = [end for curve in bars.values() if curve for end in (curve[0][0], curve[-1][0])]
    cell = spacing(max(ends) - min(ends) if ends else 0, step)
    return BattleHistory(
        schema="bot-battle-history/1",
        as_of=iso(max(ends)) if ends else None,
        world=world,
        since=iso(since),
        until=iso(until),
        bar_s=step,
        step_s=cell,
        lanes=tuple(_lane(name, curve, peaks.get(name, 0.0), cell, events[name]) for name, curve in bars.items()),
    )


def spacing(span: int, step: int) -> int:
    """Seconds between points: `step` if that gives at most MOST_POINTS in `span` seconds, else the next that does."""
    least = span / MOST_POINTS
    if step >= least:
        return step
    return next((length for length in SPACINGS if length >= least and length % step == 0), ceil(least / DAY) * DAY)


def thinned(bars: Iterable[B], step: int) -> list[B]:
    """The last bar of each `step` seconds of UTC, which includes the last bar of all."""
    last_of = {-(-bar[0] // step): bar for bar in bars}
    return list(last_of.values())


def _lane(
    name: str, bars: Sequence[LaneBar], peak: float, step: int, events: Sequence[Mapping[str, Any]]
) -> LaneHistory:
    """A lane with its fall at each point, a fraction of the highest equity so far: the capital, `peak` or a bar."""
    lane, equity = LANES[name], np.array([bar[1] for bar in bars], float)
    peaks = np.maximum.accumulate(np.append(max(peak, TERMS.capital), equity))[1:]
    fall_at = dict(zip((bar[0] for bar in bars), (1 - equity / peaks).tolist(), strict=True))
    return LaneHistory(
        name=name,
        label=lane.label,
        venue=lane.venue,
        initial_capital=usd(TERMS.capital),
        points=tuple(
            HistoryPoint(iso(time), usd(value), status, percent(fall_at[time]))
            for time, value, status in thinned(bars, step)
        ),
        events=tuple(_published(event) for event in events),
    )


def _published(event: Mapping[str, Any]) -> HistoryEvent:
    """A LaneEvent as plain JSON as it is published."""
    pnl_usd = None if event["pnl_usd"] is None else usd(event["pnl_usd"])
    amounts = {"value_usd": usd(event["value_usd"]), "cost_usd": usd(event["cost_usd"]), "pnl_usd": pnl_usd}
    return HistoryEvent(**{**event, **amounts, "time": iso(event["time"]), "price": round(event["price"], 8)})
