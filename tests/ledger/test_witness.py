"""What a witness keeps of a ledger after each visit."""

from __future__ import annotations

from dataclasses import replace

from service.ledger.witness import WitnessedLedger
from tests.ledger import books

ROOTS = books.book(3, 2, 2).roots
FIRST, SECOND, THIRD = "2026-12-01T13:00:00Z", "2026-12-01T14:00:00Z", "2026-12-01T15:00:00Z"


def test_a_root_is_kept_as_it_was_first_served():
    ledger = WitnessedLedger("https://other.example").with_served(ROOTS[:2], FIRST).with_served(ROOTS, SECOND)
    assert [(row.root, row.seen_at) for row in ledger.roots] == list(zip(ROOTS, (FIRST, FIRST, SECOND), strict=True))
    forged = replace(ROOTS[0], root="00" * 32)
    later = ledger.with_served([forged, *ROOTS[1:]], THIRD)
    assert later.roots == ledger.roots
    assert [(fault.day, fault.found_at, fault.served) for fault in later.faults] == [(forged.day, THIRD, forged)]


def test_the_rows_that_waited_longest_are_due_first():
    """Those that were never compared before all others, and none of a root that is known to be forged."""
    ledger = WitnessedLedger("https://other.example").with_served(ROOTS, FIRST)
    assert ledger.due() == [0, 1, 2]
    ledger = ledger.with_rows(0, None, SECOND)
    assert ledger.due() == [1, 2, 0]
    assert ledger.with_rows(1, None, THIRD).due() == [2, 0, 1]
    assert ledger.with_rows(2, "Row 7 was changed.", THIRD).due() == [1, 0]


def test_what_was_found_before_is_no_new_fault():
    """The first time counts, although the fault is found at each visit."""
    ledger = WitnessedLedger("https://other.example").with_served(ROOTS, FIRST).with_served(ROOTS[:2], SECOND)
    assert ledger.with_served(ROOTS[:2], THIRD).faults == ledger.faults
    assert [fault.detail for fault in ledger.faults] == [
        f"The root is no longer served that was first seen at {FIRST}."
    ]
