"""How a notebook finds the service and its key."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from notebooks.widgets import connect
from service.client import Client, ConnectionFailed
from service.config import Settings
from tests.processes import free_port


def key_of(client: Client) -> str | None:
    """The key that a client sends."""
    return client._http.headers.get("X-API-Key")


@pytest.mark.parametrize(
    ("options", "address", "key"),
    [
        ({}, "http://127.0.0.1:8000", None),
        (
            {"ORACLE_URL": "https://oracle.example.com/ninefold", "ORACLE_KEY": "nf_live_mine"},
            "https://oracle.example.com/ninefold",
            "nf_live_mine",
        ),
        ({"ORACLE_KEY": "nf_live_mine", "ORACLE_KEY_FILE": "never"}, "http://127.0.0.1:8000", "nf_live_mine"),
        ({"ORACLE_KEY_FILE": "key"}, "http://127.0.0.1:8000", "nf_live_kept"),
    ],
)
def test_address_and_key_come_from_the_environment(monkeypatch, tmp_path: Path, options, address, key):
    """A key takes precedence over the file of one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text("nf_live_kept\n")
    for name, value in options.items():
        monkeypatch.setenv(name, value)
    with connect() as client:
        assert (str(client._http.base_url).rstrip("/"), key_of(client)) == (address, key)


def test_the_timeout_is_longer_than_that_of_the_models():
    (longest,) = (rule.le for rule in Settings.model_fields["oracle_deadline_s"].metadata if hasattr(rule, "le"))
    with connect({}) as client:
        assert client.timeout_s > longest + 10


def test_a_key_file_that_is_written_later_is_read(tmp_path: Path):
    (tmp_path / "draft").write_text("nf_live_late")
    timer = threading.Timer(0.2, (tmp_path / "draft").rename, [tmp_path / "key"])
    timer.start()
    with connect({"ORACLE_KEY_FILE": str(tmp_path / "key")}) as client:
        assert key_of(client) == "nf_live_late"
    timer.join()


def test_a_missing_key_file_is_named_in_the_error(tmp_path: Path):
    with pytest.raises(ValueError, match=f"no API key in {tmp_path / 'key'} after 0.1 s"):
        connect({"ORACLE_KEY_FILE": str(tmp_path / "key")}, patience_s=0.1)


def test_an_empty_key_file_is_an_error(tmp_path: Path):
    (tmp_path / "key").write_text("\n")
    with pytest.raises(ValueError, match="is empty"):
        connect({"ORACLE_KEY_FILE": str(tmp_path / "key")})


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "ftp://127.0.0.1", "http://", "here"])
def test_an_invalid_address_is_named_in_the_error(address: str):
    with pytest.raises(ValueError, match=f"ORACLE_URL is '{address}'"):
        connect({"ORACLE_URL": address})


def test_connecting_needs_no_running_service():
    """The panels report it at each request."""
    with connect({"ORACLE_URL": f"http://127.0.0.1:{free_port()}"}) as client, pytest.raises(ConnectionFailed):
        client.battle()
