"""The secrets of an installation: chosen, or made once for every process that starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service import config
from service.config import Settings, SettingsError
from service.store import secret
from service.store.database import Database
from service.store.secret import FILE, LEDGER_FILE, key_secret, ledger_key, replace_key_secret, verify_fingerprint

ROOT = Path(__file__).parents[2]
STARTER = """
import sys
from pathlib import Path
from service.config import Settings
from service.store.secret import key_secret
print(key_secret(Settings(data_dir=Path(sys.argv[1]))).decode())
"""


def test_a_configured_secret_is_used_and_none_is_created(tmp_path):
    assert key_secret(Settings(data_dir=tmp_path, key_secret="sixteen letters!")) == b"sixteen letters!"
    assert not list(tmp_path.iterdir())


def test_a_secret_is_created_once_and_readable_by_its_owner_only(tmp_path):
    settings = Settings(data_dir=tmp_path / "new")
    secret = key_secret(settings)
    assert key_secret(settings) == secret
    assert len(bytes.fromhex(secret.decode())) == 32
    assert [path.name for path in (tmp_path / "new").iterdir()] == [FILE]
    assert (tmp_path / "new" / FILE).stat().st_mode & 0o777 == 0o600


def test_processes_that_start_at_once_agree(tmp_path):
    command = [sys.executable, "-c", STARTER, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(4)]
    assert len({process.communicate(timeout=60)[0] for process in processes}) == 1
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("content", [b"", b"\n", b"abc"])
def test_a_damaged_secret_is_refused_and_not_replaced(tmp_path, content):
    """Replacing it would silently void every key."""
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(SettingsError, match="holds no key secret"):
        key_secret(Settings(data_dir=tmp_path))
    assert (tmp_path / FILE).read_bytes() == content


def test_a_configured_ledger_key_is_used_and_none_is_created(tmp_path):
    assert ledger_key(Settings(data_dir=tmp_path, ledger_key="0A" * 32)) == b"\x0a" * 32
    assert not list(tmp_path.iterdir())


def test_a_ledger_key_is_created_once_for_its_owner_only(tmp_path):
    settings = Settings(data_dir=tmp_path)
    key = ledger_key(settings)
    assert (ledger_key(settings), len(key)) == (key, 32)
    assert key.hex().encode() != key_secret(settings)
    assert {path.name for path in tmp_path.iterdir()} == {FILE, LEDGER_FILE}
    assert (tmp_path / LEDGER_FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"abc", b"x" * 64, b"\xff" * 64, b"0" * 65])
def test_a_damaged_ledger_key_is_refused_and_not_replaced(tmp_path, content):
    """Replacing it would end the ledger."""
    (tmp_path / LEDGER_FILE).write_bytes(content)
    with pytest.raises(SettingsError, match="holds no ledger key"):
        ledger_key(Settings(data_dir=tmp_path))
    assert (tmp_path / LEDGER_FILE).read_bytes() == content


def test_a_damaged_ledger_key_is_named_and_not_shown(tmp_path):
    (tmp_path / LEDGER_FILE).write_text("my secret")
    with pytest.raises(SettingsError, match="ledger-key holds no ledger key") as refusal:
        ledger_key(Settings(data_dir=tmp_path))
    assert "my secret" not in str(refusal.value)


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
