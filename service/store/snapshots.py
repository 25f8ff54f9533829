"""Documents made by the clock, stored as the bytes that are served."""

from __future__ import annotations

import gzip
import hashlib
import sys
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from service.store.database import insert
from service.store.tables import snapshot

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LATEST = select(snapshot).where(snapshot.c.name == bindparam("name"))


class Snapshot(NamedTuple):
    """A document: `as_of` is the world second it describes, `etag` a digest of `body` without quotes."""

    name: str
    as_of: int
    etag: str
    body: bytes
    gzip: bytes
    zstd: bytes


def make(name: str, as_of: int, body: bytes) -> Snapshot:
    """`body` as a document of that name, hashed and compressed once for every time that it is served."""
    etag = hashlib.sha256(body).hexdigest()[:32]
    return Snapshot(name, as_of, etag, body, gzip.compress(body, 6, mtime=0), zstd.compress(body))


def save(db: Connection, name: str, as_of: int, body: bytes) -> Snapshot:
    """Store `body` as the document of that name, unless a later one is there."""
    made = make(name, as_of, body)
    statement = insert(db, snapshot).values(made._asdict())
    newer = {column: statement.excluded[column] for column in Snapshot._fields[1:]}
    db.execute(
        statement.on_conflict_do_update(
            index_elements=[snapshot.c.name], set_=newer, where=snapshot.c.as_of <= statement.excluded.as_of
        )
    )
    return made


def latest(db: Connection, name: str) -> Snapshot | None:
    """The document of that name; None before it was made for the first time."""
    row = db.execute(_LATEST, {"name": name}).first()
    return Snapshot(*row) if row else None
