from __future__ import annotations

from pathlib import Path

import pytest

from service.config import Settings, SettingsError
from service.store import secret
from service.store.database import Database
from service.store.secret import replace_key_secret, verify_fingerprint

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
    with pytest.raises(SettingsError, match=f"bring .*/other/{name} .*, or set") as caught, database.writing() as db:
        verify_fingerprint(db, other, name)
    assert "another secret" not in caught.value.detail
    assert "0b0b" not in caught.value.detail


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
