"""Every published document begins with the same fields in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import app  # noqa: F401  loads every module that defines a document
from service.documents import Document, rounded
from service.market.prices import PricesDocument

HEADER = ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]


def documents(base: type[Document]) -> Iterator[type[Document]]:
    for kind in base.__subclasses__():
        yield kind
        yield from documents(kind)


def test_every_document_begins_with_the_header():
    kinds = list(documents(Document))
    assert len(kinds) >= 11
    for kind in kinds:
        assert [field.name for field in fields(kind)][:6] == HEADER, kind


def test_the_prices_have_the_header_around_ended():
    names = [field.name for field in fields(PricesDocument)]
    assert names[:7] == [*HEADER[:5], "ended", "sources"]


def test_an_unknown_number_stays_unknown():
    assert (rounded(None, 2), rounded(0.0, 2), rounded(-1.005, 1), rounded(2.0, 0)) == (None, 0.0, -1.0, 2.0)
