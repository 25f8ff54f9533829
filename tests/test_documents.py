"""Documents: the canonical text that is hashed, and tables as CSV and Parquet."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from dataclasses import dataclass
from typing import Literal

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service import canonical
from service.documents import rounded
from service.tabular import Table, columns_of, table_of
from tests.processes import ROOT

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


def test_keys_are_sorted_and_nothing_is_escaped_or_padded():
    assert canonical.write({"b": [1, 2.5, None], "a": {"é": "ü\n", "Z": True}}) == (
        '{"a":{"Z":true,"é":"ü\\n"},"b":[1,2.5,null]}'
    )


@given(VALUES)
def test_a_value_survives_and_its_text_is_written_again(value):
    text = canonical.write(value)
    assert canonical.read(text) == value
    assert canonical.write(canonical.read(text)) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_keys_does_not_matter(value):
    assert canonical.write(dict(reversed(value.items()))) == canonical.write(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_no_text_holds_a_nan_or_an_infinity(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical.write(value)


def test_an_unknown_number_stays_unknown():
    assert (rounded(None, 2), rounded(0.0, 2), rounded(-1.005, 1), rounded(2.0, 0)) == (None, 0.0, -1.0, 2.0)


@dataclass(frozen=True)
class Trade:
    """A row with a field of each kind, and one that is no single value."""

    opened_at: str
    side: Literal["buy", "sell"]
    price: float | None
    number: int
    simulated: bool
    note: str | None
    parts: tuple[str, ...] = ()


TRADES = (
    Trade("2026-11-21T12:00:00Z", "buy", 0.1 + 0.2, 7, True, 'a "b", c'),
    Trade("2026-11-21T13:00:00Z", "sell", None, -1, False, None),
)
TABLE = table_of(Trade, TRADES, world="live")


def read(table: Table) -> pyarrow.Table:
    return pyarrow.parquet.read_table(io.BytesIO(table.to_parquet()))


def test_columns_are_the_fields_with_one_value():
    kinds = {"opened_at": "instant", "side": "text", "price": "number", "number": "integer", "simulated": "flag"}
    assert columns_of(Trade) == kinds | {"note": "text"}


def test_csv_has_a_header_and_a_line_for_each_row():
    assert TABLE.to_csv().decode().split("\r\n") == [
        "opened_at,side,price,number,simulated,note,world",
        '2026-11-21T12:00:00Z,buy,0.30000000000000004,7,true,"a ""b"", c",live',
        "2026-11-21T13:00:00Z,sell,,-1,false,,live",
        "",
    ]


@pytest.mark.parametrize("note", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_text_is_a_formula_in_a_spreadsheet(note: str):
    """Numbers and files for programs stay as they are."""
    table = Table({"note": "text", "number": "integer"}, [(note, -1)])
    assert table.to_csv().decode().split("\r\n")[1] == f"'{note},-1"
    assert read(table).to_pylist() == [{"note": note, "number": -1}]


def test_parquet_has_the_same_values_with_types():
    """Every number to the last bit, and what is unknown is null."""
    file = read(TABLE)
    first, second = file.to_pylist()
    assert first["opened_at"].isoformat() == "2026-11-21T12:00:00+00:00"
    assert (first["price"], first["note"], first["simulated"]) == (0.1 + 0.2, 'a "b", c', True)
    assert (second["price"], second["note"], second["number"]) == (None, None, -1)


@pytest.mark.parametrize("rows", [(), TRADES[1:]])
def test_types_do_not_depend_on_the_rows(rows: tuple[Trade, ...]):
    """Otherwise the pages of a list could not be joined: a column of nothing but nulls has its type too."""
    assert read(table_of(Trade, rows, world="live")).schema == read(TABLE).schema


@pytest.mark.slow
def test_only_who_asks_for_parquet_pays_for_it():
    """pyarrow is imported by the first Parquet file, and pandas not even then."""
    code = (
        "import sys, app; from service.tabular import Table; assert 'pyarrow' not in sys.modules;"
        "Table({'a': 'number'}, [[1.5]]).to_parquet(); assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
