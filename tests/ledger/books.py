"""A ledger built without a database: rows, their roots, and both as the lines of an export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from service.ledger import chain, roots
from service.ledger.chain import NEVER_TAKEN_BACK, ChainEntry, LedgerRow, chained, is_rewinding
from service.ledger.roots import Root
from service.ledger.verifier import Verification, verify

SEED = bytes(range(32))
FIRST_DAY = date(2026, 11, 21)


@dataclass(frozen=True)
class Book:
    """Rows and the roots over them."""

    entries: tuple[ChainEntry, ...]
    roots: tuple[Root, ...]

    def lines(self) -> list[str]:
        rows = [chain.line("row", vars(entry)) for entry in self.entries]
        return rows + [chain.line("root", vars(root)) for root in self.roots]

    def text(self) -> str:
        return joined(self.lines())


def joined(lines: Iterable[str]) -> str:
    """The text of a file with these lines."""
    return "".join(f"{line}\n" for line in lines)


def verified(entries: Iterable[ChainEntry], **options: Any) -> Verification:
    """The verification of rows without roots."""
    return verify((chain.line("row", vars(entry)) for entry in entries), **options)


def of_first_versions(rows: Iterable[LedgerRow], recorded_at: str) -> Iterator[ChainEntry]:
    """The rows as the first versions chained them, without a form."""
    hash_before = chain.GENESIS
    for entry in chained(rows, recorded_at, None):
        fields = {name: value for name, value in vars(entry).items() if name not in ("hash", "form")}
        fields["previous"] = hash_before
        hash_before = chain.digest(fields, None)
        yield ChainEntry(**fields, hash=hash_before)


def corrections(entries: Iterable[ChainEntry], rewound_to: str) -> list[LedgerRow]:
    """The rows that take back `entries`, the last one first; some may be taken back already."""
    standing: list[ChainEntry] = []
    for entry in entries:
        if is_rewinding(entry):
            standing.pop()
        elif entry.kind not in NEVER_TAKEN_BACK:
            standing.append(entry)
    return [
        LedgerRow("correction", entry.subject, {"corrects": entry.seq, "rewound_to": rewound_to}, entry.backfilled)
        for entry in reversed(standing)
    ]


def rows(count: int) -> list[LedgerRow]:
    body = {"tiny": 1e-7, "note": "día\u2028\n", "n": None}
    return [
        LedgerRow("votes", f"daily-btc-up-{number}", {"p": 0.1 + number / 7, **body}, number % 2 == 0)
        for number in range(count)
    ]


def book(*days: int, unsealed_rows: int = 0, seed: bytes = SEED) -> Book:
    """This many rows on each day, each day sealed, and some unsealed rows on the next day."""
    entries: list[ChainEntry] = []
    seals: list[Root] = []
    for number, count in enumerate([*days, unsealed_rows]):
        day = FIRST_DAY + timedelta(days=number)
        new = list(chained(rows(count), f"{day}T12:00:00Z", entries[-1] if entries else None))
        entries += new
        if number < len(days):
            seals.append(_root(new, day, seals[-1].root if seals else "", seed))
    return Book(tuple(entries), tuple(seals))


def _root(new: list[ChainEntry], day: date, root_before: str, seed: bytes) -> Root:
    return roots.sign(
        [entry.hash for entry in new],
        day=str(day),
        first_seq=new[0].seq,
        root_before=root_before,
        signed_at=f"{day + timedelta(days=1)}T00:05:00Z",
        seed=seed,
    )
