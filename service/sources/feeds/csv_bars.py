"""Bars from a CSV file with the columns `time,open,high,low,close,volume`; the time is ISO 8601 or unix seconds."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from io import StringIO

import numpy as np

from service.config import SettingsError
from service.market.bars import Bar, Prices

UNREADABLE = (np.nan,) * len(Bar._fields)


def read_rows(name: str, content: bytes) -> Prices:
    """The rows of a file in their order, shape (n, 6), times in unix seconds; an unreadable row is NaN.

    Raises SettingsError, which mentions the file as `name`, if the file is not text or has another header.
    """
    try:
        rows = [row for row in csv.reader(StringIO(content.decode("utf-8-sig"), newline="")) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise SettingsError(f"{name} is not a readable CSV file: {error}") from None
    if not rows or tuple(column.strip().lower() for column in rows[0]) != Bar._fields:
        raise SettingsError(f"the first line of {name} must be {','.join(Bar._fields)}")
    return np.array([_numbers(row) for row in rows[1:]], dtype=np.float64).reshape(-1, len(Bar._fields))


def commonest_spacing(times: Prices) -> int:
    """The most common spacing in seconds; 0 for fewer than two bars in ascending order."""
    spacings = np.diff(times[np.isfinite(times)])
    lengths, counts = np.unique(spacings[spacings >= 1], return_counts=True)
    return int(lengths[np.argmax(counts)]) if len(lengths) else 0


def _numbers(row: list[str]) -> tuple[float, ...]:
    if len(row) != len(Bar._fields):
        return UNREADABLE
    try:
        return (_unix_second(row[0]), *map(float, row[1:]))
    except ValueError:
        return UNREADABLE


def _unix_second(text: str) -> float:
    """An instant in unix seconds; without an offset it is UTC."""
    if text.isdecimal():
        return float(text)
    instant = datetime.fromisoformat(text)
    return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()
