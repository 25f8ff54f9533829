"""The notebooks as they are shipped: short, without outputs, and listed in the index."""

from __future__ import annotations

import sys

import nbformat
import pandas as pd
import pytest
from nbconvert import HTMLExporter

import notebooks
from notebooks import lab
from tests.processes import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_CELLS = 10


@pytest.fixture(params=NOTEBOOKS, ids=lambda file: file.stem)
def notebook(request) -> nbformat.NotebookNode:
    return nbformat.read(request.param, as_version=4)


def test_the_workbench_has_its_twelve_notebooks():
    expected = {"index", "battle", "hospital", "accuracy", "oracle", "strategies", "research", "study", "ledger"}
    expected |= {"tearsheet", "arena", "halfyears"}
    assert {file.stem for file in NOTEBOOKS} == expected


def test_a_notebook_is_short_and_starts_with_its_title(notebook):
    assert len(notebook.cells) <= MOST_CELLS
    first = notebook.cells[0]
    assert (first.cell_type, first.source[:2]) == ("markdown", "# ")


def test_a_notebook_has_no_outputs_and_no_widget_state(notebook):
    nbformat.validate(notebook)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not [cell.id for cell in codes if cell.outputs or cell.execution_count]
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_the_index_links_every_other_notebook():
    index = (ROOT / "notebooks" / "index.ipynb").read_text()
    assert not [file.name for file in NOTEBOOKS if file.stem != "index" and f"({file.name})" not in index]


def test_an_exported_page_shows_the_conclusion():
    """`nbconvert --to html` of a saved notebook, without a kernel: the title, the status and the numbers of a panel."""
    days = pd.Series([100.0, 101.0, 99.0], pd.date_range("2026-01-01", periods=3), name="mine")
    sheet = lab.tearsheet(days)
    cell = nbformat.v4.new_code_cell(
        "sheet", outputs=[nbformat.v4.new_output("display_data", sheet._repr_mimebundle_())]
    )
    page, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert sheet.figure.layout.title.text in page
    assert "max_drawdown_pct" in page
    sheet.close()


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
