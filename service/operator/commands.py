"""The interface of a command: it takes parsed arguments and returns output that is printed as JSON or as text."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from service.config import Settings
from service.store.database import Database


@dataclass(frozen=True)
class CommandTable:
    """A table; each column is a field of the rows."""

    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]


# What `add_subparsers` returns, which has no public name.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
CommandOutput = dict[str, Any] | CommandTable
Command = Callable[[argparse.Namespace, Database, Settings], CommandOutput]


def add(commands: Commands, name: str, run: Command) -> argparse.ArgumentParser:
    """Add a command that calls `run`; its help text is the docstring of `run`."""
    parser = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run)
    return parser


def as_json(output: CommandOutput) -> str:
    return json.dumps(output.rows if isinstance(output, CommandTable) else output, indent=2)


def readable(output: CommandOutput) -> str:
    """The output as text: a table in columns, a dict with one field per line."""
    if not isinstance(output, CommandTable):
        width = max(map(len, output))
        return "\n".join(f"{name:{width}}  {_word(value)}" for name, value in output.items())
    lines = [output.columns, *([_word(row[name]) for name in output.columns] for row in output.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ("  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in table)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
