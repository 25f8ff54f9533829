"""The ledger over HTTP: read, paged, proved, and checked by who reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

import httpx
import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api import openapi
from service.client import Client, NotFound, ProofFailed
from service.ledger import proofs
from service.ledger.chain import ChainEntry, LedgerRow
from service.ledger.roots import Root, public_key
from service.ledger.timestamps import Timestamp
from service.ledger.verifier import verify
from service.market.instants import DAY
from service.store import ledger as stored
from tests.api.opened import walk
from tests.api.web import NOON, refusal_of

PATH = "/api/v1/ledger"
KEY = bytes(range(32))


@pytest.fixture
def chain(sqlite) -> tuple[ChainEntry, ...]:
    """Five rows that are sealed and two of the next day that are not."""
    old = [LedgerRow("votes", f"daily-btc-up-{n}", {"p": 0.1 + n / 7, "n": n}, False) for n in range(5)]
    new = [LedgerRow("odds", "polymarket-1", {"p_yes": 1.0, "tiny": 1e-7, "huge": 1e22}, False) for _ in range(2)]
    with sqlite.writing() as db:
        entries = stored.append(db, old, NOON)
        stored.seal(db, "2026-11-21", KEY, NOON + DAY)
        return entries + stored.append(db, new, NOON + DAY)


@pytest.fixture
def root(sqlite, chain) -> Root:
    with sqlite.reading() as db:
        return stored.last_root(db)


@pytest.fixture
def reader(app: Flask) -> Iterator[Client]:
    with Client("http://ninefold", transport=httpx.WSGITransport(app)) as client:
        yield client


def test_a_page_holds_the_rows_as_they_were_hashed(client: FlaskClient, chain, check_schema):
    page, last = client.get(PATH).json, chain[-1]
    rows = {"schema": "ledger/1", "world": "simulated", "count": 7, "entries": [asdict(entry) for entry in chain]}
    assert page == rows | {"next": None, "head": {"seq": 7, "hash": last.hash, "recorded_at": last.recorded_at}}
    check_schema(PATH, page)
    assert [entry["seq"] for entry in walk(client, f"{PATH}?limit=3", "entries")] == list(range(1, 8))


def test_rows_of_one_kind_or_one_subject_are_paged_alike(client: FlaskClient, chain):
    """Past the last row a page is empty."""
    for query, seqs, following in (
        *[("kind=odds&limit=1", [6], 7), ("subject=daily-btc-up-3", [4], None)],
        *[("subject=nobody", [], None), ("first_seq=8", [], None)],
    ):
        page = client.get(f"{PATH}?{query}").json
        assert [entry["seq"] for entry in page["entries"]] == seqs
        assert (page["next"], page["count"]) == (following, len(seqs))
    assert page["head"]["seq"] == 7


def test_the_head_says_where_the_ledger_stands(client: FlaskClient, chain, root, check_schema):
    head = client.get(f"{PATH}/head").json
    assert (head["seq"], head["hash"], head["recorded_at"]) == (7, chain[-1].hash, "2026-11-22T12:00:00Z")
    assert (head["unsealed"], head["roots"], head["algorithm"]) == (2, 1, "Ed25519")
    assert head["public_key"] == public_key(KEY) == root.key
    check_schema(f"{PATH}/head", head)


def test_an_empty_ledger_answers_too(client: FlaskClient, check_schema):
    """It does not claim to prove when something was written."""
    head = client.get(f"{PATH}/head").json
    assert "does not prove when a row was written" in head["what_it_proves"]
    assert "no second ledger" in head["what_it_proves"]
    assert (head["seq"], head["hash"], head["public_key"], head["unsealed"], head["roots"]) == (None, None, None, 0, 0)
    check_schema(f"{PATH}/head", head)
    page = client.get(PATH).json
    assert (page["count"], page["head"], page["next"]) == (0, None, None)
    check_schema(PATH, page)
    assert client.get(f"{PATH}/roots").json["roots"] == []
    assert client.get(f"{PATH}/1").json["detail"] == "The ledger does not have this row; it has no rows yet."


def test_one_row_is_found_by_its_number(client: FlaskClient, chain, check_schema):
    row, last_row = client.get(f"{PATH}/5").json, client.get(f"{PATH}/6").json
    assert (row["entry"], row["sealed_by"]) == (asdict(chain[4]), "2026-11-21")
    assert (last_row["entry"], last_row["sealed_by"]) == (asdict(chain[5]), None)
    check_schema(f"{PATH}/{{seq}}", row)
    check_schema(f"{PATH}/{{seq}}", last_row)


@pytest.mark.parametrize("seq", ["8", "0", "-1", "1.0", "x", "01", "１", "9" * 19, "9" * 5000, "%00", "NaN"])
@pytest.mark.parametrize("path", [PATH, f"{PATH}/proof"])
def test_a_row_that_is_not_there_is_not_found(client: FlaskClient, chain, path: str, seq: str):
    refusal = client.get(f"{path}/{seq}")
    assert refusal_of(refusal) == (404, "not_found")
    assert refusal.json["detail"] == "The ledger does not have this row; its rows are 1 to 7."


def test_a_proof_holds_and_can_be_followed_by_hand(client: FlaskClient, chain, root, check_schema):
    for seq in range(1, 6):
        proof = client.get(f"{PATH}/proof/{seq}").json
        assert proofs.fault(proofs.read(proof), seq, public_key(KEY)) is None
        assert (proof["entry"], proof["root"]) == (asdict(chain[seq - 1]), asdict(root))
        check_schema(f"{PATH}/proof/{{seq}}", proof)


def test_a_row_that_is_not_sealed_yet_says_when_it_will_be(client: FlaskClient, sqlite, chain):
    """That of a day which has a root already is sealed after that day."""
    refusal = client.get(f"{PATH}/proof/6")
    assert refusal_of(refusal) == (404, "not_found")
    assert refusal.json["detail"] == "Row 6 is not sealed yet: it will be after 2026-11-23T00:00:00Z in world time."
    with sqlite.writing() as db:
        stored.seal(db, "2026-11-22", KEY, NOON + DAY)
        stored.append(db, [LedgerRow("score", "y", {}, False)], NOON + DAY + 60)
    assert client.get(f"{PATH}/proof/8").json["detail"].endswith("after 2026-11-23T00:00:00Z in world time.")


def test_the_roots_are_listed_from_a_day_on_and_paged(client: FlaskClient, sqlite, chain, check_schema):
    with sqlite.writing() as db:
        stored.seal(db, "2026-11-22", KEY, NOON + 2 * DAY)
    document = client.get(f"{PATH}/roots").json
    assert ([root["day"] for root in document["roots"]], document["next"]) == (["2026-11-21", "2026-11-22"], None)
    check_schema(f"{PATH}/roots", document)
    page = client.get(f"{PATH}/roots?limit=1").json
    assert (page["count"], page["next"]) == (1, "2026-11-22")
    later = client.get(f"{PATH}/roots?since={page['next']}").json
    assert later["roots"] == document["roots"][1:]
    assert client.get(f"{PATH}/roots?since=yesterday").status_code == 400


def test_a_page_with_a_next_one_never_changes(client: FlaskClient, sqlite, chain):
    page = client.get(f"{PATH}?limit=7")
    assert (page.headers["Cache-Control"], page.json["head"]["seq"]) == ("no-store", 7)
    page = client.get(f"{PATH}?limit=3")
    assert (page.headers["Cache-Control"], page.json["head"]) == ("public, max-age=86400, immutable", None)
    with sqlite.writing() as db:
        stored.append(db, [LedgerRow("votes", "daily-btc-up-9", {"p": 0.5}, False)], NOON + DAY)
    assert client.get(f"{PATH}?limit=3").data == page.data
    revalidation = client.get(f"{PATH}?limit=3", headers={"If-None-Match": page.headers["ETag"]})
    assert revalidation.status_code == 304


def test_the_documented_proof_holds():
    """The captured proof proves the captured row under the key of the captured root."""
    roots, entry, proof = (
        json.loads((openapi.EXAMPLES / f"ledger_{name}.json").read_text()) for name in ("roots", "entry", "proof")
    )
    assert proof["entry"] == entry["entry"]
    assert proofs.fault(proofs.read(proof), entry["entry"]["seq"], roots["roots"][0]["key"]) is None


def test_a_client_can_page_and_verify_the_whole_ledger(reader: Client, chain, root):
    lines = list(reader.export_ledger())
    assert (len(lines), verify(lines, key=root.key, root=root.root).fault) == (8, None)
    assert verify([*lines[:2], *reader.export_ledger(first_seq=3)]).fault is None
    assert verify([lines[0], *lines[2:]]).fault


def test_rows_recorded_during_an_export_do_not_spoil_it(reader: Client, sqlite, chain):
    lines = reader.export_ledger()
    first = next(lines)
    with sqlite.writing() as db:
        stored.append(db, [LedgerRow("score", "x", {}, False)], NOON + DAY)
        stored.seal(db, "2026-11-22", KEY, NOON + 2 * DAY)
    assert verify([first, *lines]).fault is None


def test_a_proof_is_fetched_and_checked_by_the_client(reader: Client, chain, root):
    assert reader.verify_proof(3) == reader.verify_proof(3, key=root.key) == reader.ledger_proof(3)
    with pytest.raises(ProofFailed, match="signed by another key"):
        reader.verify_proof(3, key="00" * 32)
    with pytest.raises(NotFound, match="not sealed yet"):
        reader.verify_proof(6)


def test_a_proof_that_does_not_hold_is_never_handed_on(reader: Client, chain):
    proof = reader.ledger_proof(3)
    changed = proof | {"entry": proof["entry"] | {"body": {"p": 0.9}}}
    for answer, reason in ((changed, "hash of row 3"), (reader.ledger_proof(4), "row 4"), ({}, "proof")):
        transport = httpx.MockTransport(lambda _, answer=answer: httpx.Response(200, json=answer))
        with Client("http://ninefold", transport=transport) as client, pytest.raises(ProofFailed, match=reason):
            client.verify_proof(3)


def test_timestamps_stand_beside_their_roots(client: FlaskClient, reader: Client, sqlite, chain, root, check_schema):
    """On the page of their root, and last in an export."""
    stamps = [Timestamp(root.day, name, "2026-11-22T12:00:10Z", "MA==") for name in ("tsa.example", "zeit.example")]
    with sqlite.writing() as db:
        stored.seal(db, "2026-11-22", KEY, NOON + 2 * DAY)
        stored.add_timestamps(db, [*stamps, *stamps])
    document = client.get(f"{PATH}/roots?limit=1").json
    assert document["timestamps"] == [asdict(timestamp) for timestamp in stamps]
    assert client.get(f"{PATH}/roots?since=2026-11-22").json["timestamps"] == []
    check_schema(f"{PATH}/roots", document)
    with sqlite.reading() as db:
        lines = list(stored.export(db))
    assert lines == list(reader.export_ledger())
    assert [json.loads(line)["type"] for line in lines[-4:]] == ["root", "root", "timestamp", "timestamp"]
