"""The file of the store: deletion, modes, versions, and writers at once."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest

from bot.store import Store, Target
from bot.store.sqlite_file import VERSIONS, statements
from tests.bot.store.conftest import ANN, BEN, QUESTION, alert


def fill(store: Store, user: int) -> str:
    """Store every kind of data of a person; returns the token of the payload."""
    store.remember_challenge(user, user, user)
    store.set_digest_hour(user, user, "7")
    store.queue([alert(user)])
    store.open_question(user, user, None, None, QUESTION, 0)
    store.remember_call(user, "market", "yes")
    store.remember_call(user, "market", 0.7)
    store.follow(user, user, Target("market", "daily-btc-up"))
    store.set_setting(user, "quiet", "22-7")
    return store.keep(user, "votes", {"question": QUESTION})


def test_all_data_of_a_person_is_deleted_and_counted(store):
    """Also the follow of another person, which names whose question it is."""
    fill(store, ANN)
    store.follow(BEN, BEN, Target("answer", "a1", owner_id=ANN))
    ones = ("answers", "challenges", "waiting", "sent", "questions", "votes", "forecasts", "follows")
    assert store.forget(ANN) == dict.fromkeys(ones, 1) | {"alerts": 3, "sent": 2}
    assert set(store.forget(ANN).values()) == {0}
    assert store.follows_of(BEN) == []


def test_the_data_of_other_people_stays(store):
    fill(store, ANN)
    token = fill(store, BEN)
    store.forget(ANN)
    assert store.find(BEN, token) == {"question": QUESTION}
    assert store.is_author(BEN, BEN)
    assert [follow.user_id for follow in store.follows("market")] == [BEN]
    assert store.setting(BEN, "quiet") == "22-7"
    assert store.setting(BEN, "hour") == "7"
    assert [waiting.user_id for waiting in store.waiting()] == [BEN]


def test_deleted_data_is_not_left_on_the_disk(store, file):
    fill(store, ANN)
    store.keep(ANN, "votes", {"question": "whether a certain ship comes in"})
    files = list(file.parent.iterdir())
    assert any(b"a certain ship" in path.read_bytes() for path in files)
    store.forget(ANN)
    assert not any(b"a certain ship" in path.read_bytes() for path in files)


def test_all_files_are_readable_by_their_owner_only(file, clock):
    """The mode of an existing file is corrected."""
    file.parent.mkdir()
    file.touch(mode=0o644)
    with closing(Store(file, clock)) as store:
        store.keep(ANN, "votes", {})
        files = list(file.parent.iterdir())
        assert len(files) == 3
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_a_file_of_a_newer_version_is_refused(file, clock):
    Store(file, clock).close()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(RuntimeError, match="newer version"):
        Store(file, clock)
    with closing(sqlite3.connect(file)) as db, db:
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
        tokens = list(pool.map(lambda n: (store, again)[n % 2].keep(n, "votes", {"n": n}), range(80)))
    assert len(set(tokens)) == 80
    assert all(store.find(n, token) == {"n": n} for n, token in enumerate(tokens))


@contextmanager
def earlier(file, version: int) -> Iterator[sqlite3.Connection]:
    """A file of an earlier version of the schema, to be filled."""
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as db, db:
        for statement in statements(VERSIONS[:version]):
            db.execute(statement)
        yield db
        db.execute(f"PRAGMA user_version = {version}")


def test_a_file_of_the_first_version_is_migrated(file, clock):
    """Saved answers are readable, and authors follow their challenges that were open."""
    with earlier(file, 1) as db:
        payload = '{"told": {"question": "Will it?", "p_yes": 0.5}, "usage": null}'
        kept_at = clock.now.timestamp()
        db.execute("INSERT INTO answer VALUES ('token', 11, 11, 'answer', ?, ?)", (payload, kept_at))
        db.execute("INSERT INTO answer VALUES ('other', 11, 11, 'markets', '{\"markets\": [\"m1\"]}', ?)", (kept_at,))
        db.executemany("INSERT INTO challenge VALUES (?, 11, 11, 0, ?)", [(1, None), (2, kept_at)])
    with closing(Store(file, clock)) as store:
        assert store.find(ANN, "token") == {"answer": {"question": "Will it?", "p_yes": 0.5}, "usage": None}
        assert store.find(ANN, "other") == {"markets": ["m1"]}
        follows = [(follow.user_id, follow.target.subject) for follow in store.follows("market")]
        assert follows == [(ANN, "challenge-1")]
        assert store.is_author(ANN, 2)


def test_the_choices_of_an_earlier_version_are_kept(file, clock):
    """The language, the zone, the hour of the digest, quiet hours and the theme become settings."""
    with earlier(file, 8) as db:
        db.execute("INSERT INTO chat_language VALUES (11, 'de', 'fr', 'Asia/Tokyo')")
        db.execute("INSERT INTO quiet_hours VALUES (11, 22, 7, 'Asia/Tokyo')")
        for event, hour in (("digest", 6), ("dark_charts", None)):
            values = (11, event, 11, "on", 5.0, 0, hour, "Asia/Tokyo")
            db.execute("INSERT INTO switch VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    with closing(Store(file, clock)) as store:
        names = ("language", "seen", "zone", "hour", "quiet", "theme")
        assert [store.setting(ANN, name) for name in names] == ["de", "fr", "Asia/Tokyo", "6", "22-7", "dark"]
        assert store.subscribers("digest") == [(ANN, ANN, False, 5.0)]
