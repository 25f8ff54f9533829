"""Small HTML tables; values from outside are escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from notebooks.widgets.base.wording import number

Cell = float | str | None


class Fact(NamedTuple):
    """A name and a value with its unit; a missing value is shown as a dash, a change with its sign.

    Percentages have one decimal, other fractions two.
    """

    name: str
    value: Cell
    unit: str = ""
    is_change: bool = False


def table(title: str, facts: Sequence[Fact]) -> str:
    """A table of facts under a title; an empty string without facts."""
    if not facts:
        return ""
    body = "".join(f"<tr><td>{escape(fact.name)}</td>{_cell(fact)}</tr>" for fact in facts)
    return _titled(title, body)


def grid(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table with named columns under a title; an empty string without rows."""
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(_cell(Fact('', value)) for value in row)}</tr>" for row in rows)
    return _titled(title, f"<tr>{head}</tr>{body}")


def _titled(title: str, rows: str) -> str:
    """The rows under a title; where the page is too narrow they scroll, also by the keyboard."""
    label = escape(title)
    attributes = f'role="region" aria-label="{label}" tabindex="0" style="max-width: 100%; overflow-x: auto"'
    return f"<div {attributes}><b>{label}</b><table>{rows}</table></div>"


def _cell(fact: Fact) -> str:
    if fact.value is None:
        return '<td class="number">–</td>'
    if isinstance(fact.value, str):
        return f"<td>{escape(fact.value)}</td>"
    digits = "," if isinstance(fact.value, int) else ",.1f" if fact.unit == "%" else ",.2f"
    text = number(fact.value, f"+{digits}" if fact.is_change else digits)
    return f'<td class="number">{text}{escape(fact.unit)}</td>'
