"""The interface of a command: it takes parsed arguments and returns output that is printed as JSON or as text."""

from __future__ import annotations

import argparse
import json
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from service.config import Settings
from service.store.database import Database


@dataclass(frozen=True)
class CommandTable:
    """A table; each column is a field of the rows. The exit code is 1 where it shows that something is not good."""

    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]
    is_good: bool = True


# What `add_subparsers` returns, which has no public name.
Commands: TypeAlias = "argparse._SubParsersAction[ArgumentParser]"
CommandOutput = dict[str, Any] | CommandTable
Command = Callable[[argparse.Namespace, Database, Settings], CommandOutput]
OfflineCommand = Callable[[argparse.Namespace, Settings], CommandOutput]
CommandKind = Literal["command", "offline"]


def add(commands: Commands, name: str, run: Command | OfflineCommand, kind: CommandKind = "command") -> ArgumentParser:
    """Add a command that calls `run`, whose docstring is its help text; one that is `offline` gets no database."""
    parser = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(**{kind: run})
    return parser


def as_json(output: CommandOutput) -> str:
    return json.dumps(output, indent=2, default=lambda table: table.rows)


def readable(output: CommandOutput) -> str:
    """The output as text: a table in columns, a dict with one field per line and its tables after them."""
    if not isinstance(output, CommandTable):
        fields = {name: value for name, value in output.items() if not isinstance(value, CommandTable)}
        tables = {name: value for name, value in output.items() if isinstance(value, CommandTable)}
        width = max(map(len, fields))
        lines = [f"{name:{width}}  {_word(value)}" for name, value in fields.items()]
        return "\n".join([*lines, *(f"\n{name}\n{readable(table)}" for name, table in tables.items())])
    lines = [output.columns, *([_word(row[name]) for name in output.columns] for row in output.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ("  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in table)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
