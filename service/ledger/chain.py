"""The rows of the ledger, each of which contains the hash of the previous one, and their lines in an export.

An earlier version could take a world back to a backup: what was recorded since stays, and corrections take it back.

    correction  {"corrects": SEQ, "note": TEXT, "rewound_to": INSTANT}

Each is recorded at the instant that it names, which may be earlier than that of the row before it. Together they take
back the rows after the backup, the last one first and without a gap. What was taken back stays visible.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

import rfc8785

from service import canonical

Kind = Literal[
    "question",
    "votes",
    "odds",
    "resolution",
    "score",
    "answer",
    "hospital",
    "lane_trade",
    "price_forecast",
    "apex",
    "consensus",
    "name",
    "forecast",
    "reveal",
    "correction",
    "handover",
]

FORM = "rfc8785"
# The previous hash of the first row.
GENESIS = "0" * 64


@dataclass(frozen=True)
class LedgerRow:
    """A row to be recorded about `subject`: the id of a market, answer, strategy, lane, asset, forecaster or hour.

    An `answer` row says that an answer of the oracle was settled; neither its question nor its author is in the ledger.
    The `body` of a correction contains in `corrects` the seq of the corrected row; a `handover` names the key that
    signs the roots from then on. `backfilled`: the row is about a time before the first start.
    """

    kind: Kind
    subject: str
    body: dict[str, Any]
    backfilled: bool


@dataclass(frozen=True)
class ChainEntry:
    """A recorded row, in world time; `hash` is the SHA-256 of the JSON of all other fields in the form `form`.

    That is `rfc8785`. Rows of the first versions have no form, null here and no field of what is hashed: sorted names,
    no spaces, numbers as Python writes them, unescaped text in UTF-8.
    """

    seq: int
    recorded_at: str
    kind: Kind
    subject: str
    backfilled: bool
    body: dict[str, Any]
    previous: str
    hash: str
    form: str | None = None


def chained(rows: Iterable[LedgerRow], recorded_at: str, head: ChainEntry | None) -> Iterator[ChainEntry]:
    """The rows as entries that follow `head`, or the first entries of a ledger; instants in their bodies become ISO."""
    first_seq, hash_before = (head.seq + 1, head.hash) if head else (1, GENESIS)
    for seq, row in enumerate(rows, first_seq):
        body = with_iso_instants(row.body)
        entry = ChainEntry(seq, recorded_at, row.kind, row.subject, row.backfilled, body, hash_before, "", FORM)
        hash_before = hash_of(entry)
        yield replace(entry, hash=hash_before)


def digest(value: Any, form: str | None = FORM) -> str:
    """The SHA-256 of JSON in a form. Raises ValueError when JSON in UTF-8 cannot represent it."""
    return hashlib.sha256(text(value, form).encode()).hexdigest()


def text(value: Any, form: str | None = FORM) -> str:
    """JSON in the form of RFC 8785, or in that of the first versions, which has no name.

    They differ in numbers alone: 95.0 and 5.4e-05 are 95 and 0.000054 in RFC 8785.
    """
    if form is None:
        return canonical.write(value)
    if form != FORM:
        raise ValueError(f"unknown form {form}")
    return rfc8785.dumps(value).decode()


def line(type_: str, fields: Mapping[str, Any]) -> str:
    """A row or a root as a line of an export, without the line end."""
    form = fields.get("form") if type_ == "row" else FORM
    return text({"type": type_, **_without_null_form(fields)}, form)


def hash_of(entry: ChainEntry) -> str:
    """The hash that follows from the other fields of the entry."""
    return hashlib.sha256(hashed_text(entry).encode()).hexdigest()


def is_whole(entry: ChainEntry) -> bool:
    """Whether the hash of the entry matches its other fields."""
    return hash_of(entry) == entry.hash


def hashed_text(entry: ChainEntry) -> str:
    """The text whose hash is that of the entry."""
    return text({name: value for name, value in _without_null_form(vars(entry)).items() if name != "hash"}, entry.form)


def _without_null_form(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "form" or value is not None}


# The fields of bodies that hold unix seconds where the rows are made.
FIELDS = frozenset(
    ("created_at", "closes_at", "deadline", "voted_at", "as_of", "fitted_at", "fetched_at", "resolved_at", "at", "time")
)


def with_iso_instants(body: dict[str, Any]) -> dict[str, Any]:
    """The body with its unix seconds as `2026-12-31T23:59:59Z`, in nested objects too."""
    return {name: _value(name, value) for name, value in body.items()}


def instant_of(value: int | str) -> datetime:
    """The instant in a body, as it was written by any version."""
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int) else datetime.fromisoformat(value)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return with_iso_instants(value)
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict):
        return [with_iso_instants(item) for item in value]
    if name in FIELDS and isinstance(value, int):
        return instant_of(value).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


# What no rewind takes back: a new signing key, and corrections.
NEVER_TAKEN_BACK: tuple[Kind, ...] = ("handover", "correction")


def is_rewinding(entry: ChainEntry) -> bool:
    """Whether the row takes back another one, and may be recorded earlier than the one before it."""
    return entry.kind == "correction" and entry.body.get("rewound_to") == entry.recorded_at


def taken_back(entries: Iterable[ChainEntry]) -> set[int]:
    """The numbers of the rows that these entries take back."""
    return {entry.body["corrects"] for entry in entries if is_rewinding(entry)}


@dataclass
class RewindCheck:
    """How many rows were taken back by the rows read so far, in how many `rewinds`, and the earliest instant of them.

    `standing` are the number and the instant of each row that can be taken back; `instant` is that of a rewind which
    the next row may continue.
    """

    taken_back: int = 0
    rewinds: int = 0
    earliest: str | None = None
    standing: list[tuple[int, str]] = field(default_factory=list)
    instant: str | None = None

    def add(self, entry: ChainEntry) -> str | None:
        """Read the next row; returns its fault as a sentence."""
        if is_rewinding(entry):
            return self._take_back(entry)
        fault = self.finish()
        if entry.kind not in NEVER_TAKEN_BACK:
            self.standing.append((entry.seq, entry.recorded_at))
        return fault

    def finish(self) -> str | None:
        """The fault of a rewind that goes back to before a row which it leaves standing."""
        instant, self.instant = self.instant, None
        if instant is not None and self.standing and self.standing[-1][1] > instant:
            return f"The world was taken back to {instant}, before row {self.standing[-1][0]}, which stands."
        return None

    def _take_back(self, entry: ChainEntry) -> str | None:
        if self.instant != entry.recorded_at:
            if fault := self.finish():
                return fault
            self.instant, self.rewinds = entry.recorded_at, self.rewinds + 1
        seq, instant = self.standing.pop() if self.standing else (None, "")
        if seq is None or seq != entry.body.get("corrects"):
            return f"Row {entry.seq} takes back row {entry.body.get('corrects')!r}, which is not the last that stands."
        self.taken_back += 1
        self.earliest = min(self.earliest or instant, instant)
        return None
