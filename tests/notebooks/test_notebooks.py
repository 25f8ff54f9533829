"""The notebooks as they are shipped, and the workbench as an installed package outside of a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import notebooks
from tests.processes import ROOT
from tests.wheels import unpacked

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_CELLS = 10


@pytest.fixture(params=NOTEBOOKS, ids=lambda file: file.stem)
def notebook(request) -> nbformat.NotebookNode:
    return nbformat.read(request.param, as_version=4)


def test_the_workbench_has_its_twelve_notebooks():
    """The index links every other one."""
    expected = {"index", "battle", "hospital", "accuracy", "oracle", "strategies", "research", "study", "ledger"}
    expected |= {"tearsheet", "arena", "halfyears"}
    assert {file.stem for file in NOTEBOOKS} == expected
    index = (ROOT / "notebooks" / "index.ipynb").read_text()
    assert not [file.name for file in NOTEBOOKS if file.stem != "index" and f"({file.name})" not in index]


def test_a_notebook_is_short_and_starts_with_its_title(notebook):
    """It has no outputs and no state of widgets."""
    assert len(notebook.cells) <= MOST_CELLS
    first = notebook.cells[0]
    assert (first.cell_type, first.source[:2]) == ("markdown", "# ")
    nbformat.validate(notebook)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not [cell.id for cell in codes if cell.outputs or cell.execution_count]
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


@pytest.mark.slow
def test_research_runs_without_a_live_market(client, monkeypatch, capsys, tmp_path):
    """A fresh installation has only backfilled markets: the notebook says so, and what it needs."""
    monkeypatch.setitem(sys.modules, "ninefold_lab", notebooks)
    monkeypatch.setattr(notebooks, "connect", lambda: client, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cells = nbformat.read(ROOT / "notebooks" / "research.ipynb", as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert "BACKFILLED = True" in code
    exec(code.replace("BACKFILLED = True", "BACKFILLED = False"), {})
    output = capsys.readouterr().out
    assert "simulated markets, 0 of them live\nNo such market has resolved yet" in output
    assert "An interval needs markets from at least two weeks." in output


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


@pytest.mark.slow
def test_the_installed_package_needs_no_checkout(site: Path, tmp_path: Path):
    """Panels, tables, lab, client and verifier are imported where no `notebooks` or `service` exists."""
    (tmp_path / "empty.jsonl").write_text("")
    script = USE.format(site=str(site), ledger=str(tmp_path / "empty.jsonl"))
    done = subprocess.run([sys.executable, "-I", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "is empty" in done.stderr) == (2, True), done.stderr
    assert not [file for file in site.rglob("*.py") if "service.client" in file.read_text()]
