"""What `make lab` does before a browser opens, and with which options."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from notebooks import launcher
from notebooks import settings as lab_settings
from notebooks.settings import LabSettings, LaunchError
from notebooks.widgets import connect
from service.client import Client
from tests.processes import ROOT, free_port, running, wait_until_ready, wait_until_said

CONFIGURATION = ROOT / "notebooks" / "jupyter"


def configuration(name: str) -> dict:
    return json.loads((CONFIGURATION / name).read_text())


@pytest.fixture
def settings(tmp_path: Path) -> LabSettings:
    return LabSettings(free_port(), f"http://127.0.0.1:{free_port()}", data_dir=tmp_path / "var", browser=False)


@pytest.fixture
def other_server(tmp_path: Path):
    """The address of a web server that is not this service."""
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with running(command, tmp_path / "log", tmp_path) as process:
        wait_until_ready(port, process, tmp_path / "log", "/")
        yield f"http://127.0.0.1:{port}"


def launched(settings: LabSettings, log: Path, **options: str):
    """JupyterLab, started as `make lab` starts it."""
    options |= {"DATA_DIR": str(settings.data_dir), "ORACLE_URL": settings.oracle_url}
    options |= {"LAB_PORT": str(settings.port), "LAB_BROWSER": "0"}
    return running([sys.executable, "-m", "notebooks", "lab"], log, **options)


def test_a_missing_remote_service_is_one_sentence(tmp_path: Path, settings: LabSettings, other_server: str):
    """None is started there; the exit code is 2. Another server at the address is an error."""
    address = f"http://127.0.0.2:{free_port()}"
    options = {"ORACLE_URL": address, "DATA_DIR": str(tmp_path / "var")}
    command = [sys.executable, "-m", "notebooks", "lab"]
    process = subprocess.run(command, cwd=ROOT, env=os.environ | options, capture_output=True, text=True, timeout=30)
    assert process.returncode == 2
    assert process.stderr == f"ninefold: No service responds at {address}. Start it there, or unset ORACLE_URL.\n"
    assert not (tmp_path / "var").exists()
    with pytest.raises(LaunchError, match="is not this service"):
        launcher.is_service_up(replace(settings, oracle_url=other_server))


def test_kernels_find_the_project_the_service_and_the_key(settings: LabSettings):
    """And no configuration of the user, whose key is passed on; a command line has no secret."""
    environment = launcher.environment(settings, {"PYTHONPATH": "/mine", "ORACLE_KEY": ""}, mints_key=True)
    assert environment["PYTHONPATH"].split(os.pathsep) == [str(ROOT), "/mine"]
    assert environment["ORACLE_URL"] == settings.oracle_url
    assert environment["ORACLE_KEY_FILE"] == str(settings.key_file)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        assert Path(environment[name]).is_relative_to(settings.data_dir)
    environment = launcher.environment(settings, {"ORACLE_KEY": "nf_live_mine"})
    assert environment["ORACLE_KEY"] == "nf_live_mine"
    assert "ORACLE_KEY_FILE" not in environment
    words = " ".join(launcher.command(replace(settings, oracle_key="nf_live_mine")))
    assert "nf_live" not in words
    assert "token" not in words


def test_jupyter_loads_nothing_from_elsewhere():
    """Neither updates nor news."""
    overrides = configuration("labconfig/default_setting_overrides.json")
    assert overrides["@jupyterlab/apputils-extension:notification"] == {"checkForUpdates": False, "fetchNews": "false"}
    assert configuration("jupyter_lab_config.json")["LabApp"]["extension_manager"] == "readonly"
    server = configuration("jupyter_server_config.json")["ServerApp"]
    policy = server["tornado_settings"]["headers"]["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "http" not in policy


@pytest.mark.slow
def test_no_key_is_minted_without_the_data_of_the_service(local_service: LabSettings, tmp_path: Path, capsys):
    """Minting would create a database there, or keys of another service."""
    other_place = replace(local_service, data_dir=tmp_path / "var")
    assert not launcher._mints_key(other_place, is_up=True)
    assert "ORACLE_KEY is not set" in capsys.readouterr().err
    assert not other_place.data_dir.exists()
    other_place.lab_dir.mkdir(parents=True)
    with pytest.raises(LaunchError, match="No API key can be minted"):
        launcher.provide(other_place, lambda: None)
    assert not other_place.key_file.exists()


@pytest.mark.slow
def test_the_service_starts_and_ends_with_the_lab(settings: LabSettings, tmp_path: Path):
    """In an empty folder, with a key minted during the first start."""
    log = tmp_path / "log"
    with launched(settings, log, HISTORY_DAYS="60") as process:
        wait_until_ready(settings.port, process, log, "/api")
        environment = {"ORACLE_URL": settings.oracle_url, "ORACLE_KEY_FILE": str(settings.key_file)}
        with connect(environment, patience_s=60) as client:
            assert client.usage()["plan"] == "paid"
    assert f"log: {settings.log_file}" in log.read_text()
    assert str(settings.service_port) in settings.log_file.read_text()
    for port in (settings.port, settings.service_port):
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"http://127.0.0.1:{port}/")


@pytest.mark.slow
def test_a_service_that_cannot_start_is_reported(settings: LabSettings, tmp_path: Path):
    """Here because of its settings; Jupyter starts nevertheless."""
    log = tmp_path / "log"
    with launched(settings, log, ORACLE_KEY="nf_live_mine", WORLD="nowhere") as process:
        wait_until_ready(settings.port, process, log, "/api")
        wait_until_said("The service did not start: ninefold: WORLD", process, log)


@pytest.mark.slow
def test_only_this_user_can_read_the_key_files(local_service: LabSettings):
    """The key is one of the paid plan. An accepted key stays, a refused key is replaced."""
    local_service.lab_dir.mkdir(exist_ok=True)
    launcher.provide(local_service, lambda: None)
    environment = {"ORACLE_URL": local_service.oracle_url, "ORACLE_KEY_FILE": str(local_service.key_file)}
    with connect(environment) as client:
        assert client.usage()["plan"] == "paid"
    files = (local_service.key_file, local_service.saved_key_file)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    old_key = local_service.saved_key_file.read_text()
    launcher.provide(local_service, lambda: None)
    assert local_service.saved_key_file.read_text() == old_key
    local_service.saved_key_file.write_text("nf_live_of_another_database")
    launcher.provide(local_service, lambda: None)
    new_key = local_service.saved_key_file.read_text()
    assert new_key not in (old_key, "nf_live_of_another_database")
    with Client(local_service.oracle_url, new_key) as client:
        assert client.usage()["used"] >= 0


def test_the_defaults_are_those_of_the_readme():
    """An empty option counts as unset."""
    expected = LabSettings(8888, "http://127.0.0.1:8000", "", Path("var").absolute(), True)
    assert lab_settings.read({}) == expected
    assert lab_settings.read({"LAB_PORT": "", "ORACLE_URL": "", "DATA_DIR": ""}) == lab_settings.read({})


@pytest.mark.parametrize(
    ("name", "value"),
    [("LAB_PORT", "0"), ("LAB_PORT", "x"), ("ORACLE_URL", "127.0.0.1:8000"), ("ORACLE_URL", "http://a:99999")],
)
def test_an_invalid_option_is_named(name: str, value: str):
    with pytest.raises(LaunchError, match=f"{name} is '{value}'"):
        lab_settings.read({name: value})


def test_only_a_service_of_this_machine_is_local():
    """It can be started here; one behind a proxy cannot."""
    others = ("https://localhost", "http://127.0.0.1:8000/ninefold", "http://oracle.example.com")
    assert all(LabSettings(8888, address).is_local for address in ("http://127.0.0.1:8000", "http://localhost:8000/"))
    assert not any(LabSettings(8888, address).is_local for address in others)
