"""The two books of a track record: live and backfilled forecasts, which are never pooled."""

from __future__ import annotations

from notebooks.widgets.base.wording import Document

BOOKS = {"live": False, "backfilled": True}


def book_of(document: Document, backfilled: bool) -> Document:
    """The live or the backfilled book of a document with `books`."""
    return next(book for book in document["books"] if book["backfilled"] == backfilled)
