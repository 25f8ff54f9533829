"""The secret that keys are hashed with: chosen, or made once for every process that starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service.config import Settings, SettingsError
from service.store.secret import FILE, key_secret

ROOT = Path(__file__).parents[2]
STARTER = """
import sys
from pathlib import Path
from service.config import Settings
from service.store.secret import key_secret
print(key_secret(Settings(data_dir=Path(sys.argv[1]))).decode())
"""


def test_a_chosen_secret_is_used_and_none_is_made(tmp_path):
    assert key_secret(Settings(data_dir=tmp_path, key_secret="chosen")) == b"chosen"
    assert not list(tmp_path.iterdir())


def test_a_secret_is_made_once_and_for_its_owner_alone(tmp_path):
    settings = Settings(data_dir=tmp_path / "new")
    made = key_secret(settings)
    assert key_secret(settings) == made
    assert len(bytes.fromhex(made.decode())) == 32
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
