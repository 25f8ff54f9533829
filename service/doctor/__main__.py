"""The doctor's command line: `python -m service.doctor --help`.

With the environment of the service it asks every source and seat once, and says what works, how fast and at what cost.
Exit code 0: all of it works; 1: something does not; 2: the settings cannot be used.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from service import config, logs
from service.config import SettingsError
from service.doctor.examination import examine
from service.doctor.report import as_json, readable


def main(words: Sequence[str] | None = None) -> int:
    """Examine what the environment sets and print a line for each part."""
    asked = _parser().parse_args(words)
    _be_quiet()
    try:
        findings = examine(config.read())
    except SettingsError as error:
        print(f"error: {error.detail}", file=sys.stderr)
        return 2
    print(as_json(findings) if asked.json else readable(findings))
    return 0 if all(finding.works for finding in findings) else 1


def _be_quiet() -> None:
    """What goes wrong is told once, in a sentence; libraries would log it as well, in words that are not ours."""
    logs.configure("error")
    logging.disable(logging.CRITICAL)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m service.doctor", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
