"""Verify an exported ledger without network or database: `python -m service.ledger verify FILE`."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Sequence

from service.ledger.verifier import Verification, verify


def main(words: Sequence[str] | None = None) -> int:
    """Verify a file. Returns 0 when it is valid, 1 when it is not, 2 when it cannot be read or is empty."""
    arguments = _parser().parse_args(words)
    try:
        # Without translation of line ends: a change of any byte must be noticed.
        with open(arguments.file, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
            verification = verify(lines, arguments.key, arguments.root)
    except OSError as error:
        return _refuse(str(error))
    if not verification.rows and not verification.fault:
        return _refuse(f"{arguments.file} is empty: there is nothing to verify")
    print(_report(verification))
    return 1 if verification.fault else 0


def _refuse(detail: str) -> int:
    print(f"error: {detail}", file=sys.stderr)
    return 2


def _report(result: Verification) -> str:
    if result.fault:
        return f"The ledger is not valid. {result.fault}"
    lines = [
        f"The ledger is valid. Rows: {result.rows:,}, roots: {result.roots:,}, "
        f"rows not sealed yet: {result.rows - result.sealed:,}.",
        f"head  {result.head or '-'}",
        f"root  {result.root or '-'}",
        f"key   {result.key or '-'}",
    ]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.ledger", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    description = inspect.getdoc(verify) or ""
    verifying = commands.add_parser("verify", help=description.partition("\n")[0], description=description)
    verifying.add_argument("file", metavar="FILE", help="an export: JSON lines")
    verifying.add_argument("--key", metavar="HEX", help="the public key that must have signed every root")
    verifying.add_argument("--root", metavar="HASH", help="a root from an earlier export that must be in this one")
    return parser


if __name__ == "__main__":
    sys.exit(main())
