"""What a start needs is installed, what it does not need is asked for in one sentence; also as a package."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from service.errors import OPTIONAL_PACKAGES
from tests.processes import ROOT, free_port, running, wait_until_ready
from tests.wheels import unpacked

# Python as `make run` installs it: without the packages of other roles, wherever they are.
WITHOUT = """
import runpy, sys
for name in {names}:
    sys.modules[name] = None
sys.argv = ["app.py", *{words}]
sys.path.insert(0, {root!r})
runpy.run_path({root!r} + "/app.py", run_name="__main__")
"""
FRONT_ENDS = ("anywidget", "babel", "ipywidgets", "matplotlib", "pandas", "plotly", "pytest", "telegram")


def started(folder: Path, *words: str, **options: str) -> subprocess.CompletedProcess:
    """A start that ends by itself, without the packages of other roles."""
    names = (*OPTIONAL_PACKAGES, *FRONT_ENDS)
    script = WITHOUT.format(names=names, words=words, root=str(ROOT))
    environment = {"DATA_DIR": str(folder), "PATH": "", "WORLD": "simulated", "HISTORY_DAYS": "60"} | options
    return subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("words", "options", "package"),
    [
        ((), {"ORACLE_MODEL": "ollama:llama3.2"}, "openai"),
        ((), {"DATABASE_URL": "postgresql://127.0.0.1:5432/test"}, "psycopg"),
        ((), {"REDIS_URL": "redis://127.0.0.1:6379"}, "redis"),
        ((), {"LEDGER_TSA_URLS": "http://127.0.0.1:1/"}, "rfc3161_client"),
    ],
)
def test_a_package_that_is_absent_is_named(tmp_path: Path, words: tuple[str, ...], options: dict, package: str):
    """With the command that installs it, and exit code 2."""
    done = started(tmp_path, *words, **options)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 2
    assert last.startswith(f"ninefold: This needs the package {package}, which is not installed: `make install`,")


@pytest.mark.parametrize(
    ("option", "role"),
    [
        ("ORACLE_NEWS_MODEL=ollama:llama3.2", "models"),
        ("DATABASE_URL=postgresql://127.0.0.1:5432/test", "server"),
        ("BARS_DIR=bars", "tables"),
        ("WITNESS_OF = https://ledger.example.com", "timestamps"),
        ("export REDIS_URL=redis://127.0.0.1:6379", "server"),
        ("#ORACLE_MODEL=\nDATABASE_URL=\nTHREADS=4", None),
    ],
)
def test_run_installs_what_options_in_the_file_need(tmp_path: Path, option: str, role: str | None):
    """As for those of the environment; what is said meanwhile is no output, which `make mcp` needs for itself."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / ".requirements", tmp_path / ".requirements")
    (tmp_path / ".env").write_text(option)
    done = subprocess.run(
        ["make", "-n", "run"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True
    )
    assert re.findall(r"Installing for: (\w+)", done.stdout) == [role] * (role is not None), done.stderr
    assert all(line.endswith(">&2") for line in done.stdout.splitlines() if line.startswith("echo"))


def test_a_start_needs_no_package_of_another_role(tmp_path: Path):
    """The service gets as far as its port, here one that is in use."""
    with socket.create_server(("127.0.0.1", 0)) as busy:
        done = started(tmp_path, PORT=str(busy.getsockname()[1]))
    assert "cannot listen on 127.0.0.1" in done.stderr


def test_options_are_read_from_the_file_beside_them(tmp_path: Path):
    """A variable of the environment counts more."""
    (tmp_path / ".env").write_text('THREADS = "many"\nWORLD=nowhere\n')
    assert "ninefold: THREADS: " in (done := started(tmp_path)).stderr
    assert "WORLD" not in done.stderr


@pytest.mark.parametrize(
    ("licence", "is_refused"),
    [
        ("License-Expression: MIT", False),
        ("License-Expression: GPL-3.0-or-later", True),
        ("License-Expression: MIT OR GPL-2.0-only", False),
        ("Classifier: License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3)", False),
        ("Classifier: License :: OSI Approved :: GNU Affero General Public License v3", True),
        ("License: GNU GPL v2", True),
    ],
)
def test_a_package_under_the_gpl_is_refused(tmp_path: Path, licence: str, is_refused: bool):
    """Whatever field of its metadata says so."""
    folder = tmp_path / "planted-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: planted\nVersion: 1.0\n{licence}\n")
    (tmp_path / "requirements.txt").write_text("planted==1.0 \\\n    --hash=sha256:00\n")
    command = [sys.executable, ROOT / ".ci" / "licences.py", tmp_path / "requirements.txt"]
    done = subprocess.run(command, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, "planted" in done.stdout) == (int(is_refused), is_refused), done.stderr


COMMAND = """
import sys
sys.path.insert(0, {site!r})
sys.argv = ["ninefold", *{words}]
from ninefold.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The folder of the installed package."""
    return unpacked(ROOT / ".wheel", tmp_path_factory.mktemp("wheel"))


def ninefold(site: Path, *words: str) -> list[str]:
    """The command line of `ninefold` with these words, as the installed script runs it."""
    return [sys.executable, "-I", "-c", COMMAND.format(site=str(site), words=words)]


@pytest.mark.slow
def test_the_installed_service_starts_without_a_checkout(site: Path, tmp_path: Path):
    """With its page, its documents and its migrations; its processes find their modules."""
    port, log = free_port(), tmp_path / "log"
    options = {"PORT": str(port), "DATA_DIR": str(tmp_path / "var"), "HISTORY_DAYS": "60", "WORLD": "simulated"}
    with running(ninefold(site, "run"), log, tmp_path, **options) as process:
        wait_until_ready(port, process, log)
        for path in ("/", "/home/words/de.json", "/docs/record", "/skill.md"):
            assert httpx.get(f"http://127.0.0.1:{port}{path}").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 0, "ninefold verify FILE"),
        (("nothing",), 2, "ninefold verify FILE"),
        (("verify", "absent.jsonl"), 2, "absent.jsonl"),
        (("operator", "keys", "list"), 2, "error: "),
        (("web",), 2, "ninefold: "),
    ],
)
def test_each_command_of_the_package_runs(site: Path, tmp_path: Path, words: tuple[str, ...], code: int, sentence: str):
    done = subprocess.run(
        ninefold(site, *words), cwd=tmp_path, env={"WORLD": "simulated"}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stderr
    assert sentence in done.stdout + done.stderr


@pytest.mark.slow
def test_the_package_needs_what_the_service_needs(site: Path):
    """And the further roles by their names."""
    metadata = next(site.glob("*.dist-info/METADATA")).read_text()
    assert "Requires-Dist: flask\n" in metadata
    assert "Requires-Dist: pyarrow; extra == 'tables'" in metadata
    assert "pytest" not in metadata
