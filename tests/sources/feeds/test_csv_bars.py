"""Rows of a CSV file: times in every usual form, unreadable rows as NaN, anything but such a table refused."""

from __future__ import annotations

import numpy as np
import pytest

from service.config import SettingsError
from service.sources.feeds.csv_bars import read_rows

HEADER = "time,open,high,low,close,volume"
SINCE = 1_767_571_200  # 2026-01-05T00:00:00Z


def table(*lines: str, header: str = HEADER) -> np.ndarray:
    return read_rows("btc.csv", "\n".join([header, *lines]).encode())


@pytest.mark.parametrize(
    "time",
    ["2026-01-05T00:00:00Z", "2026-01-05T01:00:00+01:00", "2026-01-05 00:00", "2026-01-05T00:00:00", str(SINCE)],
)
def test_a_time_is_iso_with_any_offset_or_a_unix_second(time: str):
    assert table(f"{time},1,3,0.5,2,7").tolist() == [[SINCE, 1, 3, 0.5, 2, 7]]


@pytest.mark.parametrize(
    "line",
    [f"{SINCE},1,2", "yesterday,1,2,1,2,5", f"{SINCE},,2,1,2,5", f"{SINCE},1,2,1,2,5,6", "\0,1,2,1,2,5"],
)
def test_an_unreadable_row_keeps_its_place_as_nan(line: str):
    rows = table("1,1,1,1,1,1", line, "2,2,2,2,2,2")
    assert np.isnan(rows).all(axis=1).tolist() == [False, True, False]


def test_a_file_may_begin_with_a_byte_order_mark_and_capitals():
    assert table("1,1,1,1,1,1", header="\ufeffTime,Open,High,Low,Close,Volume").shape == (1, 6)


def test_a_header_alone_has_no_rows():
    assert table().shape == (0, 6)


@pytest.mark.parametrize("header", ["", "date,o,h,l,c,v", "open,time,high,low,close,volume", "1,1,1,1,1,1"])
def test_a_file_with_another_first_line_is_refused(header: str):
    with pytest.raises(SettingsError, match=f"the first line of btc.csv must be {HEADER}"):
        table("1,1,1,1,1,1", header=header)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\x00time", HEADER.encode() + b"\n" + b"x" * 200_000])
def test_a_file_that_is_no_such_table_is_refused(content: bytes):
    with pytest.raises(SettingsError, match=r"btc\.csv"):
        read_rows("btc.csv", content)
