"""Timestamps of roots by an authority that OpenSSL makes: valid ones, and everything that is reported."""

from __future__ import annotations

import base64
import sys
import time
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from rfc3161_client import HashAlgorithm, TimestampRequestBuilder, decode_timestamp_response

from service.ledger import chain, roots
from service.ledger.__main__ import main
from service.ledger.roots import Root
from service.ledger.timestamps import Timestamp, message
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, iso
from tests.authorities import Authority
from tests.ledger import books

BOOK = books.book(3)


class Exhibit(NamedTuple):
    """A root that was signed now and its timestamp."""

    root: Root
    timestamp: Timestamp

    def lines(self, root: Root | None = None, **changes: Any) -> list[str]:
        """The export, with another root or another timestamp."""
        rows = [chain.line("row", vars(entry)) for entry in BOOK.entries]
        timestamp = replace(self.timestamp, **changes)
        return [*rows, chain.line("root", vars(root or self.root)), chain.line("timestamp", vars(timestamp))]


def timestamp_of(authority: Authority, root: Root) -> Timestamp:
    """What an authority signs now, whatever the root says."""
    query = TimestampRequestBuilder().data(message(root)).hash_algorithm(HashAlgorithm.SHA256).build()
    reply = authority.reply(query.as_bytes())
    at = decode_timestamp_response(reply).tst_info.gen_time
    return Timestamp(root.day, "tsa", iso(int(at.timestamp())), base64.b64encode(reply).decode())


def root_of(signed_at: float, **options: Any) -> Root:
    """The root over the three rows, signed at a unix second."""
    hashes = [entry.hash for entry in BOOK.entries]
    parts = {"day": BOOK.roots[0].day, "first_seq": 1, "root_before": "", "seed": books.SEED}
    return roots.sign(hashes, **parts | options, signed_at=iso(int(signed_at)))


@pytest.fixture(scope="module")
def tsa(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "own")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "stranger")


@pytest.fixture(scope="module")
def exhibit(tsa: Authority) -> Exhibit:
    root = root_of(time.time())
    return Exhibit(root, timestamp_of(tsa, root))


def test_a_timestamp_of_its_root_is_counted(exhibit: Exhibit, tsa: Authority):
    result = verify(exhibit.lines(), certificates=tsa.certificates.read_bytes())
    assert (result.fault, result.timestamps, result.stamped_seq) == (None, 1, 3)
    assert verify(exhibit.lines()).timestamps == 0


def test_openssl_verifies_it_over_the_line_of_the_root(exhibit: Exhibit, tsa: Authority):
    """As the protocol says, with nothing of ours."""
    (tsa.folder / "line").write_text(exhibit.lines()[-2], newline="")
    (tsa.folder / "token").write_bytes(base64.b64decode(exhibit.timestamp.token))
    assert "Verification: OK" in tsa.openssl("ts -verify -data line -in token -CAfile ca.pem")


@pytest.mark.parametrize(
    ("of_root", "of_timestamp", "sentence"),
    [
        ({"seed": bytes(32)}, {}, "is over another root"),
        ({"day": "2026-11-22"}, {}, "The root of 2026-11-21 is missing"),
        ({}, {"stamped_at": "2026-11-21T12:00:00Z"}, "states another time than 2026-11-21T12:00:00Z"),
        ({}, {"token": base64.b64encode(b"\x30\x03abc").decode()}, "is damaged"),
        *(({}, change, "is damaged") for change in ({"token": "?"}, {"token": 7}, {"stamped_at": "now"})),
    ],
)
def test_a_timestamp_of_something_else_is_reported(exhibit: Exhibit, of_root: dict, of_timestamp: dict, sentence: str):
    """Also one that was left where the rows before it were changed and signed again."""
    other = root_of(time.time(), **of_root) if of_root else None
    assert sentence in str(verify(exhibit.lines(other, **of_timestamp), certificates=b"").fault)


@pytest.mark.parametrize("late_s", [7 * DAY, -2 * HOUR])
def test_a_stale_timestamp_is_reported(tsa: Authority, late_s: int):
    """Whoever changes a row of last week and signs again can have the new root timestamped, but only from now on."""
    root = root_of(time.time() - late_s)
    lines = Exhibit(root, timestamp_of(tsa, root)).lines()
    assert "is stale: it is of" in str(verify(lines, certificates=b"").fault)


def test_an_unknown_authority_is_reported(exhibit: Exhibit, tsa: Authority, stranger: Authority):
    of_stranger = timestamp_of(stranger, exhibit.root)  # perhaps a second later than the other
    for timestamp, authority in ((exhibit.timestamp, stranger), (of_stranger, tsa)):
        lines = Exhibit(exhibit.root, timestamp).lines()
        fault = verify(lines, certificates=authority.certificates.read_bytes()).fault
        assert fault == "The timestamp of the root of 2026-11-21 by tsa is signed by no authority that is trusted."


def test_a_change_of_its_signature_is_reported(exhibit: Exhibit, tsa: Authority):
    """And of its status, which the signature does not cover."""
    token = base64.b64decode(exhibit.timestamp.token)
    no_status = token.replace(b"\x30\x03\x02\x01\x00", b"\x30\x03\x02\x01\x40", 1)
    no_signature = token[:-1] + bytes([token[-1] ^ 1])
    for change, words in ((no_signature, "signed by no authority"), (no_status, "is damaged")):
        lines = exhibit.lines(token=base64.b64encode(change).decode())
        assert words in str(verify(lines, certificates=tsa.certificates.read_bytes()).fault)


def test_the_command_says_what_is_timestamped(
    exhibit: Exhibit, tsa: Authority, stranger: Authority, tmp_path, capsys, monkeypatch
):
    """Without the package it names it; a ledger without timestamps needs none."""
    file, broken = tmp_path / "ledger", tmp_path / "no.pem"
    file.write_text(books.joined(exhibit.lines()), newline="")
    broken.write_text("no certificate")
    assert main(["verify", str(file), "--authorities", str(tsa.certificates)]) == 0
    assert "Timestamps: 1, by authorities that you trust; rows up to 3 " in capsys.readouterr().out
    assert main(["verify", str(file)]) == 0
    assert "Timestamps: 1, by authorities that --authorities would check;" in capsys.readouterr().out
    assert main(["verify", str(file), "--authorities", str(stranger.certificates)]) == 1
    assert main(["verify", str(file), "--authorities", str(broken)]) == 2
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    assert main(["verify", str(file)]) == 2
    assert "This needs the package rfc3161_client" in capsys.readouterr().err
    file.write_text(books.joined(exhibit.lines()[:-1]), newline="")
    assert main(["verify", str(file)]) == 0
