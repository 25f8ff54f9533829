"""The lanes: their state after the last bar, their equity at every bar, their events, and the votes they trade on.

Instants are world seconds; a bar is identified by the instant at which it was complete. A state and the bars that led
to it are written in one transaction. No bar is written twice: a second writer violates the primary key, and its
transaction is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, tuple_

from service import canonical
from service.market.instants import DAY, HOUR
from service.store.database import add_rows, insert_tuples
from service.store.pages import PageKey, lane_states
from service.store.tables import hourly_vote, lane, lane_bar, lane_event
from service.trading.lanes.lane import LaneBar, LaneVote

THINNED_S = 30 * DAY  # thinned at a time

_PLACE = (lane_event.c.time, lane_event.c.place)
# More than the events of a lane at one instant; the value of a key is the instant times this, plus the place.
_PLACES = 1_000


def advance_lane(
    db: Connection, name: str, body: dict[str, Any], bars: Iterable[LaneBar], events: Iterable[dict[str, Any]]
) -> None:
    """Store the state after new bars, the bars, and events with their `time`; IntegrityError if a bar is stored."""
    rows = [(name, *bar) for bar in bars]
    if not rows:
        return
    insert_tuples(db, lane_bar, rows)
    # Numbered within their instant, so that the number of bars in one call does not matter.
    event_rows = [
        {"lane": name, "time": instant, "place": place, "body": canonical.write(event)}
        for instant, group in groupby(events, itemgetter("time"))
        for place, event in enumerate(group)
    ]
    if event_rows:
        db.execute(insert(lane_event), event_rows)
    lane_states.save(db, name, body, as_of=rows[-1][1])


def lane_bars(db: Connection, name: str, since: int, until: int, limit: int) -> list[LaneBar]:
    """The bars of a lane that were complete between two instants, both included, oldest first."""
    query = select(lane_bar.c.as_of, lane_bar.c.equity, lane_bar.c.status).order_by(lane_bar.c.as_of).limit(limit)
    rows = db.execute(query.where(lane_bar.c.lane == name, lane_bar.c.as_of.between(since, until)))
    return [LaneBar(*row) for row in rows]


def thin_lane_bars(db: Connection, before: int) -> int:
    """Keep of the bars that were complete before a world second those of full hours; returns how many were deleted.

    The bars of all lanes are those of the feed, so without this they would soon be most of the database. It goes back
    by months, to the first one that has bars of full hours alone.
    """
    total, until, as_of = 0, before, lane_bar.c.as_of
    while True:
        since = until - THINNED_S
        is_between_hours = (as_of >= since) & (as_of < until) & (as_of % HOUR != 0)
        count = db.execute(delete(lane_bar).where(lane_bar.c.lane.in_(select(lane.c.name)), is_between_hours)).rowcount
        last_of_lane = select(func.max(as_of)).where(lane_bar.c.lane == lane.c.name, as_of < until).correlate(lane)
        total, last = total + count, db.scalar(select(func.max(last_of_lane.scalar_subquery())).select_from(lane))
        if last is None or (last >= since and not count):
            return total
        until = min(since, last + 1)


def equity_peaks(db: Connection, names: Iterable[str], until: int) -> dict[str, float]:
    """The highest equity in USD of each lane that has bars before the instant `until`."""
    query = select(lane_bar.c.lane, func.max(lane_bar.c.equity).label("peak")).group_by(lane_bar.c.lane)
    rows = db.execute(query.where(lane_bar.c.lane.in_(list(names)), lane_bar.c.as_of < until))
    return {row.lane: row.peak for row in rows}


def newest_events(
    db: Connection, name: str, since: int, until: int, limit: int, after: PageKey | None = None
) -> list[tuple[PageKey, dict[str, Any]]]:
    """The events of a lane between two instants, both included, newest first, with their keys.

    They begin after the key `after`, exclusive: that of the last event of the page before.
    """
    query = _events(name, since, until).order_by(*(column.desc() for column in _PLACE)).limit(limit)
    if after is not None:
        query = query.where(tuple_(*_PLACE) < divmod(int(after.value), _PLACES))
    rows = db.execute(query)
    return [(PageKey(time * _PLACES + place, name), canonical.read(body)) for time, place, body in rows]


def lane_events(db: Connection, name: str, since: int, until: int, limit: int) -> list[dict[str, Any]]:
    """The events of a lane between two instants, both included, oldest first."""
    rows = db.execute(_events(name, since, until).order_by(*_PLACE).limit(limit))
    return [canonical.read(row.body) for row in rows]


def _events(name: str, since: int, until: int) -> Select:
    is_in_span = lane_event.c.time.between(since, until)
    return select(*_PLACE, lane_event.c.body).where(lane_event.c.lane == name, is_in_span)


def add_hourly_votes(db: Connection, hour: int, votes: dict[str, LaneVote]) -> None:
    """Store the votes at the end of an hour, a world second, unless they are stored already."""
    rows = [{"hour": hour, "asset": asset, **vote._asdict()} for asset, vote in votes.items()]
    add_rows(db, hourly_vote, rows)


def hourly_votes_since(db: Connection, hour: int) -> dict[int, dict[str, LaneVote]]:
    """The votes at the ends of hours from `hour` on, by hour and asset."""
    votes: dict[int, dict[str, LaneVote]] = {}
    for row in db.execute(select(hourly_vote).where(hourly_vote.c.hour >= hour)):
        votes.setdefault(row.hour, {})[row.asset] = LaneVote(row.volatility, row.p_up)
    return votes


def hourly_votes_before(db: Connection, hour: int) -> dict[str, LaneVote]:
    """The last vote on each asset that is older than `hour`."""
    last = (
        select(hourly_vote.c.asset, func.max(hourly_vote.c.hour).label("hour"))
        .where(hourly_vote.c.hour < hour)
        .group_by(hourly_vote.c.asset)
        .subquery()
    )
    newest = select(hourly_vote).join(last, (hourly_vote.c.asset == last.c.asset) & (hourly_vote.c.hour == last.c.hour))
    return {row.asset: LaneVote(row.volatility, row.p_up) for row in db.execute(newest)}
