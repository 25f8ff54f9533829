"""The inputs of the voters at each committed vote, stored once under the hash that the ledger holds."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, Select, select, tuple_

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import VoteInputs
from service.store.cursors import PageKey
from service.store.database import insert
from service.store.tables import vote_input

_COLUMNS = (vote_input.c.hash, vote_input.c.voted_at, vote_input.c.asset, vote_input.c.body)
_KEY = (vote_input.c.voted_at, vote_input.c.hash)


def add(db: Connection, voted: Iterable[Prediction]) -> None:
    """Store the inputs of new commitments; those of an earlier vote stay as they are."""
    rows = {
        commitment.features: {
            "hash": commitment.features,
            "voted_at": commitment.voted_at,
            "asset": prediction.question.asset,
            "body": commitment.inputs,
        }
        for prediction in sorted(voted, key=lambda prediction: prediction.voted_at, reverse=True)
        if (commitment := prediction.commitment) and commitment.inputs
    }
    if rows:
        db.execute(insert(db, vote_input).on_conflict_do_nothing(), list(rows.values()))


def find(db: Connection, hash: str) -> VoteInputs | None:
    """The inputs with this hash; None if there are none."""
    row = db.execute(select(*_COLUMNS).where(vote_input.c.hash == hash)).first()
    return VoteInputs(*row) if row else None


def page(
    db: Connection, asset: str | None, since: int, until: int, limit: int, after: PageKey | None = None
) -> list[VoteInputs]:
    """The inputs of votes between two world seconds, both included, the oldest first; None is every asset.

    `after` is the key of the last one of the page before: the instant of the votes, and the hash.
    """
    return [VoteInputs(*row) for row in db.execute(rows_of(asset, since, until, after).limit(limit))]


def rows_of(asset: str | None, since: int, until: int, after: PageKey | None) -> Select:
    """What `page` reads, without its limit, in the order of an index."""
    if after is not None:
        since = max(since, int(after.value))
    query = select(*_COLUMNS).where(vote_input.c.voted_at.between(since, until))
    if asset is not None:
        query = query.where(vote_input.c.asset == asset)
    if after is not None:
        query = query.where(tuple_(*_KEY) > (int(after.value), after.id))
    return query.order_by(*_KEY)
