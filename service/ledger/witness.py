"""What a witness keeps of other ledgers: their signed roots as first seen, and where a ledger was forked or rewritten.

Two roots of one day with valid signatures by one key are a proof against its owner that anyone can verify.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from service.ledger.roots import Root


@dataclass(frozen=True)
class WitnessedRoot:
    """A root as it was first served, and when its rows were last compared with it, None before that."""

    root: Root
    seen_at: str
    compared_at: str | None


@dataclass(frozen=True)
class WitnessFault:
    """What was found about the root of a day, in words; `served` is the root that was served instead, if any."""

    day: str
    detail: str
    found_at: str
    served: Root | None


@dataclass(frozen=True)
class WitnessedLedger:
    """What is kept of the ledger at an address: its roots, oldest first, and all faults that were ever found.

    It was `reached_at` the end of the last visit that read everything that it wanted.
    """

    address: str
    reached_at: str | None = None
    roots: tuple[WitnessedRoot, ...] = ()
    faults: tuple[WitnessFault, ...] = ()

    def with_served(self, served: Iterable[Root], at: str) -> WitnessedLedger:
        """The same after it served these roots, all it has, at an instant."""
        by_day = {root.day: root for root in served}
        ledger = self
        for row in self.roots:
            root = by_day.pop(row.root.day, None)
            if root != row.root:
                is_served = "Another root is served" if root else "The root is no longer served"
                ledger = ledger.with_fault(row.root.day, f"{is_served} that was first seen at {row.seen_at}.", at, root)
        last = self.roots[-1].root.day if self.roots else ""
        for day, root in sorted(by_day.items()):
            if day < last:
                ledger = ledger.with_fault(day, f"The root was not there before that of {last}.", at, root)
            else:
                ledger = replace(ledger, roots=(*ledger.roots, WitnessedRoot(root, at, None)))
        return ledger

    def with_rows(self, place: int, fault: str | None, at: str) -> WitnessedLedger:
        """The same after the rows of the root at a place were compared with it, which found a fault or none."""
        row = replace(self.roots[place], compared_at=at)
        ledger = replace(self, roots=(*self.roots[:place], row, *self.roots[place + 1 :]))
        return ledger.with_fault(row.root.day, fault, at, None) if fault else ledger

    def with_fault(self, day: str, detail: str, at: str, served: Root | None) -> WitnessedLedger:
        """The same with a fault, unless it was found before."""
        if any((fault.day, fault.detail) == (day, detail) for fault in self.faults):
            return self
        return replace(self, faults=(*self.faults, WitnessFault(day, detail, at, served)))

    def due(self) -> list[int]:
        """The places of the roots without a fault, those first whose rows were never compared or longest ago."""
        days = {fault.day for fault in self.faults}
        places = [place for place, row in enumerate(self.roots) if row.root.day not in days]
        return sorted(places, key=lambda place: self.roots[place].compared_at or "")


@dataclass(frozen=True)
class WitnessDocument:
    """The ledgers that this instance is a witness of, or was."""

    schema: str
    timestamp: str
    ledgers: tuple[WitnessedLedger, ...]
