"""Every change of an exported ledger is found, except those that no export can show; the command reports it."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service import canonical
from service.ledger import chain
from service.ledger.__main__ import main
from service.ledger.chain import ChainEntry, LedgerRow, chained
from service.ledger.roots import Root, public_key
from service.ledger.verifier import Verification, verify
from tests.ledger import books
from tests.processes import ROOT

KEY = public_key(books.SEED)
ANOTHER_SEED = b"another seed of thirty-two bytes"
DAYS = (13, 8, 21)
ROWS = sum(DAYS)
BOOK = books.book(*DAYS)
TEXT = BOOK.text().encode()
SHORT = books.book(3, 2, unsealed_rows=1)
NO_ROWS = ("", "{}", "[]", "null", '"row"', '{"type":"row"}', '{"type":"other"}', '{"type":["row"]}')


def check(data: bytes, **trust: str) -> Verification:
    """The verification of the bytes of a file."""
    return verify(io.TextIOWrapper(io.BytesIO(data), "utf-8", "surrogateescape", newline="\n"), **trust)


def file_of(lines: list[str]) -> bytes:
    return books.joined(lines).encode()


def test_an_unchanged_ledger_is_valid():
    """Also without the end of its last line."""
    expected = Verification(ROWS, 3, ROWS, BOOK.entries[-1].hash, BOOK.roots[-1].root, KEY, fault=None, seq=None)
    for data in (TEXT, TEXT.removesuffix(b"\n")):
        assert check(data, key=KEY, root=BOOK.roots[0].root) == expected


def test_empty_and_unsealed_ledgers_have_no_fault():
    assert verify([]) == Verification(0, 0, 0, None, None, None, None, None)
    verification = verify(books.book(unsealed_rows=3).lines())
    assert (verification.rows, verification.sealed, verification.fault) == (3, 0, None)


def flip(chance: random.Random) -> tuple[bytes, int | None]:
    """Flip one bit anywhere in the file."""
    data, place = bytearray(TEXT), chance.randrange(len(TEXT))
    data[place] ^= 1 << chance.randrange(8)
    row = TEXT[:place].count(b"\n") + 1
    return bytes(data), row if row <= ROWS else None


def remove(chance: random.Random) -> tuple[bytes, int]:
    """Remove one row."""
    lines, place = BOOK.lines(), chance.randrange(ROWS)
    del lines[place]
    return file_of(lines), place + 1


def swap(chance: random.Random) -> tuple[bytes, int | None]:
    """Swap two lines."""
    lines = BOOK.lines()
    first, second = sorted(chance.sample(range(len(lines)), 2))
    lines[first], lines[second] = lines[second], lines[first]
    return file_of(lines), first + 1 if second < ROWS else None


def put_in(chance: random.Random) -> tuple[bytes, None]:
    """Insert a row that follows the previous one."""
    lines, place = BOOK.lines(), chance.randrange(1, ROWS)
    (new,) = chained(books.rows(99)[98:], BOOK.entries[place].recorded_at, BOOK.entries[place - 1])
    lines.insert(place, chain.line("row", vars(new)))
    return file_of(lines), None


def rewrite(chance: random.Random) -> tuple[bytes, None]:
    """Rewrite all rows from one on with new hashes; only the roots show it."""
    place = chance.randrange(ROWS)
    entries = list(BOOK.entries[:place])
    for old in BOOK.entries[place:]:
        body = old.body if len(entries) > place else {"p": 1.0}
        row = LedgerRow(old.kind, old.subject, body, old.backfilled)
        entries += chained([row], old.recorded_at, entries[-1] if entries else None)
    return file_of(books.Book(tuple(entries), BOOK.roots).lines()), None


TAMPERINGS: tuple[Callable[[random.Random], tuple[bytes, int | None]], ...] = (flip, remove, swap, put_in, rewrite)


def test_every_random_change_is_located(tries):
    chance, misses = random.Random(20261121), []
    for number in range(tries(1000, 1000, 10_000)):
        tamper = TAMPERINGS[number % len(TAMPERINGS)]
        data, seq = tamper(chance)
        verdict = check(data)
        if not verdict.fault or (seq is not None and (verdict.seq != seq or f" {seq}" not in verdict.fault)):
            misses.append((tamper.__name__, seq, verdict))
    assert misses == []


@pytest.mark.slow
def test_a_change_of_any_bit_is_found():
    data = books.book(2, 1).text().encode()
    for place in range(len(data)):
        for bit in range(8):
            variant = bytes([*data[:place], data[place] ^ 1 << bit, *data[place + 1 :]])
            # The end of the last line may be missing, but nothing else may stand in its place.
            assert check(variant).fault, (place, bit)


def test_a_removed_row_is_found_if_it_was_sealed():
    for cut in range(1, ROWS + 1):
        lines = BOOK.lines()[: ROWS - cut] + BOOK.lines()[ROWS:]
        assert verify(lines).fault.startswith(f"Row {ROWS - cut + 1} is missing")
    lines = books.book(*DAYS, unsealed_rows=2).lines()
    del lines[ROWS + 1]
    assert verify(lines).fault is None


def test_a_kept_root_reveals_removed_days():
    """And a kept key a ledger that was written anew."""
    cut, anew = books.book(*DAYS[:2]).lines(), books.book(*DAYS, seed=ANOTHER_SEED).lines()
    assert [verify(cut, key=KEY).fault, verify(cut, root=BOOK.roots[1].root).fault, verify(anew).fault] == [None] * 3
    assert "is not among the 2 roots" in verify(cut, root=BOOK.roots[2].root).fault
    assert "The root of 2026-11-21 is signed by another key" in verify(anew, key=KEY).fault


def test_a_change_of_the_key_is_found():
    lines = BOOK.lines()
    lines[-1] = books.book(*DAYS, seed=ANOTHER_SEED).lines()[-1]
    verdict = verify(lines)
    assert "The root of 2026-11-23 is signed by another key" in verdict.fault
    assert (verdict.roots, verdict.sealed) == (2, 21)


def test_a_missing_root_is_found_unless_it_is_the_last():
    for place in (0, 1):
        lines = BOOK.lines()
        del lines[ROWS + place]
        assert "does not follow the previous root" in verify(lines).fault
    assert verify(BOOK.lines()[:-1]).sealed == 21


def resigned(old: Root, /, **changes: object) -> Root:
    """A changed root with a valid signature, which only the owner of the key can create."""
    fields = {name: value for name, value in vars(old).items() if name not in ("key", "signature")} | changes
    signature = Ed25519PrivateKey.from_private_bytes(books.SEED).sign(canonical.write(fields).encode())
    return Root(**fields, key=old.key, signature=signature.hex())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"root": "ab" * 32}, "does not match rows 14 to 21"),
        ({"head": BOOK.entries[19].hash}, "does not match rows 14 to 21"),
        ({"last_seq": 20}, "does not match rows 14 to 20"),
        ({"last_seq": 13}, "does not match rows 14 to 13"),
        ({"first_seq": 13}, "does not follow the previous root"),
        ({"previous": "ab" * 32}, "does not follow the previous root"),
        ({"day": "2026-11-21"}, "does not follow the previous root"),
    ],
)
def test_a_signed_root_that_does_not_fit_is_found(changes: dict, sentence: str):
    first, second, third = BOOK.roots
    assert resigned(second) == second
    verdict = verify(books.Book(BOOK.entries, (first, resigned(second, **changes), third)).lines())
    assert (verdict.roots, sentence in verdict.fault) == (1, True)


def test_a_row_that_does_not_follow_is_found():
    """The one before it, in its number or in its time, or that follows a root."""
    book = books.book(2, unsealed_rows=1)
    first, (_, stranger) = book.entries[0], chained(books.rows(3)[1:], "2026-11-21T12:00:00Z", None)
    (gap,) = chained(books.rows(1), first.recorded_at, replace(first, seq=2))
    (predecessor,) = chained(books.rows(1), "2026-11-20T00:00:00Z", first)
    for second, sentence in (
        (stranger, "does not follow the previous row"),
        (gap, "Row 2 is missing or out of place: row 3 is in its position."),
        (predecessor, "Row 2 has an earlier time than the previous row."),
    ):
        verdict = verify(books.Book((first, second), ()).lines())
        assert (verdict.seq, sentence in verdict.fault) == (2, True)
    *rows, last = book.lines()[:3]
    fault = verify([*rows, book.lines()[3], last]).fault
    assert fault == "Row 3 follows a root: all rows must precede the roots."


def test_a_line_in_another_form_is_found():
    first, *rest = BOOK.lines()
    for other in (first.replace(":", ": ", 1), first.replace("1e-7", "1e-07"), first.replace("í", "\\u00ed")):
        assert json.loads(other) == json.loads(first)
        assert "not in canonical form" in verify([other, *rest]).fault


@pytest.mark.parametrize("line", [*NO_ROWS, "[" * 100_000, "NaN"])
def test_a_line_that_is_not_a_row_is_found(line: str):
    verdict = verify([*books.book(2).lines()[:2], line])
    assert (verdict.rows, verdict.seq) == (2, 3)
    assert verdict.fault.startswith("Line 3, after row 2, is damaged")


@pytest.mark.parametrize("value", [None, "7", 1.5, [], True])
@pytest.mark.parametrize("name", ["first_seq", "last_seq", "day", "key", "previous"])
def test_a_root_with_wrong_types_is_found(name: str, value: object):
    book = books.book(7)
    (root,) = book.roots
    assert verify(replace(book, roots=(replace(root, **{name: value}),)).lines()).fault


@pytest.mark.parametrize("name", ["seq", "recorded_at", "hash", "previous"])
def test_a_row_with_wrong_types_is_found(name: str):
    first, second = books.book(2).entries
    odd: ChainEntry = replace(second, **{name: 7.5})
    assert verify(books.Book((first, odd), ()).lines()).seq == 2


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "ledger.jsonl"
    file.write_text(SHORT.text(), newline="\n")
    return file


def test_a_ledger_is_reported_with_its_root_and_key(file: Path, capsys):
    """Or with its fault: another key, a missing root, a changed row, no file."""
    assert main(["verify", str(file), "--key", KEY, "--root", SHORT.roots[0].root]) == 0
    output = capsys.readouterr().out
    assert output.startswith("The ledger is valid. Rows: 6, roots: 2, rows not sealed yet: 1.\n")
    assert "taken back" not in output
    assert {SHORT.entries[-1].hash, SHORT.roots[-1].root, KEY} <= set(output.split())
    for option in ("--key", "--root"):
        assert main(["verify", str(file), option, "00" * 32]) == 1
    file.write_text(SHORT.text().replace("daily-btc-up-1", "daily-eth-up-1", 1), newline="\n")
    assert main(["verify", str(file)]) == 1
    assert "Row 2 was changed" in capsys.readouterr().out
    assert main(["verify", str(file.with_name("none"))]) == 2
    assert "none" in capsys.readouterr().err


def test_a_world_that_was_taken_back_is_reported(file: Path, capsys):
    last, instant = SHORT.entries[-1], "2026-11-22T12:00:00Z"
    (back,) = chained(books.corrections([last], instant), instant, last)
    file.write_text(books.Book((*SHORT.entries, back), ()).text(), newline="\n")
    assert main(["verify", str(file)]) == 0
    sentence = f"Rows taken back: 1, recorded since {last.recorded_at}, in rewinds of the world: 1."
    assert sentence in capsys.readouterr().out


@pytest.mark.parametrize("content", [b"\xff" + SHORT.text().encode(), SHORT.text().replace("\n", "\r\n").encode()])
def test_invalid_utf8_and_other_line_ends_are_reported(file: Path, content: bytes):
    file.write_bytes(content)
    assert main(["verify", str(file)]) == 1


def test_an_empty_file_has_nothing_to_verify(tmp_path: Path, capsys):
    """It is neither valid nor invalid, unlike a file that lacks an expected root."""
    file = tmp_path / "empty.jsonl"
    file.touch()
    assert main(["verify", str(file)]) == 2
    assert capsys.readouterr() == ("", f"error: {file} is empty: there is nothing to verify\n")
    assert main(["verify", str(file), "--root", "00" * 32]) == 1


def test_it_needs_neither_the_service_nor_its_database(file: Path):
    program = (
        "import runpy, sys\n"
        f"sys.argv = ['ledger', 'verify', {str(file)!r}]\n"
        "try: runpy.run_module('service.ledger', run_name='__main__')\n"
        "except SystemExit as left: code = left.code\n"
        "unwanted = {'flask', 'sqlalchemy', 'pydantic', 'httpx', 'numpy', 'service.config', 'service.errors'}\n"
        "print(code, sorted(unwanted & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
