"""JSON values by key, and cursors, which say where a page of a list ends."""

from __future__ import annotations

import json
import math
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, select, true, tuple_

from service import canonical
from service.errors import FieldError, InvalidRequest
from service.store import tables
from service.store.database import add_rows, put_rows

LONGEST_CURSOR = 256
ID = re.compile("[!-~]{1,96}")  # PostgreSQL takes no NUL in a text


class PageKey(NamedTuple):
    """The place of a row in the order of a list: the value it is sorted by, and its id."""

    value: int | float
    id: str


def write_cursor(scope: str, key: PageKey) -> str:
    """The cursor after a row; `scope` names the list with everything that selects and sorts it."""
    text = json.dumps([_digest(scope), *key], separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(scope: str, cursor: str) -> PageKey:
    """The key in a cursor of the same list; raises InvalidRequest for any other text."""
    try:
        digest, value, id = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError):
        raise _invalid() from None
    is_number = type(value) in (int, float) and math.isfinite(value) and abs(value) < 2**63
    if digest != _digest(scope) or not is_number or not (isinstance(id, str) and ID.fullmatch(id)):
        raise _invalid()
    return PageKey(value, id)


def ids_page(
    db: Connection, scope: str, query: Select, limit: int, cursor: str | None, *, is_rising: bool = False
) -> tuple[list[str], str | None]:
    """The ids of at most `limit` rows of a list from a cursor on, and the cursor of the next page, None on the last.

    `query` selects the value and the id of each row, and sorts by them; InvalidRequest for a cursor of another list.
    """
    if cursor is not None:
        place, after = tuple_(*query.selected_columns), read_cursor(scope, cursor)
        query = query.where(place > after if is_rising else place < after)
    keys = [PageKey(*row) for row in db.execute(query.limit(limit + 1))]
    following = write_cursor(scope, keys[limit - 1]) if len(keys) > limit else None
    return [key.id for key in keys[:limit]], following


def _digest(scope: str) -> str:
    return sha256(scope.encode()).hexdigest()[:8]


def _invalid() -> InvalidRequest:
    message = "must be the `next` of a page of the same list: same filters, same order"
    return InvalidRequest("The cursor is not valid.", [FieldError("cursor", message)])


class PlainTable:
    """A table that holds JSON values in its column `body`; its first column is their key."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._key = next(iter(table.c))

    def save(self, db: Connection, key: str | int, body: Any, **columns: Any) -> None:
        """Store a value in place of an earlier one; `columns` are the other columns of the row."""
        put_rows(db, self._table, self._rows(key, body, columns), is_dated="as_of" in columns)

    def add(self, db: Connection, key: str | int, body: Any, **columns: Any) -> None:
        """Store a value unless the key already has one."""
        add_rows(db, self._table, self._rows(key, body, columns))

    def find(self, db: Connection, key: str | int) -> Any | None:
        return next(self._values(db, self._key == key), None)

    def every(self, db: Connection) -> dict[Any, Any]:
        """All values by key, in the order of the keys."""
        rows = db.execute(select(self._key, self._table.c.body).order_by(self._key))
        return {key: canonical.read(text) for key, text in rows}

    def newest(self, db: Connection, since: Any, until: Any, limit: int) -> list[Any]:
        """The values of the largest keys from `since` to `until`, at most `limit`, the largest key first."""
        return list(self._values(db, self._key.between(since, until), is_falling=True, limit=limit))

    def since(self, db: Connection, since: Any) -> list[Any]:
        """The values of the keys from `since` on, the smallest key first."""
        return list(self._values(db, self._key >= since))

    def latest(self, db: Connection) -> Any | None:
        """The value of the largest key; None in an empty table."""
        return next(self._values(db, true(), is_falling=True, limit=1), None)

    def latest_key(self, db: Connection) -> Any | None:
        """The largest key, which is cheaper to read than its value."""
        return db.scalar(select(func.max(self._key)))

    def keep_newest(self, db: Connection, count: int) -> None:
        """Delete all but the `count` values with the largest keys."""
        newest = select(self._key).order_by(self._key.desc()).offset(count - 1).limit(1)
        db.execute(delete(self._table).where(self._key < newest.scalar_subquery()))

    def _rows(self, key: str | int, body: Any, columns: dict[str, Any]) -> list[dict[str, Any]]:
        return [{self._key.name: key, "body": canonical.write(body), **columns}]

    def _values(
        self, db: Connection, condition: ColumnElement[bool], *, is_falling: bool = False, limit: int | None = None
    ) -> Iterator[Any]:
        order = self._key.desc() if is_falling else self._key
        query = select(self._table.c.body).where(condition).order_by(order).limit(limit)
        return map(canonical.read, db.scalars(query).all())


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
