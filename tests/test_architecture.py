"""The rules of the house that no import contract can hold."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SERVICE = sorted((ROOT / "service").rglob("*.py"))


def imported(file: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_nobody_imports_the_composition_root():
    assert not [file for file in SERVICE if "app" in set(imported(file))]


def test_only_the_settings_read_the_environment():
    """`os.environ` stands in config.py and nowhere else."""
    readers = [file.name for file in SERVICE if "os.environ" in file.read_text() or "getenv" in file.read_text()]
    assert readers == ["config.py"]


@pytest.mark.parametrize("module", ["service.api", "service.forecasting.oracle"])
def test_a_web_process_loads_neither_pandas_nor_scikit_learn(module: str):
    """They would cost every web process memory and start-up time for nothing."""
    script = (
        f"import sys, {module}; print([name for name in ('pandas', 'sklearn', 'scipy', 'ccxt') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_client_needs_nothing_of_the_service():
    """A front end that imports the client loads neither Flask nor SQLAlchemy."""
    unwanted = ("flask", "sqlalchemy", "pydantic")
    script = f"import sys, service.client; print([name for name in {unwanted} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


PANELS = ("BattlePanel", "LeaderboardPanel", "HospitalPanel", "OraclePanel", "PredictionsPanel", "ApexPanel")


@pytest.mark.parametrize("loading", ["import bot.application", f"from notebooks.widgets import {', '.join(PANELS)}"])
def test_a_front_end_loads_nothing_of_the_service_but_its_client(loading: str):
    script = (
        f"import sys; {loading}; unwanted = ('flask', 'sqlalchemy', 'pydantic')\n"
        "print([name for name in sys.modules if name in unwanted or name.startswith('service.')])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['service.client']"


def test_what_is_not_built_is_not_in_the_tree():
    """No note of work to be done stands in the service in place of the work."""
    words = ("TODO", "FIXME", "XXX", "NotImplementedError")
    assert not [(file.name, word) for file in SERVICE for word in words if word in file.read_text()]


def test_every_module_says_in_one_sentence_what_it_is():
    mute = [file for file in SERVICE if file.read_text().strip() and not ast.get_docstring(ast.parse(file.read_text()))]
    assert not [file for file in mute if "versions" not in file.parts]
