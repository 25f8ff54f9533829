"""The API key of the workbench: minted, saved, tested and replaced."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from notebooks import lab_key
from notebooks.settings import LabSettings, LaunchError
from notebooks.widgets import connect
from service.client import Client

pytestmark = pytest.mark.slow


def test_only_this_user_can_read_the_key_files(local_service: LabSettings):
    """The key is one of the paid plan."""
    local_service.lab_dir.mkdir(exist_ok=True)
    lab_key.provide(local_service, lambda: None)
    environment = {"ORACLE_URL": local_service.oracle_url, "ORACLE_KEY_FILE": str(local_service.key_file)}
    with connect(environment) as client:
        assert client.usage()["plan"] == "paid"
    files = (local_service.key_file, local_service.saved_key_file)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_an_accepted_key_stays_a_refused_key_is_replaced(local_service: LabSettings):
    local_service.lab_dir.mkdir(exist_ok=True)
    lab_key.provide(local_service, lambda: None)
    saved = local_service.saved_key_file.read_text()
    lab_key.provide(local_service, lambda: None)
    assert local_service.saved_key_file.read_text() == saved
    local_service.saved_key_file.write_text("nf_live_of_another_database")
    lab_key.provide(local_service, lambda: None)
    fresh = local_service.saved_key_file.read_text()
    assert fresh not in (saved, "nf_live_of_another_database")
    with Client(local_service.oracle_url, fresh) as client:
        assert client.usage()["used"] >= 0


def test_a_service_with_its_data_elsewhere_is_an_error(local_service: LabSettings, tmp_path: Path):
    """Its keys cannot be minted here."""
    elsewhere = replace(local_service, data_dir=tmp_path / "var")
    elsewhere.lab_dir.mkdir(parents=True)
    with pytest.raises(LaunchError, match="No API key can be minted"):
        lab_key.provide(elsewhere, lambda: None)
    assert not elsewhere.key_file.exists()
