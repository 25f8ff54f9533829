"""The hourly opinions on open markets: P(YES) of the voters' pool and of the outside market, never scored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, func, select, tuple_

from service.forecasting.predictions import Holder, Opinion
from service.store.database import insert
from service.store.membership import is_among
from service.store.tables import opinion, prediction

KEPT_S = 30 * 86400  # after the settlement of a market

_VALUES = (opinion.c.at, opinion.c.p, opinion.c.bid, opinion.c.ask)
_SERIES = select(opinion.c.holder, *_VALUES).where(opinion.c.prediction == bindparam("id")).order_by(opinion.c.at)


def add(db: Connection, holder: Holder, opinions: Mapping[str, Opinion]) -> None:
    """Store an opinion on each of these markets; one of the same hour stays as it is."""
    rows = [{"prediction": id, "holder": holder, **vars(held)} for id, held in opinions.items()]
    if rows:
        db.execute(insert(db, opinion).on_conflict_do_nothing(), rows)


def latest(db: Connection, ids: Sequence[str]) -> dict[str, dict[Holder, Opinion]]:
    """The last opinion of each holder on each of these markets that has one."""
    if not ids:
        return {}
    newest = (
        select(opinion.c.prediction, opinion.c.holder, func.max(opinion.c.at))
        .where(is_among(opinion.c.prediction, ids))
        .group_by(opinion.c.prediction, opinion.c.holder)
    )
    key = tuple_(opinion.c.prediction, opinion.c.holder, opinion.c.at)
    held: dict[str, dict[Holder, Opinion]] = defaultdict(dict)
    for id, holder, *values in db.execute(
        select(opinion.c.prediction, opinion.c.holder, *_VALUES).where(key.in_(newest))
    ):
        held[id][holder] = Opinion(*values)
    return held


def series(db: Connection, id: str) -> dict[Holder, list[Opinion]]:
    """Every stored opinion on a market by holder, oldest first."""
    held: dict[Holder, list[Opinion]] = {"ai": [], "odds": []}
    for holder, *values in db.execute(_SERIES, {"id": id}):
        held[holder].append(Opinion(*values))
    return held


def prune(db: Connection, now: int) -> None:
    """Delete the opinions on markets that were settled 30 days before the world second `now`."""
    expired = (
        select(opinion.c.prediction)
        .join(prediction, prediction.c.id == opinion.c.prediction)
        .where(prediction.c.resolved_at < now - KEPT_S)
    )
    db.execute(delete(opinion).where(opinion.c.prediction.in_(expired)))
