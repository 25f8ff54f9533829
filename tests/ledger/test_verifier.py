"""Whatever is done to an exported ledger is found, and what cannot be found is known."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import canonical
from service.ledger import export
from service.ledger.chain import Entry, chained
from service.ledger.roots import Root, public_key
from service.ledger.verifier import Verdict, verify
from tests.ledger import made

KEY = public_key(made.SEED)
ANOTHER_SEED = b"another seed of thirty-two bytes"
DAYS = (13, 8, 21)
ROWS = sum(DAYS)
BOOK = made.book(*DAYS)


def check(data: bytes, **kept: str) -> Verdict:
    """The verdict on the bytes of a file."""
    return verify(io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogateescape", newline="\n"), **kept)


def joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def test_an_untouched_ledger_holds():
    assert check(BOOK.text().encode(), key=KEY, root=BOOK.roots[0].root) == Verdict(
        rows=ROWS,
        roots=3,
        sealed=ROWS,
        head=BOOK.entries[-1].hash,
        root=BOOK.roots[-1].root,
        key=KEY,
        fault=None,
        seq=None,
    )


def test_an_empty_ledger_and_one_that_is_not_sealed_hold():
    assert verify([]) == Verdict(0, 0, 0, None, None, None, None, None)
    unsealed = verify(made.book(unsealed=3).lines())
    assert (unsealed.rows, unsealed.sealed, unsealed.fault) == (3, 0, None)


def test_the_last_line_needs_no_end():
    assert check(BOOK.text().encode().removesuffix(b"\n")).fault is None


def flip(chance: random.Random) -> tuple[bytes, int | None]:
    """Turn one bit over anywhere in the file."""
    data = bytearray(BOOK.text().encode())
    place = chance.randrange(len(data))
    data[place] ^= 1 << chance.randrange(8)
    row = BOOK.text().encode()[:place].count(b"\n") + 1
    return bytes(data), row if row <= ROWS else None


def remove(chance: random.Random) -> tuple[bytes, int]:
    """Leave one row out."""
    lines, place = BOOK.lines(), chance.randrange(ROWS)
    del lines[place]
    return joined(lines), place + 1


def swap(chance: random.Random) -> tuple[bytes, int | None]:
    """Let two lines change places."""
    lines = BOOK.lines()
    one, other = sorted(chance.sample(range(len(lines)), 2))
    lines[one], lines[other] = lines[other], lines[one]
    return joined(lines), one + 1 if other < ROWS else None


def put_in(chance: random.Random) -> tuple[bytes, None]:
    """Put a row in that follows the one before it."""
    lines, place = BOOK.lines(), chance.randrange(1, ROWS)
    (new,) = chained(made.rows(99)[98:], BOOK.entries[place].recorded_at, BOOK.entries[place - 1])
    lines.insert(place, export.line("row", vars(new)))
    return joined(lines), None


def rewrite(chance: random.Random) -> tuple[bytes, None]:
    """Tell another story from one row on, every hash made anew: only the roots know better."""
    place = chance.randrange(ROWS)
    entries = list(BOOK.entries[:place])
    for old in BOOK.entries[place:]:
        body = old.body if len(entries) > place else {"p": 1.0}
        row = made.Row(old.kind, old.subject, body, old.backfilled)
        entries += chained([row], old.recorded_at, entries[-1] if entries else None)
    return joined(made.Book(tuple(entries), BOOK.roots).lines()), None


TAMPERINGS: tuple[Callable[[random.Random], tuple[bytes, int | None]], ...] = (flip, remove, swap, put_in, rewrite)


def tampered(count: int) -> Iterator[tuple[str, bytes, int | None]]:
    chance = random.Random(20261121)
    for number in range(count):
        tamper = TAMPERINGS[number % len(TAMPERINGS)]
        yield tamper.__name__, *tamper(chance)


def test_of_a_thousand_random_tamperings_a_thousand_are_found_and_placed():
    missed = []
    for name, data, seq in tampered(1000):
        verdict = check(data)
        if not verdict.fault or (seq is not None and (verdict.seq != seq or f" {seq}" not in verdict.fault)):
            missed.append((name, seq, verdict))
    assert missed == []


def test_every_bit_of_a_small_ledger_counts():
    data = made.book(2, 1).text().encode()
    for place in range(len(data)):
        for bit in range(8):
            changed = bytes([*data[:place], data[place] ^ 1 << bit, *data[place + 1 :]])
            # The end of the last line may be missing, but nothing else may stand in its place.
            assert check(changed).fault, (place, bit)


def test_a_row_cut_off_is_found_when_it_was_sealed():
    for cut in range(1, ROWS + 1):
        lines = BOOK.lines()[: ROWS - cut] + BOOK.lines()[ROWS:]
        assert verify(lines).fault.startswith(f"Row {ROWS - cut + 1} is missing")


def test_a_row_cut_off_before_it_was_sealed_leaves_no_trace():
    book = made.book(*DAYS, unsealed=2)
    lines = book.lines()
    del lines[ROWS + 1]
    assert verify(lines).fault is None


def test_days_cut_off_with_their_roots_are_found_by_a_root_that_was_kept():
    cut = made.book(*DAYS[:2]).lines()
    assert verify(cut, key=KEY).fault is None
    assert "is not among the 2 roots" in verify(cut, root=BOOK.roots[2].root).fault
    assert verify(cut, root=BOOK.roots[1].root).fault is None


def test_a_ledger_written_anew_with_another_key_is_found_by_the_key_that_was_kept():
    anew = made.book(*DAYS, seed=ANOTHER_SEED).lines()
    assert verify(anew).fault is None
    assert "The root of 2026-11-21 is signed by another key" in verify(anew, key=KEY).fault


def test_a_change_of_the_key_is_found():
    lines = BOOK.lines()
    lines[-1] = made.book(*DAYS, seed=ANOTHER_SEED).lines()[-1]
    verdict = verify(lines)
    assert "The root of 2026-11-23 is signed by another key" in verdict.fault
    assert (verdict.roots, verdict.sealed) == (2, 21)


def test_a_root_left_out_is_found_unless_it_is_the_last():
    for place in (0, 1):
        lines = BOOK.lines()
        del lines[ROWS + place]
        assert "does not follow the one before it" in verify(lines).fault
    assert verify(BOOK.lines()[:-1]).sealed == 21


def test_a_root_over_other_rows_is_found_though_it_is_signed():
    """Who has the key can sign anything, but not make it fit the rows."""
    stranger = made.book(*DAYS[:1], seed=made.SEED).roots[0]
    rows = tuple(chained(made.rows(14)[1:], "2026-11-21T12:00:00Z", None))
    assert "is not that of rows 1 to 13" in verify(made.Book(rows, (stranger,)).lines()).fault


def resigned(old: Root, /, **changes: object) -> Root:
    """Another root that is rightly signed: what only the holder of the key can make."""
    told = {name: value for name, value in vars(old).items() if name not in ("key", "signature")} | changes
    signature = Ed25519PrivateKey.from_private_bytes(made.SEED).sign(canonical.write(told).encode())
    return Root(**told, key=old.key, signature=signature.hex())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"root": "ab" * 32}, "is not that of rows 14 to 21"),
        ({"head": BOOK.entries[19].hash}, "is not that of rows 14 to 21"),
        ({"last_seq": 20}, "is not that of rows 14 to 20"),
        ({"last_seq": 13}, "is not that of rows 14 to 13"),
        ({"first_seq": 13}, "does not follow the one before it"),
        ({"previous": "ab" * 32}, "does not follow the one before it"),
        ({"day": "2026-11-21"}, "does not follow the one before it"),
    ],
)
def test_not_even_the_key_makes_a_root_fit_that_does_not(changes: dict, sentence: str):
    first, second, third = BOOK.roots
    assert resigned(second) == second
    verdict = verify(made.Book(BOOK.entries, (first, resigned(second, **changes), third)).lines())
    assert (verdict.roots, sentence in verdict.fault) == (1, True)


def test_a_row_that_follows_another_row_than_the_one_before_it_is_found():
    (first, _), (_, stranger) = made.book(2).entries, chained(made.rows(3)[1:], "2026-11-21T12:00:00Z", None)
    verdict = verify(made.Book((first, stranger), ()).lines())
    assert (verdict.seq, "does not follow the row before it" in verdict.fault) == (2, True)


def test_rows_that_were_numbered_with_a_gap_are_found():
    (first,) = made.book(1).entries
    (second,) = chained(made.rows(1), first.recorded_at, replace(first, seq=2))
    verdict = verify(made.Book((first, second), ()).lines())
    assert verdict.fault == "Row 2 is missing or out of its place: row 3 stands there."


def test_a_row_behind_a_root_is_found():
    (*lines, last), root = made.book(2, unsealed=1).lines()[:3], made.book(2).lines()[2]
    assert verify([*lines, root, last]).fault == "Row 3 stands behind a root: rows come first."


def test_a_line_in_another_form_is_found_though_it_says_the_same():
    first, *rest = BOOK.lines()
    for other in (first.replace(":", ": ", 1), first.replace("1e-07", "1e-7"), first.replace("í", "\\u00ed")):
        assert json.loads(other) == json.loads(first)
        assert "not in canonical form" in verify([other, *rest]).fault


def test_a_row_cannot_claim_to_be_older_than_the_one_before_it():
    first, second = made.book(1).entries, None
    (second,) = chained(made.rows(1), "2026-11-20T00:00:00Z", first[0])
    assert verify(made.Book((*first, second), ()).lines()).fault == "Row 2 was recorded before the row before it."


@pytest.mark.parametrize(
    "line",
    ["", "{}", "[]", "null", '"row"', '{"type":"row"}', '{"type":"other"}', '{"type":["row"]}', "[" * 100_000, "NaN"],
)
def test_a_line_that_is_no_row_breaks_nothing(line: str):
    verdict = verify([*made.book(2).lines()[:2], line])
    assert (verdict.rows, verdict.seq) == (2, 3)
    assert verdict.fault.startswith("Line 3, behind row 2, is damaged")


@pytest.mark.parametrize("value", [None, "7", 1.5, [], True])
@pytest.mark.parametrize("name", ["first_seq", "last_seq", "day", "key", "previous"])
def test_a_root_of_odd_types_is_found_and_breaks_nothing(name: str, value: object):
    book = made.book(7)
    (root,) = book.roots
    assert verify(replace(book, roots=(replace(root, **{name: value}),)).lines()).fault


@pytest.mark.parametrize("name", ["seq", "recorded_at", "hash", "previous"])
def test_a_row_of_odd_types_is_found_and_breaks_nothing(name: str):
    first, second = made.book(2).entries
    odd: Entry = replace(second, **{name: 7.5})
    assert verify(made.Book((first, odd), ()).lines()).seq == 2
