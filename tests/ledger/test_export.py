"""The lines of an export."""

from __future__ import annotations

import pytest

from service.ledger import export
from tests.ledger import books

BOOK = books.book(2)


def test_rows_and_roots_survive_their_lines():
    entry, root = BOOK.entries[0], BOOK.roots[0]
    assert export.read(export.line("row", vars(entry))) == entry
    assert export.read(export.line("root", vars(root))) == root


def test_a_line_in_another_form_is_refused():
    line = export.line("row", vars(BOOK.entries[0]))
    with pytest.raises(ValueError, match="canonical"):
        export.read(line.replace(":", ": ", 1))


def test_a_line_of_another_type_is_refused():
    with pytest.raises(ValueError, match="neither a row nor a root"):
        export.read(export.line("letter", vars(BOOK.entries[0])))
