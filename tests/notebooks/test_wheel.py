"""The workbench as an installed package, outside of a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from notebooks.wheel import renamed
from tests.processes import ROOT
from tests.wheels import unpacked

pytestmark = pytest.mark.slow

USE = """
import sys
sys.path.insert(0, {site!r})
from ninefold_lab.client import AsyncClient, Client
from ninefold_lab import copy_notebooks, lab
from ninefold_lab.lab import Archive, backtest, enter, tearsheet
from ninefold_lab.ledger.__main__ import main
from ninefold_lab.widgets import BattlePanel, HospitalPanel, connect, frames
assert not {{"notebooks", "service"}} & sys.modules.keys()
panel = BattlePanel(Client("http://127.0.0.1:9"), refreshing=False)
assert "application/vnd.jupyter.widget-view+json" in panel._repr_mimebundle_()
assert "Nothing to show yet" in panel.status_line.value
panel.close()
assert lab.forest_plot and "index.ipynb" in copy_notebooks("copies")
assert frames.prices({{"prices": [], "world": "simulated"}}).index.name == "asset"
sys.exit(main(["verify", {ledger!r}]))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The folder of the installed package."""
    return unpacked(ROOT / "notebooks", tmp_path_factory.mktemp("wheel"))


def test_the_installed_package_needs_no_checkout(site: Path, tmp_path: Path):
    """Panels, tables, lab, client and verifier are imported where neither `notebooks` nor `service` exists."""
    (tmp_path / "empty.jsonl").write_text("")
    script = USE.format(site=str(site), ledger=str(tmp_path / "empty.jsonl"))
    done = subprocess.run([sys.executable, "-I", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "is empty" in done.stderr) == (2, True), done.stderr


def test_no_file_of_the_wheel_names_the_checkout(site: Path):
    assert not [file for file in site.rglob("*.py") if "service.client" in file.read_text()]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from notebooks.widgets.base.theme import FONT", "from ninefold_lab.widgets.base.theme import FONT"),
        ("from service.client import Client", "from ninefold_lab.client import Client"),
        ("from service import canonical", "from ninefold_lab import canonical"),
        ("the service.  a service of notebooks", "the service.  a service of notebooks"),
    ],
)
def test_only_names_of_packages_are_renamed(line: str, expected: str):
    assert renamed(line) == expected
