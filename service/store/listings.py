"""Listed markets: their pages, their columns for scores, the hourly opinions on them, and the votes of callers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, Connection, Select, case, delete, func, select, tuple_

from service import canonical
from service.forecasting.predictions import Holder, Opinion, Prediction
from service.forecasting.predictions.scores.columns import MarketColumns, columns_of, joined
from service.store import ledger, pages, predictions
from service.store.database import add_rows, is_among, put_rows
from service.store.tables import IS_LISTED, opinion, prediction, user_vote

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
    """Which markets, in which order; None selects all, but challenges only come by their category.

    By deadline the open ones come with the earliest first and all others with the latest first; by creation the newest
    first; by divergence the largest first, and those without one are left out.
    """

    status: MarketStatus = "open"
    asset: str | None = None
    category: str | None = None
    template: str | None = None
    sort: Sort = "deadline"

    @property
    def column(self) -> ColumnElement[Any]:
        """What it is sorted by; numbers of challenges tell those of one second apart."""
        is_numbered = self.category == "challenge" and self.sort == "created"
        return prediction.c.number if is_numbered else _SORTED_BY[self.sort]

    @property
    def is_rising(self) -> bool:
        """Whether the smallest value comes first."""
        return self.status == "open" and self.sort == "deadline"


def market_page(
    db: Connection,
    selection: MarketSelection,
    now: int,
    limit: int,
    *,
    cursor: str | None = None,
    with_votes: bool = True,
) -> tuple[list[Prediction], str | None]:
    """At most `limit` markets from a cursor on, open ones due after `now`, and the cursor of the next page.

    It is None on the last page. Raises InvalidRequest for a cursor of another list.
    """
    keys, scope = market_keys(selection, now), canonical.write(vars(selection))
    ids, following = pages.ids_page(db, scope, keys, limit, cursor, is_rising=selection.is_rising)
    return predictions.find_predictions(db, ids, with_votes=with_votes), following


def market_keys(selection: MarketSelection, now: int) -> Select:
    """The keys of all markets of a selection in its order; an index alone answers it."""
    column = selection.column
    order = (column.asc(), prediction.c.id.asc()) if selection.is_rising else (column.desc(), prediction.c.id.desc())
    query = select(column, prediction.c.id).where(IS_LISTED, *_STATUSES[selection.status]).order_by(*order)
    if selection.status == "open":
        query = query.where(prediction.c.deadline > now)
    if selection.category is None:
        query = query.where(prediction.c.category != "challenge")
    if selection.sort == "divergence":
        query = query.where(prediction.c.divergence.is_not(None))
    for name in ("asset", "category", "template"):
        if value := getattr(selection, name):
            query = query.where(prediction.c[name] == value)
    return query


class Listed(NamedTuple):
    """The settled markets and challenges, whose votes are without reasoning, and the others, as of row `ledger_seq`."""

    settled_columns: MarketColumns
    open_predictions: list[Prediction]
    ledger_seq: int

    def columns(self) -> MarketColumns:
        return joined(self.settled_columns, columns_of(self.open_predictions))


class ListedMarkets:
    """Gives what `predictions.listed` lists, and reads again only what was not settled at the last time."""

    def __init__(self) -> None:
        self._columns = columns_of([])
        self._read_until: int | None = None  # the row of the ledger
        self._lock = Lock()

    def load(self, db: Connection) -> Listed:
        """All markets and challenges; the same object holds the settled ones until another one is settled."""
        with self._lock:
            # In this order, so that one that is settled meanwhile is read twice and not missed.
            open_predictions = predictions.unresolved_predictions(db)
            until = ledger.last_seq(db)
            if self._read_until is None:
                markets = predictions.listed_predictions(db)
            else:
                ids = ledger.subjects(db, "resolution", self._read_until, until)
                markets = predictions.find_predictions(db, ids, with_reasoning=False)
            new = {market.id: market for market in markets if market.settlement and market.category != "answer"}
            if new:
                is_same = np.array([market.id not in new for market in self._columns.market], dtype=bool)
                self._columns = joined(self._columns.where(is_same), columns_of(new.values()))
            self._read_until = until
            settled_ids = {market.id for market in self._columns.market}
            others = [market for market in open_predictions if market.id not in settled_ids]
            return Listed(self._columns, others, until)


OPINIONS_KEPT_S = 30 * 86400  # after the settlement of a market

_VALUES = (opinion.c.at, opinion.c.p, opinion.c.bid, opinion.c.ask)


def add_opinions(db: Connection, holder: Holder, opinions: Mapping[str, Opinion]) -> None:
    """Store an opinion on each of these markets; one of the same hour stays as it is."""
    rows = [{"prediction": id, "holder": holder, **vars(value)} for id, value in opinions.items()]
    add_rows(db, opinion, rows)


def latest_opinions(db: Connection, ids: Sequence[str]) -> dict[str, dict[Holder, Opinion]]:
    """The last opinion of each holder on each of these markets that has one."""
    if not ids:
        return {}
    newest = (
        select(opinion.c.prediction, opinion.c.holder, func.max(opinion.c.at))
        .where(is_among(opinion.c.prediction, ids))
        .group_by(opinion.c.prediction, opinion.c.holder)
    )
    key = tuple_(opinion.c.prediction, opinion.c.holder, opinion.c.at)
    opinions: dict[str, dict[Holder, Opinion]] = defaultdict(dict)
    query = select(opinion.c.prediction, opinion.c.holder, *_VALUES).where(key.in_(newest))
    for id, holder, *values in db.execute(query):
        opinions[id][holder] = Opinion(*values)
    return opinions


def opinion_series(db: Connection, id: str) -> dict[Holder, list[Opinion]]:
    """Every stored opinion on a market by holder, oldest first."""
    opinions: dict[Holder, list[Opinion]] = {"ai": [], "odds": []}
    query = select(opinion.c.holder, *_VALUES).where(opinion.c.prediction == id).order_by(opinion.c.at)
    for holder, *values in db.execute(query):
        opinions[holder].append(Opinion(*values))
    return opinions


def prune_opinions(db: Connection, now: int) -> None:
    """Delete the opinions on markets that were settled 30 days before the world second `now`."""
    ids = (
        select(opinion.c.prediction)
        .join(prediction, prediction.c.id == opinion.c.prediction)
        .where(prediction.c.resolved_at < now - OPINIONS_KEPT_S)
    )
    db.execute(delete(opinion).where(opinion.c.prediction.in_(ids)))


class Tally(NamedTuple):
    """The number of votes for yes and for no."""

    yes: int = 0
    no: int = 0


def cast_vote(db: Connection, market_id: str, caller: str, is_yes: bool, at: int) -> None:
    """Store a caller's vote in place of an earlier one."""
    put_rows(db, user_vote, [{"prediction": market_id, "caller": caller, "is_yes": is_yes, "voted_at": at}])


class OwnVote(NamedTuple):
    """A caller's vote as it counts now."""

    is_yes: bool
    voted_at: int


def find_own_vote(db: Connection, market_id: str, caller: str) -> OwnVote | None:
    is_own = (user_vote.c.prediction == market_id) & (user_vote.c.caller == caller)
    row = db.execute(select(user_vote.c.is_yes, user_vote.c.voted_at).where(is_own)).first()
    return OwnVote(*row) if row else None


def vote_tallies(db: Connection, market_ids: Sequence[str]) -> dict[str, Tally]:
    """The tally of each of these markets that has votes."""
    sums = (func.sum(case((user_vote.c.is_yes == choice, 1), else_=0)) for choice in (True, False))
    query = select(user_vote.c.prediction, *sums).where(is_among(user_vote.c.prediction, market_ids))
    return {id: Tally(*counts) for id, *counts in db.execute(query.group_by(user_vote.c.prediction))}
