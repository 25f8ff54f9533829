"""Which small changes of a package its tests notice: `make mutants PACKAGE=scores`.

A copy of the checkout is mutated by mutmut: one operator, constant or argument at a time. For each mutant, those
tests of the package run that reach the changed function. The mutants that no test noticed are printed. `OUT` names a
file for the list of the others; `BEFORE` one that an earlier run wrote: what is noticed no more is printed too. A
mutant is named by its function and number, so that a function may move to another module.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUCCESSES = ("killed", "timeout", "segfault", "suspicious")
EXCLUSION = shutil.ignore_patterns(".*", "node_modules", "var", "__pycache__")
# Mutated functions have no examples in their documentation, so the test that runs the examples is left out.
SETTINGS = """[mutmut]
source_paths = service
only_mutate =
    {pattern}
also_copy =
    app.py
    bot
    notebooks
    README.md
    Makefile
    .pytest.ini
pytest_add_cli_args =
    -k
    not in_the_documentation
pytest_add_cli_args_test_selection =
    {tests}
mutate_only_covered_lines = true
use_git_change_detection = false
"""


def outcomes(package: str) -> dict[str, str]:
    """What became of each mutant of a part of the service, such as `scores` or `trading/accounts`, by dotted name."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(ROOT, copy, ignore=EXCLUSION)
        shutil.copy(ROOT / ".pytest.ini", copy)
        source, tests = copy / "service" / package, Path("tests", package)
        if source.is_dir():
            pattern = f"service/{package}/*"
        else:
            pattern, tests = f"service/{package}.py", tests.with_name(f"test_{source.name}.py")
        (copy / "setup.cfg").write_text(SETTINGS.format(pattern=pattern, tests=tests))
        environment = {**os.environ, "WORLD": "simulated"}
        subprocess.run([sys.executable, "-m", "mutmut", "run"], cwd=copy, env=environment, check=True)
        command = [sys.executable, "-m", "mutmut", "results", "--all", "true"]
        results = subprocess.run(command, cwd=copy, env=environment, check=True, capture_output=True, text=True).stdout
    rows = (line.strip().rpartition(": ") for line in results.splitlines() if "__mutmut_" in line)
    return {name: outcome for name, _, outcome in rows}


def short(name: str) -> str:
    """The name of a mutant without its module."""
    return name.rpartition(".")[2]


def main() -> None:
    """Mutate a package, run its tests and print what they do not notice."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", help="a package or module of the service: scores, trading/accounts")
    parser.add_argument("--out", type=Path, help="file for the names of the mutants that were noticed")
    parser.add_argument("--before", type=Path, help="file that an earlier run wrote")
    options = parser.parse_args()
    results = outcomes(options.package)
    successes = {short(name) for name, outcome in results.items() if outcome in SUCCESSES}
    for name, outcome in sorted(results.items()):
        if outcome not in SUCCESSES:
            print(f"{outcome}: {name}")
    counts = Counter(results.values()).most_common()
    print(f"{options.package}: {len(results)} mutants, " + ", ".join(f"{n} {outcome}" for outcome, n in counts))
    if options.out:
        options.out.write_text("\n".join(sorted(successes)) + "\n")
    if options.before:
        names = {short(name) for name in results}
        losses = [name for name in options.before.read_text().split() if name in names - successes]
        print(f"noticed before and not now: {len(losses)}", *losses, sep="\n  ")


if __name__ == "__main__":
    main()
