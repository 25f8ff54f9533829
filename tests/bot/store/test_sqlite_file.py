"""The database file: its mode, its schema, its transactions."""

from __future__ import annotations

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.store import Store
from bot.store.schema import FIRST, VERSIONS
from tests.bot.store.people import ANN, QUESTION, alert


def test_all_files_are_readable_by_their_owner_only(store, file):
    store.save_draft(ANN, QUESTION)
    files = list(file.parent.iterdir())
    assert len(files) == 3
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_the_mode_of_an_existing_file_is_corrected(file, clock):
    file.parent.mkdir()
    file.touch(mode=0o644)
    Store(file, clock).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_file_has_the_newest_schema_version(store, file):
    with sqlite3.connect(file) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(VERSIONS),)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_of_a_newer_version_is_refused(file, clock):
    Store(file, clock).close()
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(RuntimeError, match="newer version"):
        Store(file, clock)
    with sqlite3.connect(file) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (99,)


def test_a_failed_transaction_leaves_nothing(store):
    broken = alert(key="two")._replace(text=None)
    with pytest.raises(sqlite3.IntegrityError):
        store.record("flip", {"side": "BULLISH"}, [alert(key="one"), broken])
    assert store.state("flip") is None
    assert store.waiting() == []
    assert not store.is_marked(ANN, "flip", "one")


def test_threads_and_processes_can_write_at_once(store, again):
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda n: (store, again)[n % 2].save_draft(n, QUESTION), range(80)))
    assert len(set(ids)) == 80
    assert all(store.draft(n, id) for n, id in enumerate(ids))


def test_a_file_of_the_first_version_is_migrated(file, clock):
    """Saved answers are readable, and authors follow their challenges that were open."""
    file.parent.mkdir()
    with sqlite3.connect(file) as db:
        for statement in FIRST:
            db.execute(statement)
        payload = '{"told": {"question": "Will it?", "p_yes": 0.5}, "usage": null}'
        kept_at = clock.now.timestamp()
        db.execute("INSERT INTO answer VALUES ('token', 11, 11, 'answer', ?, ?)", (payload, kept_at))
        db.execute("INSERT INTO answer VALUES ('other', 11, 11, 'markets', '{\"markets\": [\"m1\"]}', ?)", (kept_at,))
        db.executemany("INSERT INTO challenge VALUES (?, 11, 11, 0, ?)", [(1, None), (2, kept_at)])
        db.execute("PRAGMA user_version = 1")
    store = Store(file, clock)
    assert store.find(ANN, "token") == {"answer": {"question": "Will it?", "p_yes": 0.5}, "usage": None}
    assert store.find(ANN, "other") == {"markets": ["m1"]}
    assert [(follow.user_id, follow.target.subject) for follow in store.follows("challenge")] == [(ANN, "1")]
    assert store.is_author(ANN, 2)
    store.close()
