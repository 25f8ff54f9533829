"""JSON values by key: contexts, fits, track records, the calls of apex, and the states of lanes and news feeds.

Instants are world seconds. Where a table has an `as_of`, an older value never replaces a newer one.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, func, select

from service import canonical
from service.store import tables
from service.store.database import insert


class PlainTable:
    """A table that holds JSON values in its column `body`; its first column is their key."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._key = key = next(iter(table.c))
        self._find = select(table.c.body).where(key == bindparam("key"))
        self._every = select(key, table.c.body).order_by(key)
        span = key.between(bindparam("since"), bindparam("until"))
        self._newest = select(table.c.body).where(span).order_by(key.desc()).limit(bindparam("most"))
        self._since = select(table.c.body).where(key >= bindparam("since")).order_by(key)
        self._latest = select(table.c.body).order_by(key.desc()).limit(1)
        self._latest_key = select(func.max(key))

    def save(self, db: Connection, key: str | int, body: Any, **columns: Any) -> None:
        """Store a value in place of an earlier one; `columns` are the other columns of the row."""
        row = {self._key.name: key, "body": canonical.write(body), **columns}
        statement = insert(db, self._table).values(row)
        newer = {name: statement.excluded[name] for name in row if name != self._key.name}
        guard = self._table.c.as_of <= statement.excluded.as_of if "as_of" in columns else None
        db.execute(statement.on_conflict_do_update(index_elements=[self._key], set_=newer, where=guard))

    def add(self, db: Connection, key: str | int, body: Any, **columns: Any) -> None:
        """Store a value unless the key already has one."""
        row = {self._key.name: key, "body": canonical.write(body), **columns}
        db.execute(insert(db, self._table).values(row).on_conflict_do_nothing())

    def find(self, db: Connection, key: str | int) -> Any | None:
        """The value of a key; None if it has none."""
        return _read(db.scalar(self._find, {"key": key}))

    def every(self, db: Connection) -> dict[Any, Any]:
        """All values by key, in the order of the keys."""
        return {key: canonical.read(text) for key, text in db.execute(self._every)}

    def newest(self, db: Connection, since: Any, until: Any, limit: int) -> list[Any]:
        """The values of the largest keys from `since` to `until`, at most `limit`, the largest key first."""
        return [
            canonical.read(text) for text in db.scalars(self._newest, {"since": since, "until": until, "most": limit})
        ]

    def since(self, db: Connection, since: Any) -> list[Any]:
        """The values of the keys from `since` on, the smallest key first."""
        return [canonical.read(text) for text in db.scalars(self._since, {"since": since})]

    def latest(self, db: Connection) -> Any | None:
        """The value of the largest key; None in an empty table."""
        return _read(db.scalar(self._latest))

    def latest_key(self, db: Connection) -> Any | None:
        """The largest key, which is cheaper to read than its value."""
        return db.scalar(self._latest_key)

    def keep_newest(self, db: Connection, count: int) -> None:
        """Delete all but the `count` values with the largest keys."""
        newest = select(self._key).order_by(self._key.desc()).offset(count - 1).limit(1)
        db.execute(delete(self._table).where(self._key < newest.scalar_subquery()))


def _read(text: str | None) -> Any | None:
    return None if text is None else canonical.read(text)


contexts = PlainTable(tables.context)  # by asset
fits = PlainTable(tables.fit)  # by the slot of the refit
records = PlainTable(tables.record)  # the only row has the key RECORD
apex_calls = PlainTable(tables.apex_call)  # by the instant of the call
lane_states = PlainTable(tables.lane)  # by lane
price_books = PlainTable(tables.price_book)  # by the name of the book
feed_states = PlainTable(tables.news_feed)  # by address
coin_lists = PlainTable(tables.coin_list)  # the only row has the key COIN_LIST

RECORD = 1
COIN_LIST = 1
