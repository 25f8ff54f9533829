"""Frames as Parquet files: they come back as they went in, and a file that cannot be read counts as absent."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from notebooks.lab.cache import ParquetCache
from notebooks.widgets.frames.schema import COUNT, FLAG, INSTANT, NUMBER, TEXT, FrameSchema, one_of

SCHEMA = FrameSchema(
    {"id": TEXT}, {"n": COUNT, "p": NUMBER, "live": FLAG, "time": INSTANT, "outcome": one_of("yes", "no")}
)
ROWS = [
    {"id": "a", "n": 1, "p": 0.1, "live": True, "time": "2026-11-21T08:00:00Z", "outcome": "no"},
    {"id": "b", "n": None, "p": None, "live": False, "time": None, "outcome": None},
    {"id": "c", "n": 3, "p": 0.3, "live": True, "time": "2026-11-21T09:00:00Z", "outcome": "unheard of"},
]


@pytest.fixture
def cache(tmp_path: Path) -> ParquetCache:
    return ParquetCache(tmp_path / "kept")


def test_a_frame_comes_back_with_its_dtypes(cache: ParquetCache):
    """Also missing values, and a word outside of its vocabulary."""
    frame = SCHEMA.frame(ROWS)
    cache.write("rows", frame)
    pd.testing.assert_frame_equal(cache.read("rows", SCHEMA), frame)


def test_an_absent_frame_has_no_rows(cache: ParquetCache):
    pd.testing.assert_frame_equal(cache.read("rows", SCHEMA), SCHEMA.frame([]))


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more"])
def test_half_a_file_counts_as_absent(cache: ParquetCache, content: bytes):
    cache.write("rows", SCHEMA.frame(ROWS))
    (cache.folder / "rows.parquet").write_bytes(content)
    assert cache.read("rows", SCHEMA).empty


def test_a_file_of_another_schema_counts_as_absent(cache: ParquetCache):
    """One of an earlier version, which lacks a column, is downloaded again."""
    cache.write("rows", SCHEMA.frame(ROWS).drop(columns="p"))
    assert cache.read("rows", SCHEMA).empty


def test_nothing_unfinished_stays_beside_the_file(cache: ParquetCache):
    for _ in range(2):
        cache.write("rows", SCHEMA.frame(ROWS))
    assert [file.name for file in cache.folder.iterdir()] == ["rows.parquet"]
