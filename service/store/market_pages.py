"""Pages of markets: selected, sorted and continued at a key, so that the last page costs what the first one costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, TextClause, func, select, tuple_

from service import canonical
from service.forecasting.predictions import Prediction
from service.store import cursors, predictions
from service.store.cursors import PageKey
from service.store.tables import IS_MARKET, prediction

MarketStatus = Literal["open", "resolved", "void", "all"]
Sort = Literal["deadline", "created", "divergence"]

_SORTED_BY = {
    "deadline": prediction.c.deadline,
    "created": prediction.c.created_at,
    "divergence": prediction.c.divergence,
}
# An expression keeps SQLite from the index by outcome, from which it would sort every settled market.
_OUTCOME = func.coalesce(prediction.c.outcome, "")
_STATUSES: dict[MarketStatus, tuple[ColumnElement[bool], ...]] = {
    "open": (prediction.c.outcome.is_(None),),
    "resolved": (_OUTCOME.in_(("yes", "no")),),
    "void": (_OUTCOME == "void",),
    "all": (),
}


@dataclass(frozen=True)
class MarketSelection:
    """Which markets, in which order; None selects all.

    By deadline the open ones come with the earliest first and all others with the latest first; by creation the newest
    first; by divergence the largest first, and those without one are left out.
    """

    status: MarketStatus = "open"
    asset: str | None = None
    category: str | None = None
    template: str | None = None
    sort: Sort = "deadline"

    @property
    def scope(self) -> str:
        """The name of this list for its cursors."""
        return canonical.write(vars(self))

    @property
    def is_rising(self) -> bool:
        """Whether the smallest value comes first."""
        return self.status == "open" and self.sort == "deadline"


class MarketPage(NamedTuple):
    """The markets of a page, and the cursor of the next one; None on the last."""

    markets: list[Prediction]
    following: str | None


def page(
    db: Connection,
    selection: MarketSelection,
    now: int,
    limit: int,
    *,
    cursor: str | None = None,
    with_votes: bool = True,
) -> MarketPage:
    """At most `limit` markets of a selection from a cursor on; open are those with a deadline after `now`.

    Raises InvalidRequest for a cursor of another list.
    """
    query = keys_of(selection, now).limit(limit + 1)
    if cursor is not None:
        place, after = tuple_(_SORTED_BY[selection.sort], prediction.c.id), cursors.read(selection.scope, cursor)
        query = query.where(place > after if selection.is_rising else place < after)
    keys = [PageKey(*row) for row in db.execute(query)]
    markets = predictions.by_ids(db, [key.id for key in keys[:limit]], with_votes=with_votes)
    return MarketPage(markets, cursors.following(selection.scope, keys, limit))


def keys_of(selection: MarketSelection, now: int) -> Select:
    """The keys of all markets of a selection in its order; an index alone answers it."""
    column = _SORTED_BY[selection.sort]
    order = (column.asc(), prediction.c.id.asc()) if selection.is_rising else (column.desc(), prediction.c.id.desc())
    return select(column, prediction.c.id).where(*_conditions(selection, now)).order_by(*order)


def _conditions(selection: MarketSelection, now: int) -> list[ColumnElement[bool] | TextClause]:
    conditions: list[ColumnElement[bool] | TextClause] = [IS_MARKET, *_STATUSES[selection.status]]
    if selection.status == "open":
        conditions.append(prediction.c.deadline > now)
    if selection.sort == "divergence":
        conditions.append(prediction.c.divergence.is_not(None))
    for name in ("asset", "category", "template"):
        if value := getattr(selection, name):
            conditions.append(prediction.c[name] == value)
    return conditions
