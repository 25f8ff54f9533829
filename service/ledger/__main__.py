"""Verify an exported ledger without network or database: `python -m service.ledger verify FILE`."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from service.command_line import end_with
from service.ledger.timestamps import read_certificates
from service.ledger.verifier import Verification, verify


def main(words: Sequence[str] | None = None) -> int:
    """Verify a file. Returns 0 when it is valid, 1 when it is not, 2 when it cannot be read or is empty."""
    arguments = _parser().parse_args(words)
    try:
        with _lines(arguments.file) as lines, _lines(arguments.features) as inputs:
            pem = read_certificates(arguments.authorities) if arguments.authorities else b""
            verification = verify(lines, arguments.key, arguments.root, inputs, certificates=pem)
    except (OSError, ValueError) as error:
        return _refuse(str(error))
    except ModuleNotFoundError as error:
        from service.errors import PackagesMissing  # a verifier without the service has none

        return _refuse(PackagesMissing.of(error).detail)
    if not verification.rows and not verification.fault:
        return _refuse(f"{arguments.file} is empty: there is nothing to verify")
    print(_report(verification, with_inputs=arguments.features is not None, is_trusted=bool(pem)))
    return 1 if verification.fault else 0


@contextmanager
def _lines(file: str | None) -> Iterator[TextIO | tuple[()]]:
    """The lines of a file, without translation of their ends, because a change of any byte must be noticed."""
    if file is None:
        yield ()
        return
    with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        yield lines


def _refuse(detail: str) -> int:
    print(f"error: {detail}", file=sys.stderr)
    return 2


def _report(result: Verification, *, with_inputs: bool, is_trusted: bool) -> str:
    if result.fault:
        return f"The ledger is not valid. {result.fault}"
    lines = [
        f"The ledger is valid. Rows: {result.rows:,}, roots: {result.roots:,}, "
        f"rows not sealed yet: {result.rows - result.sealed:,}.",
        f"Forecasts: {result.forecasts:,}, revealed: {result.revealed:,}, "
        f"hidden although their market is settled: {result.withheld:,}.",
    ]
    if with_inputs:
        votes = f"Votes: {result.votes:,}, made from inputs in the file: {result.with_inputs:,}."
        lines.append(f"{votes} Inputs of no vote in this ledger: {result.unused:,}.")
    if result.rewinds:
        rows = f"Rows taken back: {result.taken_back:,}, recorded since {result.taken_back_since}"
        lines.append(f"{rows}, in rewinds of the world: {result.rewinds:,}. They do not count.")
    if result.timestamps:
        authorities = "authorities that you trust" if is_trusted else "authorities that --authorities would check"
        rows = f"rows up to {result.stamped_seq:,} are as old as these say"
        lines.append(f"Timestamps: {result.timestamps:,}, by {authorities}; {rows}.")
    ends = (f"head  {result.head or '-'}", f"root  {result.root or '-'}", f"key   {result.key or '-'}")
    return "\n".join((*lines, *ends))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.ledger", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    description = inspect.getdoc(verify) or ""
    command = commands.add_parser("verify", help=description.partition("\n")[0], description=description)
    command.add_argument("file", metavar="FILE", help="an export: JSON lines")
    command.add_argument("--key", metavar="HEX", help="the public key that must have signed every root")
    command.add_argument("--features", metavar="FILE", help="the voters' inputs: rows of /api/v1/features, JSON lines")
    command.add_argument("--root", metavar="HASH", help="a root from an earlier export that must be in this one")
    command.add_argument("--authorities", metavar="FILE", help="PEM certificates of trusted timestamp authorities")
    return parser


if __name__ == "__main__":
    end_with(main)
