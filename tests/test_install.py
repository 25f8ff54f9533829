"""What a start needs is installed by `make run`, and what it does not need is asked for in one sentence."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from service.errors import OPTIONAL_PACKAGES
from tests.processes import ROOT

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
