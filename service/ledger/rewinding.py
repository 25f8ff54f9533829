"""A world that was taken back to a backup: what was recorded since stays in the ledger, and a correction takes it back.

    correction  {"corrects": SEQ, "note": TEXT, "rewound_to": INSTANT}

Each is recorded at the instant that it names, which may be earlier than that of the row before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.ledger.chain import ChainEntry, Kind, LedgerRow

# What stands whatever the world was taken back to: who signs, and what an operator has said of an earlier row.
STANDING: tuple[Kind, ...] = ("handover", "correction")


def corrections(entries: Sequence[ChainEntry], note: str, rewound_to: str) -> Iterator[LedgerRow]:
    """The rows that take back `entries`, the last one first, at the instant `rewound_to` (ISO 8601)."""
    for entry in reversed(entries):
        if entry.kind not in STANDING:
            body = {"corrects": entry.seq, "note": note, "rewound_to": rewound_to}
            yield LedgerRow("correction", entry.subject, body, entry.backfilled)


def is_rewinding(entry: ChainEntry) -> bool:
    """Whether the row may be recorded earlier than the one before it."""
    return entry.kind == "correction" and entry.body.get("rewound_to") == entry.recorded_at
