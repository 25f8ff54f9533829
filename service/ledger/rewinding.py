"""A world that was taken back to a backup: what was recorded since stays in the ledger, and corrections take it back.

    correction  {"corrects": SEQ, "note": TEXT, "rewound_to": INSTANT}

Each is recorded at the instant that it names, which may be earlier than that of the row before it. Together they take
back every row after the backup, the last one first, so that none can be chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from service.ledger.chain import ChainEntry, Kind, LedgerRow

# What no rewind takes back: a new signing key, and corrections.
STANDING: tuple[Kind, ...] = ("handover", "correction")


def is_rewinding(entry: ChainEntry) -> bool:
    """Whether the row takes back another one, and may be recorded earlier than the one before it."""
    return entry.kind == "correction" and entry.body.get("rewound_to") == entry.recorded_at


def corrections(entries: Iterable[ChainEntry], note: str, rewound_to: str) -> Iterator[LedgerRow]:
    """The rows that take back `entries`, at the instant `rewound_to` (ISO 8601); some may be taken back already.

    Raises ValueError where a row before them is taken back among them: it does not stand any more.
    """
    remaining: list[ChainEntry] = []
    for entry in entries:
        if is_rewinding(entry):
            if not remaining:
                raise ValueError(f"row {entry.body['corrects']} was taken back before, by row {entry.seq}")
            remaining.pop()
        elif entry.kind not in STANDING:
            remaining.append(entry)
    for entry in reversed(remaining):
        body = {"corrects": entry.seq, "note": note, "rewound_to": rewound_to}
        yield LedgerRow("correction", entry.subject, body, entry.backfilled)


@dataclass
class RewindCheck:
    """How many `rows` were taken back by the rows read so far, in how many `rewinds`.

    `standing` are the number and the instant of each row that can be taken back; `instant` is that of a rewind which
    the next row may continue.
    """

    rows: int = 0
    rewinds: int = 0
    standing: list[tuple[int, str]] = field(default_factory=list)
    instant: str | None = None

    def add(self, entry: ChainEntry) -> str | None:
        """Read the next row; returns its fault as a sentence."""
        if is_rewinding(entry):
            return self._take_back(entry)
        fault = self.finish()
        if entry.kind not in STANDING:
            self.standing.append((entry.seq, entry.recorded_at))
        return fault

    def finish(self) -> str | None:
        """The fault of a rewind that goes back to before a row which it leaves standing."""
        instant, self.instant = self.instant, None
        if instant and self.standing and self.standing[-1][1] > instant:
            return f"The world was taken back to {instant}, before row {self.standing[-1][0]}, which stands."
        return None

    def _take_back(self, entry: ChainEntry) -> str | None:
        if self.instant != entry.recorded_at:
            if fault := self.finish():
                return fault
            self.instant, self.rewinds = entry.recorded_at, self.rewinds + 1
        if not self.standing or self.standing.pop()[0] != entry.body.get("corrects"):
            return f"Row {entry.seq} takes back row {entry.body.get('corrects')!r}, which is not the last that stands."
        self.rows += 1
        return None
