"""Small tables as HTML; whatever came from outside is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Row(NamedTuple):
    """A name and a value with its unit; a value that is not there is told as a dash."""

    name: str
    value: float | str | None
    unit: str = ""


def table(title: str, rows: Sequence[Row]) -> str:
    """A table under its title; nothing at all without rows."""
    if not rows:
        return ""
    body = "".join(f"<tr><td>{escape(row.name)}</td>{_cell(row)}</tr>" for row in rows)
    return f"<div><b>{escape(title)}</b><table>{body}</table></div>"


def grid(title: str, columns: Sequence[str], rows: Sequence[Sequence[float | str | None]]) -> str:
    """A table of several columns under its title and their names; nothing at all without rows."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(_cell(Row('', value)) for value in row)}</tr>" for row in rows)
    return f"<div><b>{escape(title)}</b><table><tr>{head}</tr>{body}</table></div>"


def _cell(row: Row) -> str:
    if row.value is None:
        return '<td class="number">–</td>'
    if isinstance(row.value, str):
        return f"<td>{escape(row.value)}</td>"
    number = f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:,.2f}"
    return f'<td class="number">{number}{escape(row.unit)}</td>'
