"""The doctor's command line: `python -m service.doctor --help`.

It reads the environment of the service, calls every configured source and seat once, and prints what works, how long
it took and what it cost. Exit code 0: everything works; 1: something does not; 2: the settings cannot be used.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence

from service import config, logs
from service.doctor import examine
from service.doctor.checks import Finding


def main(words: Sequence[str] | None = None) -> int:
    """Examine the settings of the environment and print one line for each part."""
    parser = argparse.ArgumentParser(
        prog="python -m service.doctor", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    logs.configure("error")
    logging.disable(logging.CRITICAL)  # the libraries' log lines may hold keys
    try:
        findings = examine(config.read())
    except config.SettingsError as error:
        print(f"error: {error.detail}", file=sys.stderr)
        return 2
    print(as_json(findings) if options.json else readable(findings))
    return 0 if all(finding.works for finding in findings) else 1


def readable(findings: Sequence[Finding]) -> str:
    """A table with one line for each finding."""
    rows = [("part", "works", "ms", "cost", "what"), *map(_row, findings)]
    return "\n".join("{:17}  {:5}  {:>6}  {:36}  {}".format(*row) for row in rows)


def as_json(findings: Sequence[Finding]) -> str:
    """An array of objects; an unknown cost is null."""
    return json.dumps([finding._asdict() for finding in findings], indent=2)


def _row(finding: Finding) -> tuple[str, str, str, str, str]:
    price = "price unknown" if finding.usd is None else f"{finding.usd:.4f} USD" if finding.usd else "free"
    cost = f"{'' if finding.works else 'at most '}{finding.tokens} tokens, {price}"
    if not finding.tokens:
        cost = "unknown" if finding.tokens is None else "free"
    works, what = "yes" if finding.works else "no", f"{finding.what}: {finding.detail}"
    return finding.part, works, f"{finding.ms:.0f}", cost, what


if __name__ == "__main__":
    sys.exit(main())
