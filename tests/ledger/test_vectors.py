"""The protocol of the ledger is what its description says: verifiers that know nothing else accept and refuse."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.client import Client
from service.ledger import chain
from service.ledger.chain import LedgerRow
from service.ledger.vectors import vectors
from service.ledger.verifier import verify
from tests.authorities import Authority
from tests.conftest import absent
from tests.ledger import books
from tests.ledger.test_timestamps import timestamp_of
from tests.running_service import copied, listening, running_service

FOLDER = Path(__file__).parent


@pytest.fixture(params=["python", "node"])
def verdict(request: pytest.FixtureRequest, tmp_path: Path):
    """What the independent verifier in a language prints of lines; None where it refuses them."""
    command = [sys.executable, FOLDER / "independent.py"]
    if request.param == "node":
        command = [shutil.which("node") or absent("no node"), FOLDER / "verify.mjs"]

    def verdict(lines: list[str]) -> str | None:
        (tmp_path / "ledger").write_text(books.joined(lines), encoding="utf-8", newline="")
        process = subprocess.run([*command, tmp_path / "ledger"], capture_output=True, text=True, timeout=60)
        return process.stdout.strip() if process.returncode == 0 else None

    return verdict


def test_the_vectors_verify_in_two_languages_and_here(verdict):
    """Numbers, names and texts on which writers of JSON differ, a hand-over, a root by the successor."""
    lines = list(vectors().lines)
    assert verdict(lines) == "4 rows, sealed up to 4"
    assert verify(lines).fault is None


@pytest.mark.slow
def test_a_fresh_ledger_verifies_in_two_languages(verdict, seeded: Path, tmp_path: Path):
    """The export of a service that has just begun, as its client downloads it."""
    with running_service(copied(seeded, tmp_path)) as service:
        application = service.runtime.application()
        with listening(application) as url, Client(url) as client:
            lines = list(client.export_ledger())
    rows = sum('"type":"row"' in line for line in lines)
    assert rows > 1000
    assert verdict(lines) == f"{rows} rows, sealed up to {verify(lines).sealed}"


@pytest.mark.parametrize(
    ("place", "change"),
    [
        *((1, {"body": {"p": 0.5}}), (1, {"subject": "another"}), (2, {"previous": "0" * 64}), (2, {"seq": 7})),
        *((-1, {"signed_at": "2026-11-23T00:05:01Z"}), (-1, {"root": "0" * 64}), (-1, {"key": "0" * 64})),
        *((-2, {"last_seq": 3}), (-1, {"previous": ""}), (3, None)),
    ],
)
def test_both_refuse_a_ledger_with_a_change(verdict, place: int, change: dict | None):
    """Or without a row."""
    lines = books.book(5, 4, 3).lines()
    assert verdict(lines) is not None
    row = lines.pop(place)
    if change:
        lines.insert(place if place >= 0 else len(lines) + 1 + place, chain.text(json.loads(row) | change))
    assert verdict(lines) is None
    assert verify(lines).fault is not None


def test_rows_of_the_first_versions_stay_valid():
    """Their form is null; new rows follow them in the same chain."""
    numbers = LedgerRow("odds", "polymarket-1", {"whole": 95.0, "small": 5.4e-05}, backfilled=False)
    first, second = books.of_first_versions([numbers, numbers], "2026-11-20T12:00:00Z")
    (third,) = chain.chained(books.rows(1), "2026-11-21T12:00:00Z", second)
    lines = [chain.line("row", vars(entry)) for entry in (first, second, third)]
    assert '"small":5.4e-05' in lines[0]
    assert '"form"' not in lines[0]
    assert '"form":"rfc8785"' in lines[2]
    assert verify(lines).fault is None
    assert verify([lines[0].replace("5.4e-05", "0.000054"), *lines[1:]]).fault is not None


def test_timestamps_are_read_in_two_languages(verdict, tmp_path: Path):
    """Whether an authority signed them is for OpenSSL to say; that they are over the root is not."""
    book = books.book(5, 4)
    (first, second), tsa = book.roots, Authority(tmp_path / "tsa")
    stamps = [chain.line("timestamp", vars(timestamp_of(tsa, root))) for root in (first, second)]
    assert verdict([*book.lines(), *stamps]) == "9 rows, sealed up to 9"
    mixed_up = chain.line("timestamp", vars(timestamp_of(tsa, first)) | {"day": second.day})
    assert verdict([*book.lines(), mixed_up]) is None
