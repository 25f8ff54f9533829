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
    return client._http.headers.get("X-API-Key")


@pytest.mark.parametrize(
    ("options", "address", "key"),
    [
        ({}, "http://127.0.0.1:8000", None),
        ({"ORACLE_URL": "https://example.com/ninefold", "ORACLE_KEY": "nf_1"}, "https://example.com/ninefold", "nf_1"),
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


def test_a_key_file_that_is_written_later_is_read(tmp_path: Path):
    (tmp_path / "draft").write_text("nf_live_late")
    timer = threading.Timer(0.2, (tmp_path / "draft").rename, [tmp_path / "key"])
    timer.start()
    with connect({"ORACLE_KEY_FILE": str(tmp_path / "key")}) as client:
        assert key_of(client) == "nf_live_late"
    timer.join()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"ORACLE_KEY_FILE": "missing"}, "no API key in missing after 0.1 s"),
        ({"ORACLE_KEY_FILE": "empty"}, "is empty"),
        *(
            ({"ORACLE_URL": address}, f"ORACLE_URL is '{address}'")
            for address in ("127.0.0.1:8000", "ftp://127.0.0.1", "http://", "here")
        ),
    ],
)
def test_an_option_at_fault_is_named(monkeypatch, tmp_path: Path, options: dict[str, str], complaint: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(ValueError, match=complaint):
        connect(options, patience_s=0.1)


def test_connecting_needs_no_running_service():
    """The panels report it at each request; the timeout is longer than that of the models."""
    with connect({"ORACLE_URL": f"http://127.0.0.1:{free_port()}"}) as client, pytest.raises(ConnectionFailed):
        client.battle()
    (longest,) = (rule.le for rule in Settings.model_fields["oracle_deadline_s"].metadata if hasattr(rule, "le"))
    with connect({}) as client:
        assert client.timeout_s > longest + 10
