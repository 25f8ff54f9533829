"""A world that an earlier version took back to a backup: what was recorded since stays, and corrections take it back.

    correction  {"corrects": SEQ, "note": TEXT, "rewound_to": INSTANT}

Each is recorded at the instant that it names, which may be earlier than that of the row before it. Together they take
back the rows after the backup, the last one first and without a gap. What was taken back stays visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from service.ledger.chain import ChainEntry, Kind

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
