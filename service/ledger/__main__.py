"""Checking an exported ledger: `python -m service.ledger verify FILE`, with no network and no database."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from service.ledger.verifier import Verdict, verify


def main(words: Sequence[str] | None = None) -> int:
    """Check a file; 0 when it holds, 1 when it does not, 2 when it cannot be read."""
    asked = _parser().parse_args(words)
    try:
        # As it lies, without translating ends of lines: no byte may change unseen.
        with open(asked.file, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
            verdict = verify(lines, asked.key, asked.root)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(_told(verdict))
    return 1 if verdict.fault else 0


def _told(verdict: Verdict) -> str:
    if verdict.fault:
        return f"The ledger does not hold. {verdict.fault}"
    lines = [
        f"The ledger holds: {verdict.rows} rows under {verdict.roots} roots, the last "
        f"{verdict.rows - verdict.sealed} of them not sealed yet.",
        f"head  {verdict.head or '-'}",
        f"root  {verdict.root or '-'}",
        f"key   {verdict.key or '-'}",
    ]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.ledger", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    verifying = commands.add_parser("verify", help=verify.__doc__.partition("\n")[0], description=verify.__doc__)
    verifying.add_argument("file", metavar="FILE", help="an export: JSON lines")
    verifying.add_argument("--key", metavar="HEX", help="the public key that must have signed every root")
    verifying.add_argument("--root", metavar="HASH", help="a root kept from earlier that must be there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
