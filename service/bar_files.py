"""Bars from files as exchanges, libraries and vendors write them.

Read are CSV, JSON (a list of rows), Feather and Parquet, also inside gzip or zip. A header names the columns, in any
order and among others; without one they are time, open, high, low, close, volume and others. A time is ISO 8601, in UTC
where it has no offset, or a count of seconds, milliseconds, microseconds or nanoseconds since 1970.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO, StringIO
from math import isfinite
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

# The names of each column as patterns, without capitals and signs, the best first: "Open time" is opentime. A frame of
# pandas may leave the name of its index empty; several volumes are in the asset and in the currency of its price.
NAMES = {
    "time": ("opentime|timeopen", "timestamp.*", "unix.*", "datetime", "time", "date", "t", "indexlevel0", ""),
    "open": ("open|openprice|o",),
    "high": ("high|highprice|h",),
    "low": ("low|lowprice|l",),
    "close": ("close|closeprice|c",),
    "volume": ("volume|v", "(base)?volume(?!usd|quote|currency|to$).*"),
}
WIDTH = len(NAMES)
PRICES = [re.compile(NAMES[field][0]) for field in ("open", "high", "low", "close")]
MOST_BYTES = 128 * 2**20  # of a file when it is unpacked: a year of bars of a minute has 70 MB
MOST_COLUMNS = 1000
FURTHER_HEADER = re.compile("ticker|datetime|date")  # yfinance writes three lines
FIRST_LINES = 3  # one of them names the prices: some vendors put their address first
SEPARATORS = ",;\t"
UNITS = (1, 10**3, 10**6, 10**9)  # of a second
FIRST_SECOND, LAST_SECOND = 10**8, 10**11  # 1973 and 5138: a count between them is in one unit only
PAIR = r"[-_]?usd[tc]?([-_]\d+[mhdw])?([-_]\d{4}-\d\d(-\d\d)?)?"  # with the length of the bars, and their month
FAILURES = (OSError, EOFError, MemoryError, ValueError, TypeError, RuntimeError, BadZipFile, csv.Error, zlib.error)

Row = tuple[int, list[str]]  # its number in the file, and its cells


class BarFile(NamedTuple):
    """The bars of a file, or of several that `name` describes, and why other rows cannot be read.

    `rows`, shape (n, 6), are unix second, open, high, low, close and volume, finite, in ascending order of time.
    `faults` are the unix second of each other row, -1 where it has none, and a sentence with file, line and reason.
    """

    name: str
    rows: NDArray[np.float64]
    faults: list[tuple[int, str]]

    @property
    def spacing(self) -> int:
        """The most common spacing of the rows in seconds; 0 for fewer than two instants."""
        spacings = np.diff(self.rows[:, 0])
        lengths, counts = np.unique(spacings[spacings >= 1], return_counts=True)
        return int(lengths[np.argmax(counts)]) if len(lengths) else 0


def read_bars(name: str, content: bytes, *, is_growing: bool = False) -> BarFile:
    """The bars of a file; a last line that is still being written is left out of one that `is_growing`.

    Raises ValueError, a sentence with `name`, line and reason, where it is no file of bars.
    """
    try:
        noun, rows = _rows(_unpacked(content), is_growing)
    except FAILURES as error:
        raise ValueError(f"{name} cannot be read: {str(error) or type(error).__name__}") from None
    if not rows:
        raise ValueError(f"{name} is empty")
    place = f"{name}, {noun}"
    columns, first = _columns(place, rows)
    bars, faults = _bars(place, rows[first:], columns, len(rows[max(first - 1, 0)][1]))
    table = np.array(bars, dtype=np.float64).reshape(-1, WIDTH)
    return BarFile(name, table[np.argsort(table[:, 0], kind="stable")], faults)


def read_files(contents: Mapping[str, bytes], *, is_growing: bool = False) -> BarFile:
    """The bars of one asset from its files, by name, as `read_bars`. Raises ValueError too where lengths differ."""
    files = {name: read_bars(name, content, is_growing=is_growing) for name, content in contents.items()}
    lengths = {file.spacing: f"{name} {file.spacing} s" for name, file in files.items() if file.spacing}
    if len(lengths) > 1:
        raise ValueError(f"bars of one asset must be of one length, not {', '.join(lengths.values())}")
    rows = np.concatenate([file.rows for file in files.values()])
    faults = [fault for file in files.values() for fault in file.faults]
    return BarFile(" to ".join(sorted({min(files), max(files)})), rows[np.argsort(rows[:, 0], kind="stable")], faults)


def find_files(folder: Path, asset: str) -> list[Path]:
    """The files of an asset: `btc.csv` and so on, else those named for its pair, as `BTC_USDT-1h.feather`.

    Several are parts of one history, as the monthly archives of Binance. Raises OSError.
    """
    names = re.compile(rf"{asset}(?P<pair>{PAIR})?\.(csv|json|feather|parquet|zip)(\.(gz|zip))?", re.IGNORECASE)
    files = [file for file in sorted(folder.iterdir()) if file.is_file()]
    matches = [(match["pair"], file) for file in files if (match := names.fullmatch(file.name))]
    return [file for pair, file in matches if not pair] or [file for _, file in matches]


def content_of(file: Path) -> bytes:
    """The bytes of a file. Raises OSError, and ValueError where there are too many."""
    with file.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    try:
        _require_size(len(content))
    except ValueError as error:
        raise ValueError(f"{file.name} cannot be read: {error}") from None
    return content


def _require_size(size: int, columns: int = 0) -> None:
    if size > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES // 2**20} MB; it may be split into several files")
    if columns > MOST_COLUMNS:
        raise ValueError(f"it has {columns:,} columns, more than {MOST_COLUMNS:,}")


def _unpacked(content: bytes) -> bytes:
    if content.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=BytesIO(content)).read(MOST_BYTES + 1)
    if not content.startswith(b"PK\x03\x04"):
        return content
    with ZipFile(BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if not name.startswith("__MACOSX")]
        if len(names) != 1:
            raise ValueError(f"it holds {len(names)} files, not one")
        with archive.open(names[0]) as file:
            return file.read(MOST_BYTES + 1)


def _rows(content: bytes, is_growing: bool) -> tuple[str, list[Row]]:
    """What the numbers of the rows count, and the rows."""
    _require_size(len(content))
    if content.startswith((b"ARROW1", b"FEA1", b"PAR1")):
        return "row", [(number - 1, cells) for number, cells in _csv_rows(_arrow_csv(content))]
    is_wide = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    text = content.decode("utf-16" if is_wide else "utf-8-sig")
    if not text.lstrip().startswith("["):
        return "line", _csv_rows(text[: text.rfind("\n") + 1] if is_growing else text)
    entries: list[list[object]] = json.loads(text, parse_int=str, parse_float=str)
    return "row", [
        (number, ["" if cell is None else str(cell) for cell in row]) for number, row in enumerate(entries, 1) if row
    ]


def _csv_rows(text: str) -> list[Row]:
    top = "".join(text.splitlines()[:FIRST_LINES])
    reader = csv.reader(StringIO(text, newline=""), delimiter=max(SEPARATORS, key=top.count), strict=True)
    rows: list[Row] = []
    line = 1
    try:
        for row in reader:
            if reader.line_num > line:  # a stray quotation mark would take the lines up to the next one for one cell
                raise ValueError("a cell does not end in its line; a quotation mark may be missing")
            rows += [(line, row)] if row else []
            line += 1
    except (csv.Error, ValueError) as error:
        raise ValueError(f"line {line}: {error}") from None
    if rows:
        _require_size(0, max(len(row) for _, row in rows[: 2 * FIRST_LINES]))
    return rows


def _arrow_csv(content: bytes) -> str:
    """A table of Feather or Parquet as CSV, whose numbers are exact; pyarrow takes 0.3 s to import."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    read = pyarrow.parquet.read_table if content.startswith(b"PAR1") else pyarrow.feather.read_table
    table = read(pyarrow.BufferReader(content))
    _require_size(table.nbytes, table.num_columns)
    sink = pyarrow.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    return sink.getvalue().to_pybytes().decode()


def _columns(place: str, rows: Sequence[Row]) -> tuple[Sequence[int], int]:
    """The column of each value, in the order of NAMES, and the place of the first row below the header."""
    titles = [[_title(cell) for cell in cells] for _, cells in rows[: 2 * FIRST_LINES]]
    tops = (at for at, row in enumerate(titles[:FIRST_LINES]) if all(any(map(p.fullmatch, row)) for p in PRICES))
    top = next(tops, None)
    if top is None and len(rows[0][1]) >= WIDTH and _bars(place, rows[:1], range(WIDTH), len(rows[0][1]))[0]:
        return range(WIDTH), 0
    top = top or 0
    end = top + 1
    while end < len(titles) and FURTHER_HEADER.fullmatch(titles[end][0]):
        end += 1
    columns = [set(column) for column in zip(*titles[top:end], strict=False)]
    places = {field: _places(field, columns) for field in NAMES}
    if faults := [f"{len(numbers) or 'no'} columns of {name}" for name, numbers in places.items() if len(numbers) != 1]:
        raise ValueError(f"{place} {rows[top][0]}: it is no bar and names {', '.join(faults)}")
    return [numbers[0] for numbers in places.values()], end


def _places(field: str, columns: Sequence[set[str]]) -> list[int]:
    """The columns with the best of the names of a field that there is."""
    matches = (
        [place for place, titles in enumerate(columns) if any(re.fullmatch(pattern, title) for title in titles)]
        for pattern in NAMES[field]
    )
    return next(filter(None, matches), [])


def _title(cell: str) -> str:
    """`open_time` as opentime, and of a pair as in `('Close', 'BTC-USD')` the first."""
    return re.sub(r"[\W_]", "", cell.partition(",")[0].lower())


def _bars(
    place: str, rows: Sequence[Row], columns: Sequence[int], width: int
) -> tuple[list[tuple[float, ...]], list[tuple[int, str]]]:
    """The values of the rows in their `columns`, and the faults of those that have not `width` or cannot be read."""
    bars: list[tuple[float, ...]] = []
    faults: list[tuple[int, str]] = []
    for number, cells in rows:
        second = -1.0
        try:
            if len(cells) != width:
                raise ValueError(f"it has {len(cells)} columns, not {width}")
            second = _second(cells[columns[0]])
            bars.append((second, *[_number(cells[column]) for column in columns[1:]]))
        except ValueError as error:
            faults.append((int(second), f"{place} {number}: {error}"))
    return bars, faults


def _number(text: str) -> float:
    with suppress(ValueError):
        if "_" not in text and isfinite(number := float(text)):  # Python reads 1_0_3 as 103
            return number
    raise ValueError(f"{text[:40]!r} is not a number")


def _second(text: str) -> float:
    """An instant in unix seconds; eight digits are a date."""
    text = text.strip()
    try:
        if len(text) != len("20260105") and re.fullmatch(r"\d+(\.0*)?", text):
            return next(second for unit in UNITS if FIRST_SECOND <= (second := float(text) / unit) < LAST_SECOND)
        instant = datetime.fromisoformat(text.removesuffix(" UTC"))
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()
    except (ValueError, StopIteration, OverflowError):
        raise ValueError(f"{text[:40]!r} is not a time") from None
