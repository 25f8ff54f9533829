"""The rows of the ledger: each holds the hash of the row before it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from service import canonical

Kind = Literal["question", "votes", "odds", "resolution", "score", "hospital", "lane_trade", "correction"]

# What stands in the first row for the hash of a row before it.
GENESIS = "0" * 64


@dataclass(frozen=True)
class Row:
    """What is to be recorded of `subject`, the id of a market, a strategy or a lane.

    A correction's `body` names in `corrects` the seq of the row that it corrects. `backfilled`: it tells of
    something before the first start.
    """

    kind: Kind
    subject: str
    body: dict[str, Any]
    backfilled: bool


@dataclass(frozen=True)
class Entry:
    """A row as it was recorded, in world time; `hash` is the SHA-256 of the canonical JSON of all its other fields."""

    seq: int
    recorded_at: str
    kind: Kind
    subject: str
    backfilled: bool
    body: dict[str, Any]
    previous: str
    hash: str


def chained(rows: Iterable[Row], recorded_at: str, head: Entry | None) -> Iterator[Entry]:
    """The rows as entries that follow `head`, or that begin a ledger."""
    seq, previous = (head.seq, head.hash) if head else (0, GENESIS)
    for row in rows:
        seq += 1
        told = {"seq": seq, "recorded_at": recorded_at, **vars(row), "previous": previous}
        previous = digest(told)
        yield Entry(**told, hash=previous)


def digest(told: dict[str, Any]) -> str:
    """The hash of an entry from its other fields; ValueError when JSON in UTF-8 cannot hold them."""
    return hashlib.sha256(canonical.write(told).encode()).hexdigest()


def is_whole(entry: Entry) -> bool:
    """Whether the entry is what its hash was made of."""
    return digest({name: value for name, value in vars(entry).items() if name != "hash"}) == entry.hash
