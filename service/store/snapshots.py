"""The documents that jobs publish, as the bytes that the API serves; prices and exchange rates are read back."""

from __future__ import annotations

import gzip
import hashlib
import sys
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection, bindparam, select

from service.documents import adapter
from service.market.prices import NO_RATES, AssetPrice, PricesDocument, Rate, Rates
from service.store.database import put_rows
from service.store.tables import snapshot

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

T = TypeVar("T")

_LATEST = select(snapshot).where(snapshot.c.name == bindparam("name"))


class Snapshot(NamedTuple):
    """A document: `as_of` is the world second it describes, `etag` a digest of `body` without quotes."""

    name: str
    as_of: int
    etag: str
    body: bytes
    gzip: bytes
    zstd: bytes


def make_snapshot(name: str, as_of: int, body: bytes) -> Snapshot:
    """`body` as a document with this name, hashed and compressed once instead of at every request."""
    etag = hashlib.sha256(body).hexdigest()[:32]
    return Snapshot(name, as_of, etag, body, gzip.compress(body, 6, mtime=0), zstd.compress(body))


def to_json(document: object) -> bytes:
    """A document, which is a dataclass or a dict of them, as the bytes that are served."""
    return adapter(type(document)).dump_json(document)


def publish(db: Connection, as_of: int, documents: Mapping[str, object]) -> None:
    """Store each document, a dataclass, a dict or bytes, under its name, unless a later one is stored."""
    for name, document in documents.items():
        row = make_snapshot(name, as_of, document if isinstance(document, bytes) else to_json(document))
        put_rows(db, snapshot, [row._asdict()], is_dated=True)


def latest_snapshot(db: Connection, name: str) -> Snapshot | None:
    """The document with this name; None before its first publication."""
    row = db.execute(_LATEST, {"name": name}).first()
    return Snapshot(*row) if row else None


def find_document(db: Connection, name: str, kind: type[T]) -> T | None:
    """The document with this name as a value of its kind; None before its first publication."""
    snapshot = latest_snapshot(db, name)
    return adapter(kind).validate_json(snapshot.body) if snapshot else None


def unequal_copies(db: Connection) -> Iterator[str]:
    """The names of documents whose compressed bytes, which are served too, are not those of the body."""
    for row in map(Snapshot._make, db.execute(select(snapshot).order_by(snapshot.c.name))):
        try:
            copies = {gzip.decompress(row.gzip), zstd.decompress(row.zstd)}
        except (OSError, EOFError, zlib.error, zstd.ZstdError):
            copies = set()
        if copies != {row.body}:
            yield row.name


def names(db: Connection) -> set[str]:
    return set(db.scalars(select(snapshot.c.name)))


def latest_prices(db: Connection) -> PricesDocument | None:
    """The last published prices; None before the first tick."""
    snapshot = latest_snapshot(db, "prices")
    return read_prices(snapshot) if snapshot else None


@lru_cache(maxsize=2)
def read_prices(snapshot: Snapshot) -> PricesDocument:
    return adapter(PricesDocument).validate_json(snapshot.body)


def prices_by_asset(document: PricesDocument | None) -> dict[str, AssetPrice]:
    return {price.asset: price for price in document.prices} if document else {}


RATES, WITNESS = "rates", "witness"  # names of documents


def latest_rates(db: Connection) -> Rates:
    """The last stored rates by currency; none before the first run of the job."""
    return find_document(db, RATES, dict[str, Rate]) or NO_RATES
