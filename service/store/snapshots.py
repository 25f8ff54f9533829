"""The documents that jobs publish, as the bytes that the API serves; prices and exchange rates are read back."""

from __future__ import annotations

import gzip
import hashlib
import sys
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import Connection, bindparam, select

from service.ledger.witness import WitnessDocument
from service.market.prices import NO_RATES, AssetPrice, PricesDocument, Rate, Rates
from service.store.database import insert_into
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


def make_snapshot(name: str, as_of: int, body: bytes) -> Snapshot:
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
        save_snapshot(db, name, as_of, document if isinstance(document, bytes) else to_json(document))


def save_snapshot(db: Connection, name: str, as_of: int, body: bytes) -> Snapshot:
    """Store `body` as the document with this name, unless a later one is stored."""
    row = make_snapshot(name, as_of, body)
    statement = insert_into(db, snapshot).values(row._asdict())
    newer = {column: statement.excluded[column] for column in Snapshot._fields[1:]}
    db.execute(
        statement.on_conflict_do_update(
            index_elements=[snapshot.c.name], set_=newer, where=snapshot.c.as_of <= statement.excluded.as_of
        )
    )
    return row


def latest_snapshot(db: Connection, name: str) -> Snapshot | None:
    """The document with this name; None before its first publication."""
    row = db.execute(_LATEST, {"name": name}).first()
    return Snapshot(*row) if row else None


def names(db: Connection) -> set[str]:
    return set(db.scalars(select(snapshot.c.name)))


_PRICES = TypeAdapter(PricesDocument)


def latest_prices(db: Connection) -> PricesDocument | None:
    """The last published prices; None before the first tick."""
    snapshot = latest_snapshot(db, "prices")
    return read_prices(snapshot) if snapshot else None


@lru_cache(maxsize=2)
def read_prices(snapshot: Snapshot) -> PricesDocument:
    return _PRICES.validate_json(snapshot.body)


def prices_by_asset(document: PricesDocument | None) -> dict[str, AssetPrice]:
    return {price.asset: price for price in document.prices} if document else {}


RATES = "rates"
_RATES = TypeAdapter(dict[str, Rate])


def save_rates(db: Connection, as_of: int, rates: Rates) -> None:
    """Store the rates that were read at the unix second `as_of`, unless later ones are stored."""
    save_snapshot(db, RATES, as_of, _RATES.dump_json(dict(rates)))


def latest_rates(db: Connection) -> Rates:
    """The last stored rates by currency; none before the first run of the job."""
    snapshot = latest_snapshot(db, RATES)
    return _RATES.validate_json(snapshot.body) if snapshot else NO_RATES


WITNESS = "witness"


def latest_witness(db: Connection) -> WitnessDocument | None:
    """What this instance keeps of other ledgers; None where it is no witness."""
    snapshot = latest_snapshot(db, WITNESS)
    return _adapter(WitnessDocument).validate_json(snapshot.body) if snapshot else None
