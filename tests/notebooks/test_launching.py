"""What `make lab` and `make voila` do before a browser is opened."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import nbformat
import pytest

from notebooks import lab_key, launching, settings
from notebooks.settings import LaunchError, Settings
from notebooks.widgets import connect
from service.client import Client
from tests.processes import ROOT, free_port, running, wait_until_ready, wait_until_said

CONFIGURATION = ROOT / "notebooks" / "jupyter"


def told(name: str) -> dict:
    """What Jupyter is told in a file."""
    return json.loads((CONFIGURATION / name).read_text())


@pytest.fixture
def chosen(tmp_path: Path) -> Settings:
    """Settings on free ports, with data in a folder of their own."""
    return Settings(free_port(), f"http://127.0.0.1:{free_port()}", data_dir=tmp_path / "var", browser=False)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service of its own, and the settings that lead to it."""
    folder, port = tmp_path_factory.mktemp("service"), free_port()
    options = {"DATA_DIR": str(folder / "var"), "PORT": str(port), "HISTORY_DAYS": "60"}
    with running([sys.executable, "app.py"], folder / "log", **options) as process:
        wait_until_ready(port, process, folder / "log", "/healthz")
        yield Settings(free_port(), f"http://127.0.0.1:{port}", data_dir=folder / "var", browser=False)


def launched(chosen: Settings, log: Path, what: str = "lab"):
    """The launcher as `make` runs it."""
    options = {"DATA_DIR": str(chosen.data_dir), "ORACLE_URL": chosen.oracle_url, "HISTORY_DAYS": "60"}
    options |= {f"{what.upper()}_PORT": str(chosen.port), "LAB_BROWSER": "0", "ORACLE_KEY": chosen.oracle_key}
    return running([sys.executable, "-m", "notebooks", what], log, **options)


def test_options_have_the_defaults_that_the_readme_tells():
    found = settings.read("lab", {})
    assert found == Settings(8888, "http://127.0.0.1:8000", "", Path("var").absolute(), True)
    assert settings.read("voila", {}).port == 8866


@pytest.mark.parametrize(
    ("name", "value"),
    [("LAB_PORT", "0"), ("LAB_PORT", "x"), ("ORACLE_URL", "127.0.0.1:8000"), ("ORACLE_URL", "http://a:99999")],
)
def test_an_option_that_cannot_be_used_is_named(name: str, value: str):
    with pytest.raises(LaunchError, match=f"{name} is '{value}'"):
        settings.read("lab", {name: value})


def test_an_empty_option_is_one_that_is_not_set():
    assert settings.read("lab", {"LAB_PORT": "", "ORACLE_URL": "", "DATA_DIR": ""}) == settings.read("lab", {})


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://localhost:8000/", True),
        ("https://localhost", False),
        ("http://127.0.0.1:8000/ninefold", False),
        ("http://oracle.example.com", False),
    ],
)
def test_only_a_service_of_this_machine_is_started(address: str, is_here: bool):
    assert Settings(8888, address).is_here == is_here


def test_nobody_at_an_address_elsewhere_is_one_sentence_and_exit_code_2(tmp_path: Path):
    """The address is not one at which a service is started, though this machine alone would answer there."""
    address = f"http://127.0.0.2:{free_port()}"
    options = {"ORACLE_URL": address, "DATA_DIR": str(tmp_path / "var")}
    command = [sys.executable, "-m", "notebooks", "lab"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | options, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2
    assert done.stderr == f"ninefold: Nobody answers at {address}: start the service there, or unset ORACLE_URL.\n"
    assert not (tmp_path / "var").exists()


def test_somebody_else_at_the_address_is_told(chosen: Settings, httpserver_of_another: str):
    with pytest.raises(LaunchError, match="is not this service"):
        launching.answers(replace(chosen, oracle_url=httpserver_of_another))


@pytest.fixture
def httpserver_of_another(tmp_path: Path):
    """A web server that is not ours."""
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with running(command, tmp_path / "log", tmp_path) as process:
        wait_until_ready(port, process, tmp_path / "log", "/")
        yield f"http://127.0.0.1:{port}"


def test_kernels_find_the_project_the_service_and_the_key_and_nothing_of_the_readers_own(chosen: Settings):
    given = launching.environment(chosen, {"PYTHONPATH": "/mine", "ORACLE_KEY": ""}, mints=True)
    assert given["PYTHONPATH"].split(os.pathsep) == [str(ROOT), "/mine"]
    assert given["ORACLE_URL"] == chosen.oracle_url
    assert given["ORACLE_KEY_FILE"] == str(chosen.key_file)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        assert Path(given[name]).is_relative_to(chosen.data_dir)


def test_a_key_of_the_readers_own_is_handed_on_as_it_is(chosen: Settings):
    given = launching.environment(chosen, {"ORACLE_KEY": "nf_live_mine"}, mints=False)
    assert given["ORACLE_KEY"] == "nf_live_mine"
    assert "ORACLE_KEY_FILE" not in given


@pytest.mark.parametrize("what", ["lab", "voila"])
def test_no_secret_stands_on_a_command_line(what: str, chosen: Settings):
    words = " ".join(launching.command(what, replace(chosen, oracle_key="nf_live_mine")))
    assert "nf_live" not in words
    assert "token" not in words


def test_jupyter_loads_nothing_from_elsewhere_and_asks_for_no_news():
    overrides = told("labconfig/default_setting_overrides.json")
    assert overrides["@jupyterlab/apputils-extension:notification"] == {"checkForUpdates": False, "fetchNews": "false"}
    assert told("jupyter_lab_config.json")["LabApp"]["extension_manager"] == "readonly"
    for name, section in (("jupyter_server_config.json", "ServerApp"), ("voila.json", "Voila")):
        policy = told(name)[section]["tornado_settings"]["headers"]["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "http" not in policy


def test_notebooks_are_stripped_and_of_at_most_eight_cells():
    for file in (ROOT / "notebooks").glob("*.ipynb"):
        cells = nbformat.read(file, as_version=4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert len(cells) <= 8, file.name
        assert not [cell for cell in code if cell.outputs or cell.execution_count], file.name


def test_the_lab_has_a_key_of_its_own_that_only_this_user_reads(service: Settings):
    service.lab_dir.mkdir(exist_ok=True)
    lab_key.provide(service, lambda: None)
    given = {"ORACLE_URL": service.oracle_url, "ORACLE_KEY_FILE": str(service.key_file)}
    with connect(given) as client:
        assert client.usage()["plan"] == "paid"
    assert {stat.S_IMODE(file.stat().st_mode) for file in (service.key_file, service.kept_key)} == {0o600}


def test_a_key_that_is_taken_is_kept_and_one_that_is_refused_is_replaced(service: Settings):
    service.lab_dir.mkdir(exist_ok=True)
    lab_key.provide(service, lambda: None)
    kept = service.kept_key.read_text()
    lab_key.provide(service, lambda: None)
    assert service.kept_key.read_text() == kept
    service.kept_key.write_text("nf_live_of_another_database")
    lab_key.provide(service, lambda: None)
    fresh = service.kept_key.read_text()
    assert fresh not in (kept, "nf_live_of_another_database")
    with Client(service.oracle_url, fresh) as client:
        assert client.usage()["used"] >= 0


def test_a_service_with_its_data_elsewhere_is_told(service: Settings, tmp_path: Path):
    """Its keys cannot be made here."""
    elsewhere = replace(service, data_dir=tmp_path / "var")
    elsewhere.lab_dir.mkdir(parents=True)
    with pytest.raises(LaunchError, match="its data is elsewhere"):
        lab_key.provide(elsewhere, lambda: None)
    assert not elsewhere.key_file.exists()


def test_no_key_is_minted_where_the_running_service_has_no_data(service: Settings, tmp_path: Path, capsys):
    """Minting there would make a database that nobody asked for."""
    elsewhere = replace(service, data_dir=tmp_path / "var")
    assert not launching._mints(elsewhere, is_up=True)
    assert "ORACLE_KEY is not set" in capsys.readouterr().err
    assert not elsewhere.data_dir.exists()


def test_the_service_is_started_with_the_lab_and_ended_with_it(chosen: Settings, tmp_path: Path):
    """On an empty folder, with a key that was minted beside the first start."""
    log = tmp_path / "log"
    with launched(chosen, log) as process:
        wait_until_ready(chosen.port, process, log, "/api")
        given = {"ORACLE_URL": chosen.oracle_url, "ORACLE_KEY_FILE": str(chosen.key_file)}
        with connect(given, patience_s=60) as client:
            assert client.usage()["plan"] == "paid"
    assert f"its log is {launching.log_of(chosen)}" in log.read_text()
    assert "Ninefold answers at" in launching.log_of(chosen).read_text()
    for port in (chosen.port, chosen.service_port):
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"http://127.0.0.1:{port}/")


def test_a_service_that_cannot_start_is_told_with_its_reason(chosen: Settings, tmp_path: Path):
    """Its settings are wrong; Jupyter is there all the same."""
    log = tmp_path / "log"
    options = {"DATA_DIR": str(chosen.data_dir), "ORACLE_URL": chosen.oracle_url, "ORACLE_KEY": "nf_live_mine"}
    options |= {"LAB_PORT": str(chosen.port), "LAB_BROWSER": "0", "WORLD": "nowhere"}
    with running([sys.executable, "-m", "notebooks", "lab"], log, **options) as process:
        wait_until_ready(chosen.port, process, log, "/api")
        wait_until_said("The service did not start: ninefold: WORLD", process, log)


def test_make_has_both():
    for target in ("lab", "voila"):
        done = subprocess.run([shutil.which("make"), "-n", target], cwd=ROOT, capture_output=True, text=True)
        assert f"python -m notebooks {target}" in done.stdout
