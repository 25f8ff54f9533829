"""Verification of a file from the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service.ledger import chain
from service.ledger.__main__ import main
from service.ledger.chain import chained
from service.ledger.roots import public_key
from tests.ledger import books
from tests.ledger.test_rewinding import corrections

ROOT = Path(__file__).parents[2]
KEY = public_key(books.SEED)
BOOK = books.book(3, 2, unsealed_rows=1)
TEXT = BOOK.text().encode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "ledger.jsonl"
    file.write_text(BOOK.text(), newline="\n")
    return file


def test_a_valid_ledger_is_reported_with_root_and_key(file: Path, capsys):
    assert main(["verify", str(file), "--key", KEY, "--root", BOOK.roots[0].root]) == 0
    output = capsys.readouterr().out
    assert output.startswith("The ledger is valid. Rows: 6, roots: 2, rows not sealed yet: 1.\n")
    assert {BOOK.entries[-1].hash, BOOK.roots[-1].root, KEY} <= set(output.split())


def test_a_world_that_was_taken_back_is_reported(file: Path, capsys):
    assert main(["verify", str(file)]) == 0
    assert "taken back" not in capsys.readouterr().out
    last = BOOK.entries[-1]
    instant = "2026-11-22T12:00:00Z"
    (back,) = chained(corrections([last], instant), instant, last)
    rows = [chain.line("row", vars(entry)) for entry in (*BOOK.entries, back)]
    file.write_text("".join(f"{line}\n" for line in rows), newline="\n")
    assert main(["verify", str(file)]) == 0
    assert (
        f"Rows taken back: 1, recorded since {last.recorded_at}, in rewinds of the world: 1." in capsys.readouterr().out
    )


def test_a_fault_is_reported_with_its_row(file: Path, capsys):
    file.write_text(BOOK.text().replace("daily-btc-up-1", "daily-eth-up-1", 1), newline="\n")
    assert main(["verify", str(file)]) == 1
    assert "Row 2 was changed" in capsys.readouterr().out


def test_another_key_or_a_missing_root_is_reported(file: Path):
    assert main(["verify", str(file), "--key", "00" * 32]) == 1
    assert main(["verify", str(file), "--root", "00" * 32]) == 1


@pytest.mark.parametrize("content", [b"\xff" + TEXT, TEXT.replace(b"\n", b"\r\n")])
def test_invalid_utf8_and_other_line_ends_are_reported(file: Path, content: bytes):
    file.write_bytes(content)
    assert main(["verify", str(file)]) == 1


def test_a_missing_file_is_reported(tmp_path: Path, capsys):
    assert main(["verify", str(tmp_path / "none")]) == 2
    assert "none" in capsys.readouterr().err


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
