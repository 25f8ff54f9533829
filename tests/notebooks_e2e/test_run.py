"""Every shipped notebook runs from its first to its last cell against a real service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks_e2e.conftest import Service
from tests.processes import ROOT

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LONGEST_S = 120


@pytest.fixture(scope="module")
def key(service: Service) -> str:
    """A key of the plan of the workbench."""
    arguments = ("keys", "mint", "--email", "run@example.com", "--plan", "paid", "--json")
    environment = os.environ | service.environment
    command = [sys.executable, "-m", "service.operator", *arguments]
    process = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    return json.loads(process.stdout)["api_key"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_to_its_end(notebook: Path, service: Service, key: str, tmp_path: Path):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", os.devnull, "--nbmake"]
    environment = os.environ | service.environment
    environment |= {"ORACLE_KEY": key, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path)}
    environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    process = subprocess.run(
        [*command, f"--nbmake-timeout={LONGEST_S}", str(notebook)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=2 * LONGEST_S,
    )
    assert process.returncode == 0, process.stdout
