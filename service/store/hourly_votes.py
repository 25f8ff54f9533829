"""The pool's forecast of each asset at the end of each hour, on which the consensus lane trades."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from service.store.database import insert
from service.store.tables import hourly_vote
from service.trading.lanes import LaneVote


def add(db: Connection, hour: int, votes: dict[str, LaneVote]) -> None:
    """Store the votes at the end of an hour, a world second, unless they are stored already."""
    rows = [{"hour": hour, "asset": asset, **vote._asdict()} for asset, vote in votes.items()]
    if rows:
        db.execute(insert(db, hourly_vote).on_conflict_do_nothing(), rows)


def since(db: Connection, hour: int) -> dict[int, dict[str, LaneVote]]:
    """The votes at the ends of hours from `hour` on, by hour and asset."""
    votes: dict[int, dict[str, LaneVote]] = {}
    for row in db.execute(select(hourly_vote).where(hourly_vote.c.hour >= hour)):
        votes.setdefault(row.hour, {})[row.asset] = LaneVote(row.volatility, row.p_up)
    return votes


def before(db: Connection, hour: int) -> dict[str, LaneVote]:
    """The last vote on each asset that is older than `hour`."""
    last = (
        select(hourly_vote.c.asset, func.max(hourly_vote.c.hour).label("hour"))
        .where(hourly_vote.c.hour < hour)
        .group_by(hourly_vote.c.asset)
        .subquery()
    )
    newest = select(hourly_vote).join(last, (hourly_vote.c.asset == last.c.asset) & (hourly_vote.c.hour == last.c.hour))
    return {row.asset: LaneVote(row.volatility, row.p_up) for row in db.execute(newest)}
