"""The documents that jobs publish, stored as the bytes that the API serves."""

from __future__ import annotations

import gzip
import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from pydantic import TypeAdapter
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
    """`body` as a document with this name, hashed and compressed once instead of at every request."""
    etag = hashlib.sha256(body).hexdigest()[:32]
    return Snapshot(name, as_of, etag, body, gzip.compress(body, 6, mtime=0), zstd.compress(body))


def to_json(document: object) -> bytes:
    """A document, which is a dataclass, as the bytes that are served."""
    return _adapter(type(document)).dump_json(document)


@cache
def _adapter(kind: type) -> TypeAdapter:
    return TypeAdapter(kind)


def publish(db: Connection, as_of: int, documents: Mapping[str, object]) -> None:
    """Store each document, a dataclass or bytes, under its name, unless a later one is stored."""
    for name, document in documents.items():
        save(db, name, as_of, document if isinstance(document, bytes) else to_json(document))


def save(db: Connection, name: str, as_of: int, body: bytes) -> Snapshot:
    """Store `body` as the document with this name, unless a later one is stored."""
    prepared = make(name, as_of, body)
    statement = insert(db, snapshot).values(prepared._asdict())
    newer = {column: statement.excluded[column] for column in Snapshot._fields[1:]}
    db.execute(
        statement.on_conflict_do_update(
            index_elements=[snapshot.c.name], set_=newer, where=snapshot.c.as_of <= statement.excluded.as_of
        )
    )
    return prepared


def latest(db: Connection, name: str) -> Snapshot | None:
    """The document with this name; None before its first publication."""
    row = db.execute(_LATEST, {"name": name}).first()
    return Snapshot(*row) if row else None
