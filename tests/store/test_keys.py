"""Keys as rows, never stored in the clear, and the secrets of an installation: chosen, or made once for all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from service import config
from service.access.keys import key_id, matches
from service.config import Settings, SettingsError
from service.errors import InvalidKey
from service.store import keys, secret
from service.store.keys import KeyRow
from service.store.secret import FILE, LEDGER_FILE, key_secret, ledger_key, replace_key_secret, verify_fingerprint

SECRET = b"service secret"
NOW = 1_800_000_000
EMAIL = "you@example.com"


def register(db: Connection, now: float = NOW, email: str = EMAIL, **options) -> tuple[str, KeyRow]:
    return keys.register_key(db, SECRET, email, now, **options)


def test_a_registered_key_is_found_by_its_id_and_matches_its_hash(db):
    key, row = register(db, app_name="dashboard")
    assert keys.find_key(db, key_id(key)) == row
    assert matches(key, row.hash, SECRET)
    assert row.hash not in repr(row), "it would be shown in a log"
    assert (row.email, row.app_name, row.plan, row.delegating) == (EMAIL, "dashboard", "free", False)
    assert (row.created_at, row.last_used_at, row.revoked_at) == (NOW, None, None)


def test_an_id_that_is_taken_is_not_given_out_again(db, monkeypatch):
    """Thirty-two bits of id do collide; the second key must neither fail nor replace the first."""
    random = iter([b"same", b"a" * 32, b"same", b"b" * 32, b"next", b"c" * 32])
    monkeypatch.setattr(keys.secrets, "token_bytes", lambda _: next(random))
    first, second = register(db)[1], register(db)[1]
    assert (first.id, second.id) == (b"same".hex(), b"next".hex())
    assert keys.find_key(db, first.id) == first


def test_use_is_noted_at_most_once_a_minute(db):
    id = register(db)[1].id
    for after, expected in ((5, 5), (64, 5), (65, 65), (66, 65)):
        keys.touch_key(db, id, NOW + after)
        assert keys.find_key(db, id).last_used_at == NOW + expected


def test_a_rotated_key_keeps_its_row_and_the_old_key_matches_no_more(db):
    old, row = register(db, app_name="dashboard", plan="paid")
    new, row_after = keys.rotate_key(db, SECRET, row)
    with pytest.raises(InvalidKey):  # another rotation of the same key at the same time
        keys.rotate_key(db, SECRET, row)
    assert keys.find_key(db, row.id) == row_after == replace(row, hash=row_after.hash)
    assert matches(new, row_after.hash, SECRET)
    assert not matches(old, row_after.hash, SECRET)


def test_a_revoked_key_stays_revoked(db):
    _, row = register(db)
    assert keys.revoke_key(db, row.id, NOW + 9).revoked_at == NOW + 9
    assert keys.find_key(db, row.id) is None
    with pytest.raises(InvalidKey):
        keys.rotate_key(db, SECRET, row)
    with pytest.raises(InvalidKey):
        keys.grant_plan(db, row.id, "paid")


def test_keys_are_listed_oldest_first_with_the_revoked_ones(db):
    ids = [register(db, NOW + second, f"{second}@example.com")[1].id for second in (2, 1, 3)]
    keys.revoke_key(db, ids[0], NOW)
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
    assert len(set(race("make_secret", str(tmp_path), 4))) == 1
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    ("read", "name", "content"),
    [
        *((key_secret, FILE, content) for content in (b"", b"\n", b"abc")),
        *((ledger_key, LEDGER_FILE, content) for content in (b"", b"abc", b"my secret", b"x" * 64)),
        *((ledger_key, LEDGER_FILE, content) for content in (b"\xff" * 64, b"0" * 65)),
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


@pytest.fixture
def first(db: Connection, tmp_path: Path) -> Settings:
    """The settings of the first process that started with the database."""
    settings = Settings(data_dir=tmp_path / "first")
    for name in (FILE, LEDGER_FILE):
        verify_fingerprint(db, settings, name)
    return settings


@pytest.mark.parametrize("name", [FILE, LEDGER_FILE])
def test_the_secret_of_the_first_start_is_accepted_again(db, first: Settings, name):
    assert verify_fingerprint(db, first, name) == secret.stored_fingerprints(db)[name]


@pytest.mark.parametrize("name", [FILE, LEDGER_FILE])
def test_another_secret_is_refused_with_the_file_to_bring(db, first: Settings, tmp_path, name):
    other = Settings(data_dir=tmp_path / "other", key_secret="another secret!!", ledger_key="0b" * 32)
    with pytest.raises(SettingsError, match=f"bring .*/other/{name} .*, or set") as error:
        verify_fingerprint(db, other, name)
    assert "another secret" not in error.value.detail
    assert "0b0b" not in error.value.detail


@pytest.mark.parametrize("name", [FILE, LEDGER_FILE])
def test_a_missing_secret_of_a_used_database_is_not_created(db, first: Settings, tmp_path, name):
    with pytest.raises(SettingsError, match="which is not there"):
        verify_fingerprint(db, Settings(data_dir=tmp_path / "restored"), name)
    assert not (tmp_path / "restored").exists()


def test_an_operator_can_give_the_database_a_new_key_secret(db, first: Settings, tmp_path):
    other = Settings(data_dir=tmp_path / "other")
    assert replace_key_secret(db, other) == verify_fingerprint(db, other, "key-secret")


def test_a_fingerprint_is_no_part_of_a_secret(db, first: Settings):
    for name, fingerprint in secret.stored_fingerprints(db).items():
        assert fingerprint not in (first.data_dir / name).read_text()
