"""Keys as rows, never stored in the clear, and the secrets of an installation: chosen, or made once for all."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from service import config
from service.access.keys import key_id, matches
from service.config import Settings, SettingsError
from service.errors import InvalidKey
from service.store import keys, secret
from service.store.database import Database
from service.store.keys import KeyRow
from service.store.secret import FILE, LEDGER_FILE, key_secret, ledger_key, replace_key_secret, verify_fingerprint

SECRET = b"service secret"
NOW = 1_800_000_000
EMAIL = "you@example.com"


def register(database: Database, now: float = NOW, email: str = EMAIL, **options) -> tuple[str, KeyRow]:
    with database.writing() as db:
        return keys.register_key(db, SECRET, email, now, **options)


def find(database: Database, id: str) -> KeyRow | None:
    with database.reading() as db:
        return keys.find_key(db, id)


def use(database: Database, id: str, now: float) -> None:
    with database.writing() as db:
        keys.touch_key(db, id, now)


def test_a_registered_key_is_found_by_its_id_and_matches_its_hash(database):
    key, row = register(database, app_name="dashboard")
    assert find(database, key_id(key)) == row
    assert matches(key, row.hash, SECRET)
    assert (row.email, row.app_name, row.plan, row.delegating) == (EMAIL, "dashboard", "free", False)
    assert (row.created_at, row.last_used_at, row.revoked_at) == (NOW, None, None)


def test_a_row_shown_in_a_log_does_not_show_its_hash(database):
    _, row = register(database)
    assert row.hash not in repr(row)


def test_an_id_that_is_taken_is_not_given_out_again(database, monkeypatch):
    """Thirty-two bits of id do collide; the second key must neither fail nor replace the first."""
    random = iter([b"same", b"a" * 32, b"same", b"b" * 32, b"next", b"c" * 32])
    monkeypatch.setattr(keys.secrets, "token_bytes", lambda _: next(random))
    first, second = register(database)[1], register(database)[1]
    assert (first.id, second.id) == (b"same".hex(), b"next".hex())
    assert find(database, first.id) == first


def test_use_is_noted_at_most_once_a_minute(database):
    id = register(database)[1].id
    for after, expected in ((5, 5), (64, 5), (65, 65), (66, 65)):
        use(database, id, NOW + after)
        assert find(database, id).last_used_at == NOW + expected


def test_a_rotated_key_keeps_its_row_and_the_old_key_matches_no_more(database):
    old, row = register(database, app_name="dashboard", plan="paid")
    with database.writing() as db:
        new, row_after = keys.rotate_key(db, SECRET, row)
        with pytest.raises(InvalidKey):  # another rotation of the same key at the same time
            keys.rotate_key(db, SECRET, row)
    assert find(database, row.id) == row_after == dataclasses.replace(row, hash=row_after.hash)
    assert matches(new, row_after.hash, SECRET)
    assert not matches(old, row_after.hash, SECRET)


def test_a_revoked_key_stays_revoked(database):
    row = register(database)[1]
    id = row.id
    with database.writing() as db:
        assert keys.revoke_key(db, id, NOW + 9).revoked_at == NOW + 9
    assert find(database, id) is None
    for change in (lambda db: keys.rotate_key(db, SECRET, row), lambda db: keys.grant_plan(db, id, "paid")):
        with pytest.raises(InvalidKey), database.writing() as db:
            change(db)


def test_keys_are_listed_oldest_first_with_the_revoked_ones(database):
    ids = [register(database, NOW + second, f"{second}@example.com")[1].id for second in (2, 1, 3)]
    with database.writing() as db:
        keys.revoke_key(db, ids[0], NOW)
    with database.reading() as db:
        assert [row.id for row in keys.listed_keys(db)] == [ids[1], ids[0], ids[2]]
        assert [row.id for row in keys.listed_keys(db, "3@example.com")] == [ids[2]]


def test_a_configured_secret_is_used_and_none_is_created(tmp_path):
    settings = Settings(data_dir=tmp_path, key_secret="sixteen letters!", ledger_key="0A" * 32)
    assert (key_secret(settings), ledger_key(settings)) == (b"sixteen letters!", b"\x0a" * 32)
    assert not list(tmp_path.iterdir())


def test_secrets_are_created_once_for_their_owner_only(tmp_path):
    settings = Settings(data_dir=tmp_path / "new")
    secret, key = key_secret(settings), ledger_key(settings)
    assert (key_secret(settings), ledger_key(settings)) == (secret, key)
    assert (len(bytes.fromhex(secret.decode())), len(key)) == (32, 32)
    assert key.hex().encode() != secret
    files = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "new").iterdir()}
    assert files == {FILE: 0o600, LEDGER_FILE: 0o600}


def test_processes_that_start_at_once_agree(tmp_path, race):
    assert len(set(race("make-secret", str(tmp_path), 4))) == 1
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    ("read", "name", "content"),
    [
        *((key_secret, FILE, content) for content in (b"", b"\n", b"abc")),
        *(
            (ledger_key, LEDGER_FILE, content)
            for content in (b"", b"abc", b"my secret", b"x" * 64, b"\xff" * 64, b"0" * 65)
        ),
    ],
)
def test_a_damaged_secret_is_refused_and_not_replaced(tmp_path, read, name: str, content: bytes):
    """Replacing it would silently void every key, or end the ledger; nothing of it is shown."""
    (tmp_path / name).write_bytes(content)
    kind = "key secret" if name == FILE else "ledger key"
    with pytest.raises(SettingsError, match=f"{name} holds no {kind}") as refusal:
        read(Settings(data_dir=tmp_path))
    assert (tmp_path / name).read_bytes() == content
    assert len(content) < 9 or content.decode(errors="replace")[:9] not in str(refusal.value)


def test_an_invalid_secret_is_not_shown_in_the_error():
    with pytest.raises(SettingsError, match="LEDGER_KEY: must be 64 hex digits") as refusal:
        config.read({"LEDGER_KEY": "my secret"})
    assert "my secret" not in str(refusal.value)


NAMES = ("key-secret", "ledger-key")


@pytest.fixture
def first(database: Database, tmp_path: Path) -> Settings:
    """The settings of the first process that started with the database."""
    settings = Settings(data_dir=tmp_path / "first")
    with database.writing() as db:
        for name in NAMES:
            verify_fingerprint(db, settings, name)
    return settings


@pytest.mark.parametrize("name", NAMES)
def test_the_secret_of_the_first_start_is_accepted_again(database: Database, first: Settings, name):
    with database.writing() as db:
        assert verify_fingerprint(db, first, name) == secret.stored_fingerprints(db)[name]


@pytest.mark.parametrize("name", NAMES)
def test_another_secret_is_refused_with_the_file_to_bring(database: Database, first: Settings, tmp_path, name):
    other = Settings(data_dir=tmp_path / "other", key_secret="another secret!!", ledger_key="0b" * 32)
    with pytest.raises(SettingsError, match=f"bring .*/other/{name} .*, or set") as error, database.writing() as db:
        verify_fingerprint(db, other, name)
    assert "another secret" not in error.value.detail
    assert "0b0b" not in error.value.detail


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_secret_of_a_used_database_is_not_created(database: Database, first: Settings, tmp_path, name):
    with pytest.raises(SettingsError, match="which is not there"), database.writing() as db:
        verify_fingerprint(db, Settings(data_dir=tmp_path / "restored"), name)
    assert not (tmp_path / "restored").exists()


def test_an_operator_can_give_the_database_a_new_key_secret(database: Database, first: Settings, tmp_path):
    other = Settings(data_dir=tmp_path / "other")
    with database.writing() as db:
        assert replace_key_secret(db, other) == verify_fingerprint(db, other, "key-secret")


def test_a_fingerprint_is_no_part_of_a_secret(database: Database, first: Settings):
    with database.reading() as db:
        for name, fingerprint in secret.stored_fingerprints(db).items():
            assert fingerprint not in (first.data_dir / name).read_text()
