"""The rules of the architecture that no import contract can hold."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (file for name in ("service", "bot", "notebooks") for file in (ROOT / name).rglob("*.py"))
EVERYTHING = sorted(file for file in PACKAGES if "node_modules" not in file.parts)
SERVICE = [file for file in EVERYTHING if file.is_relative_to(ROOT / "service")]
LANGUAGE = ROOT / ".ci" / "language.py"


def imported(file: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_no_two_classes_share_a_name():
    """A class is found by its name alone, in the code, in the API's description and in a trace."""
    places: dict[str, list[str]] = {}
    for file in EVERYTHING:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


REJECTED = ("told = 1", "for one in (): pass", "def f(known): pass", "class C:\n    asked = 0", "import os as found")


@pytest.mark.parametrize("source", REJECTED)
def test_the_language_lint_rejects(source: str):
    lint = runpy.run_path(str(LANGUAGE))
    assert len(list(lint["rejected"]({Path("planted.py"): ast.parse(source)}))) == 1


def test_nothing_imports_the_composition_root():
    assert not [file for file in SERVICE if "app" in set(imported(file))]


def test_only_the_settings_read_the_environment():
    """`os.environ` stands in config.py alone.

    The supervisor hands a file descriptor to its processes in it, and the tools for agents know no settings.
    """
    readers = [file.name for file in SERVICE if "os.environ" in file.read_text() or "getenv" in file.read_text()]
    assert sorted(readers) == ["config.py", "mcp_server.py", "supervisor.py"]


def output_of(script: str) -> str:
    """What a script prints in a process of its own."""
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


HEAVY = ("pandas", "scipy", "ccxt")


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("service.api.application", HEAVY),
        ("service.forecasting.voters.panel", HEAVY),
        ("service.client", ("flask", "sqlalchemy", "werkzeug", "pydantic", "numpy", "service.config")),
    ],
)
def test_a_process_loads_no_package_that_it_does_not_need(module: str, unwanted: tuple[str, ...]):
    """It would cost every web process memory and start-up time; a front end needs nothing of the service."""
    assert output_of(f"import sys, {module}; print([name for name in {unwanted} if name in sys.modules])") == "[]"


PANELS = ("BattlePanel", "LeaderboardPanel", "HospitalPanel")
LAB = ["bar_files", "client", "documents", "market", "scores", "trading"]
# What a front end runs, and which packages of the service that loads.
LOADINGS = (
    ("import bot.application", ["client"]),
    (f"from notebooks.widgets import {', '.join(PANELS)}", ["client"]),
    ("from notebooks.lab import Archive, backtest, calibration, tearsheet", LAB),
)


@pytest.mark.slow
@pytest.mark.parametrize(("loading", "packages"), LOADINGS)
def test_a_front_end_loads_only_what_it_uses(loading: str, packages: list[str]):
    """The lab computes scores and accounts and reads files of bars as the service does, with nothing but numpy."""
    script = (
        f"import sys; {loading}; unwanted = ('flask', 'sqlalchemy', 'pydantic', 'talib')\n"
        "print(*sorted({name.split('.')[1] for name in sys.modules if name.startswith('service.')}),"
        "*(name for name in unwanted if name in sys.modules))"
    )
    assert output_of(script).split() == packages


def test_top_level_holds_the_agreed_names_alone():
    """A package that was downloaded, or a file of a trial, is not committed beside them."""
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = {path.split("/")[0] for path in listing.splitlines()}
    named = {"app.py", "service", "bot", "notebooks", "tests", "requirements.in", "requirements.txt", "Makefile"}
    assert {name for name in names if not name.startswith(".")} == named | {"README.md"}


def test_unbuilt_features_are_not_in_the_tree():
    """No note of work to be done stands in the service in place of the work."""
    words = ("TODO", "FIXME", "XXX")
    assert not [(file.name, word) for file in SERVICE for word in words if word in file.read_text()]


def test_every_module_has_a_one_sentence_docstring():
    mute = [file for file in SERVICE if file.read_text().strip() and not ast.get_docstring(ast.parse(file.read_text()))]
    assert not [file for file in mute if "versions" not in file.parts]


# Statements in all functions of a module: up to these it declares, composes or forwards, and its callers' tests do.
MOST_UNTRIED = 10
# What reads questions is tried together, by the tables of tests/questions/cases.
TRIED_TOGETHER = "service/questions/"


def statements(file: Path) -> int:
    """The statements in the functions of a file, without docstrings and the `...` of protocols."""
    tree = ast.parse(file.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = (node for function in functions for part in function.body for node in ast.walk(part))
    counted = {node for node in inner if isinstance(node, ast.stmt) and node not in functions}
    return sum(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in counted)


def has_tests(file: Path) -> bool:
    """Whether a test file of the mirrored folder, or of its parent, bears the module's name or imports it."""
    root = ROOT / "service" if file in SERVICE else ROOT
    folder = ROOT / "tests" / file.relative_to(root).parent
    module = file.parent if file.name == "__init__.py" else file.with_suffix("")
    names = {f"test_{module.name.strip('_')}.py", f"test_{folder.name}.py"}
    module_name = ".".join(module.relative_to(ROOT).parts)
    package, _, name = module_name.rpartition(".")
    imports = re.compile(rf"from {re.escape(module_name)} import|from {re.escape(package)} import .*\b{name}\b")
    near = [*folder.glob("*.py"), *folder.parent.glob("test_*.py")]  # tests, and what makes their objects
    is_named = any((ROOT / "tests").rglob(f"test_{module.name}.py"))
    return is_named or any(path.name in names or imports.search(path.read_text()) for path in near)


def test_a_module_with_behaviour_has_tests_near_by():
    """tests/ mirrors the layout, so that the tests of a module are found without a search.

    A migration is tried where it carries data over.
    """
    mirrored = [file for file in EVERYTHING if file.parent.name != "versions" and statements(file) > MOST_UNTRIED]
    missing = [str(file.relative_to(ROOT)) for file in mirrored if not has_tests(file)]
    assert [name for name in missing if not name.startswith(TRIED_TOGETHER)] == []


def test_a_program_starts_after_its_last_definition():
    """What stands below the guard of `__main__` is not defined when the program runs."""
    late = []
    for file in (file for name in ("service", "bot", "notebooks", "tests") for file in (ROOT / name).rglob("*.py")):
        body = ast.parse(file.read_text()).body
        guards = [at for at, node in enumerate(body) if isinstance(node, ast.If) and "__name__" in ast.dump(node.test)]
        late += [str(file.relative_to(ROOT)) for at in guards if at + 1 < len(body)]
    assert late == []
