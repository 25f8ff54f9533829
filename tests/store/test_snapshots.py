from __future__ import annotations

import gzip
import hashlib
import json

from service.documents import Document, DocumentHeader
from service.store import snapshots

BODY = b'{"lanes":[],"schema":"bot-battle/1"}' * 20


def save(database, as_of: int, body: bytes) -> snapshots.Snapshot:
    with database.writing() as db:
        return snapshots.save_snapshot(db, "battle", as_of, body)


def latest(database) -> snapshots.Snapshot | None:
    with database.reading() as db:
        return snapshots.latest_snapshot(db, "battle")


def test_there_is_no_document_before_the_first_run(database):
    assert latest(database) is None


def test_a_document_is_served_as_it_lies(database):
    saved = save(database, 300, BODY)
    assert latest(database) == saved
    assert saved.body == BODY
    assert saved.etag == hashlib.sha256(BODY).hexdigest()[:32]
    assert gzip.decompress(saved.gzip) == BODY
    assert snapshots.zstd.decompress(saved.zstd) == BODY


def test_the_same_bytes_have_the_same_tag_in_every_process(database):
    assert save(database, 300, BODY)[2:] == save(database, 600, BODY)[2:]


def test_a_document_is_only_replaced_by_a_later_one(database):
    save(database, 300, b"first")
    save(database, 600, b"second")
    save(database, 300, b"late")
    assert latest(database).body == b"second"
    save(database, 600, b"made again")
    assert latest(database).body == b"made again"


def test_a_published_document_is_stored_as_its_json(database):
    header = DocumentHeader(
        "2027-01-15T08:00:00Z", "2027-01-15T08:00:00Z", "2027-01-15T08:15:00Z", "live", {"btc": "x"}
    )
    with database.writing() as db:
        snapshots.publish(db, 300, {"battle": Document(schema="battle/1", **vars(header))})
    assert list(json.loads(latest(database).body).items())[:2] == [
        ("schema", "battle/1"),
        ("timestamp", header.timestamp),
    ]
