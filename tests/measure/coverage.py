"""Print which part of each package's lines and branches the tests run: `make coverage` calls it after them."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from coverage import Coverage

CONFIG = Path(__file__).parents[2] / ".ci" / "coverage.ini"
COUNTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def main() -> int:
    """Print a line for each package, the least covered first."""
    packages = by_package(_summaries())
    print(f"{'package':36}{'lines':>8}{'branches':>10}{'both':>8}")
    for name, counts in sorted(packages.items(), key=lambda item: _both(item[1])):
        lines = _share(counts["covered_lines"], counts["num_statements"])
        branches = _share(counts["covered_branches"], counts["num_branches"])
        print(f"{name:36}{lines:8.1%}{branches:10.1%}{_both(counts):8.1%}")
    return 0


def by_package(summaries: dict[str, dict[str, int]]) -> dict[str, Counter[str]]:
    """The counts of files, by path, summed over the packages they lie in, and over everything as `all`."""
    packages: dict[str, Counter[str]] = defaultdict(Counter)
    for path, summary in summaries.items():
        counts = Counter({name: summary[name] for name in COUNTS})
        for package in (str(Path(path).parent), "all"):
            packages[package] += counts
    return packages


def _summaries() -> dict[str, dict[str, int]]:
    coverage = Coverage(config_file=str(CONFIG))
    coverage.load()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        coverage.json_report(outfile=str(report))
        files = json.loads(report.read_text())["files"]
    return {path: file["summary"] for path, file in files.items()}


def _both(counts: Counter[str]) -> float:
    hits = counts["covered_lines"] + counts["covered_branches"]
    return _share(hits, counts["num_statements"] + counts["num_branches"])


def _share(part: int, total: int) -> float:
    return part / total if total else 1.0


if __name__ == "__main__":
    sys.exit(main())
