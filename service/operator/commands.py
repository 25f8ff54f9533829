"""What a command is: words in, an answer out that is printed as JSON or for people."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from service.config import Settings
from service.store.database import Database


@dataclass(frozen=True)
class Table:
    """A list of things of one kind; a column is a field of each."""

    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]


Answer = dict[str, Any] | Table
Command = Callable[[argparse.Namespace, Database, Settings], Answer]


def add(commands, name: str, run: Command) -> argparse.ArgumentParser:
    """A command that is carried out by `run` and described by its docstring."""
    parser = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run)
    return parser


def as_json(answer: Answer) -> str:
    return json.dumps(answer.rows if isinstance(answer, Table) else answer, indent=2)


def readable(answer: Answer) -> str:
    """A table in columns, one thing as its fields."""
    if not isinstance(answer, Table):
        width = max(map(len, answer))
        return "\n".join(f"{name:{width}}  {_word(value)}" for name, value in answer.items())
    lines = [answer.columns, *([_word(row[name]) for name in answer.columns] for row in answer.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ("  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in table)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
