"""`make soak`: what must never fail, tried far more often than in CI; a row for each kind of trouble.

A row is printed when its tests have ended; `tried` is what they report, else the number of tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.processes import ROOT

TROUBLE = {
    "a job killed at any point, a quarter inside its transaction": ["tests/jobs/test_kill.py"],
    "the service killed during a tick": ["tests/test_recovery.py"],
    "the sender of webhooks killed during a delivery": ["tests/jobs/test_killed_deliveries.py"],
    "processes and databases that stop": ["tests/test_fleet.py"],
    "two faults at once or within seconds": ["tests/test_fault_pairs.py"],
    "processes that migrate at once": ["tests/store/test_migrations.py"],
    "minutes with four tickers": ["tests/jobs/test_engine.py"],
    "clocks that jump": ["tests/jobs/test_engine.py", "tests/market/test_instants.py"],
    "races for a daily quota": ["tests/api/test_limits.py", "tests/api/test_windows.py"],
    "generated requests": ["tests/test_contract.py"],
    "connections that never finish a request": ["tests/api/test_serving.py"],
    "people who write to the bot at once": ["tests/bot_e2e/test_questions.py"],
    "cuts of an event stream": ["tests/api/test_event_stream.py"],
    "hostile questions": ["tests/questions/test_properties.py"],
    "changes of a ledger": ["tests/ledger/test_verifier.py"],
    "changes of a table beside the service": ["tests/store/test_audit.py"],
    "keys sought in files and logs": ["tests/api/test_application.py"],
    "faults of sources and models": ["tests/sources", "tests/test_models.py"],
    "votes that would beat the simulated outside market": ["tests/forecasting/predictions/test_simulated_odds.py"],
    "backups restored": ["tests/operator/test_maintenance.py"],
}
LONGEST_REASON = 500  # characters of what a failed test says


@dataclass(frozen=True)
class Row:
    """What one kind of trouble came to."""

    name: str
    tried: int
    failed: tuple[str, ...]
    seconds: float

    def __str__(self) -> str:
        return f"{self.name:<62}{self.tried:>9,}{len(self.failed):>8}{self.seconds:>9,.0f}"


def main(names: list[str]) -> int:
    """Run the rows whose names contain a given word, without one all; 1 if anything failed."""
    print(f"{'':<62}{'tried':>9}{'failed':>8}{'seconds':>9}")
    has_failed = False
    for name, files in TROUBLE.items():
        if not names or any(word in name for word in names):
            row = run(name, files)
            print(row, *row.failed, sep="\n  ", flush=True)
            has_failed |= bool(row.failed)
    return int(has_failed)


def run(name: str, files: list[str]) -> Row:
    """The row of some test files, run in a process of their own."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-o", "faulthandler_timeout=0"]
        command += [f"--junitxml={report}", *files]
        log = subprocess.run(command, cwd=ROOT, env=os.environ | {"CI": "true", "SOAK": "true"}, capture_output=True)
        if not report.exists():
            return Row(name, 0, (log.stdout.decode()[-500:],), time.monotonic() - began)
        return row_of(name, ElementTree.parse(report).getroot(), time.monotonic() - began)


def row_of(name: str, report: ElementTree.Element, seconds: float) -> Row:
    """The row of a report of pytest."""
    cases = list(report.iter("testcase"))
    failures = [
        f"{case.get('name')} {part.get('message', '')[:LONGEST_REASON]}".strip()
        for case in cases
        for part in case
        if part.tag in ("failure", "error")
    ]
    return Row(name, sum(_reported(cases)) or len(cases), tuple(failures), seconds)


def _reported(cases: list[ElementTree.Element]) -> Iterator[int]:
    for case in cases:
        for entry in case.iter("property"):
            if entry.get("name") == "tried":
                yield int(entry.get("value", "0"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
