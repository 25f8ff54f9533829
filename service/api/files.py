"""Tables as files: CSV or Parquet, where a request prefers one of them to JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from flask import Response, request
from pydantic import TypeAdapter

from service.api import headers
from service.api.encoding import PARQUET, BodyBytes, document
from service.api.snapshots import latest
from service.tabular import Table

CSV = "text/csv"

Kind = TypeVar("Kind")


def described(row: str) -> Mapping[str, str]:
    """What a file holds, by its media type; `row` is what each row is about."""
    return {CSV: f"a line for each {row}, after a header line", PARQUET: "the same table, its columns with their types"}


def wanted() -> str | None:
    """The media type of the file that this request prefers, None for JSON; the answer depends on its Accept header."""
    headers.add([("Vary", "Accept")])
    best = request.accept_mimetypes.best_match(["application/json", CSV, PARQUET])
    return best if best in (CSV, PARQUET) else None


def file(table: Table, media: str, max_age: int | None) -> Response:
    """The table as a file of this media type; `max_age` as in `encoding.document`."""
    if media == PARQUET:
        return document(BodyBytes(table.to_parquet()), max_age=max_age, media=PARQUET)
    return document(BodyBytes(table.to_csv()), max_age=max_age, media=f"{CSV}; charset=utf-8")


def snapshot(name: str, kind: TypeAdapter[Kind], table: Callable[[Kind], Table], max_age: int | None) -> Response:
    """A stored document, or the `table` of its kind as the file that is preferred."""
    media, stored = wanted(), latest(name)
    if media is None:
        return document(stored, max_age=max_age)
    return file(table(kind.validate_json(stored.body)), media, max_age)
