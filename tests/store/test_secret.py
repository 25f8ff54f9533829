"""The secrets of an installation: chosen, or made once for every process that starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service import config
from service.config import Settings, SettingsError
from service.store.secret import FILE, LEDGER_FILE, key_secret, ledger_key

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


@pytest.mark.parametrize("kept", [b"", b"\n", b"abc"])
def test_a_damaged_secret_is_refused_and_not_replaced(tmp_path, kept):
    """Replacing it would silently void every key."""
    (tmp_path / FILE).write_bytes(kept)
    with pytest.raises(SettingsError, match="holds no key secret"):
        key_secret(Settings(data_dir=tmp_path))
    assert (tmp_path / FILE).read_bytes() == kept


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


@pytest.mark.parametrize("kept", [b"", b"abc", b"x" * 64, b"\xff" * 64, b"0" * 65])
def test_a_damaged_ledger_key_is_refused_and_not_replaced(tmp_path, kept):
    """Replacing it would end the ledger."""
    (tmp_path / LEDGER_FILE).write_bytes(kept)
    with pytest.raises(SettingsError, match="holds no ledger key"):
        ledger_key(Settings(data_dir=tmp_path))
    assert (tmp_path / LEDGER_FILE).read_bytes() == kept


def test_a_damaged_ledger_key_is_named_and_not_shown(tmp_path):
    (tmp_path / LEDGER_FILE).write_text("my secret")
    with pytest.raises(SettingsError, match="ledger-key holds no ledger key") as refusal:
        ledger_key(Settings(data_dir=tmp_path))
    assert "my secret" not in str(refusal.value)


def test_an_invalid_secret_is_not_shown_in_the_error():
    with pytest.raises(SettingsError, match="LEDGER_KEY: must be 64 hex digits") as refusal:
        config.read({"LEDGER_KEY": "my secret"})
    assert "my secret" not in str(refusal.value)
