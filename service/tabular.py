"""Tables as files: CSV (RFC 4180) and Parquet, with the same columns.

Instants are ISO 8601 in UTC. An unknown value is empty in CSV and null in Parquet.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from io import StringIO
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Kind = Literal["text", "number", "integer", "flag", "instant"]

_KINDS: dict[object, Kind] = {str: "text", float: "number", int: "integer", bool: "flag", datetime: "instant"}
_INSTANTS = ("_at", "time", "deadline", "as_of")


@dataclass(frozen=True)
class Table:
    """Rows of values in the order of `columns`, which are of the given kinds."""

    columns: Mapping[str, Kind]
    rows: Iterable[Sequence[object]]

    def to_csv(self) -> bytes:
        """The table as CSV, with a header line.

        A text that a spreadsheet would take for a formula begins with an apostrophe.
        """
        texts = [place for place, kind in enumerate(self.columns.values()) if kind == "text"]
        return Table(self.columns, [_without_formulas(row, texts) for row in self.rows])._plain_csv()

    def _plain_csv(self) -> bytes:
        text = StringIO()
        writer = csv.writer(text)
        writer.writerow(self.columns)
        rows = [list(map(_text, row)) for row in self.rows] if "flag" in self.columns.values() else self.rows
        writer.writerows(rows)
        return text.getvalue().encode()

    def to_parquet(self) -> bytes:
        """The table as Parquet, by way of CSV, whose numbers are exact.

        pyarrow is imported here, because it takes 0.3 s and 37 MB; from Python lists it would import pandas too.
        """
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet

        kinds: dict[Kind, Any] = {
            "text": pyarrow.string(),
            "number": pyarrow.float64(),
            "integer": pyarrow.int64(),
            "flag": pyarrow.bool_(),
            "instant": pyarrow.timestamp("ms", "UTC"),
        }
        options = pyarrow.csv.ConvertOptions(
            column_types={name: kinds[kind] for name, kind in self.columns.items()},
            null_values=[""],
            strings_can_be_null=True,
        )
        source, sink = pyarrow.BufferReader(self._plain_csv()), pyarrow.BufferOutputStream()
        one_thread = pyarrow.csv.ReadOptions(use_threads=False)
        table = pyarrow.csv.read_csv(source, read_options=one_thread, convert_options=options)
        pyarrow.parquet.write_table(table, sink, compression="zstd")
        return sink.getvalue().to_pybytes()


def columns_of(kind: type) -> dict[str, Kind]:
    """The columns of a dataclass: its fields that hold one value."""
    hints = get_type_hints(kind)
    kinds: dict[str, Kind | None] = {field.name: _kind(field.name, hints[field.name]) for field in fields(kind)}
    return {name: column for name, column in kinds.items() if column is not None}


def table_of(kind: type, rows: Iterable[object], **constants: str) -> Table:
    """The rows, dataclasses of one kind, as a table; `constants` are columns with one value, which come last."""
    columns = columns_of(kind)
    last: dict[str, Kind] = {name: _kind(name, str) or "text" for name in constants}
    return Table(columns | last, [[*values_of(row, columns), *constants.values()] for row in rows])


def values_of(row: object, names: Iterable[str]) -> list[object]:
    """The named fields of a row; all are unknown where there is no row."""
    return [getattr(row, name, None) for name in names]


def _kind(name: str, annotation: object) -> Kind | None:
    """The kind of a field by its type, alone or beside None; texts with the name of an instant are instants."""
    if get_origin(annotation) in (Union, UnionType):
        kinds: set[Kind | None] = {_kind(name, option) for option in get_args(annotation) if option is not type(None)}
        return kinds.pop() if len(kinds) == 1 else None
    value = str if get_origin(annotation) is Literal else annotation
    if value is str and name.endswith(_INSTANTS):
        return "instant"
    return _KINDS.get(value)


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # characters with which a formula begins


def _without_formulas(row: Sequence[object], texts: Sequence[int]) -> list[object]:
    values = list(row)
    for place in texts:
        value = values[place]
        if isinstance(value, str) and value.startswith(FORMULA):
            values[place] = f"'{value}"
    return values


def _text(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
