"""A cursor is valid for the list that it was written for, and for no other text."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import InvalidRequest
from service.store import pages
from service.store.pages import PageKey

ids = st.text("abcXYZ019-_.:", min_size=1, max_size=96)
values = st.integers(-(2**62), 2**62) | st.floats(
    allow_nan=False, allow_infinity=False, min_value=-1e18, max_value=1e18
)


@given(values, ids, st.text())
def test_a_cursor_reads_as_it_was_written(value, id: str, scope: str):
    assert pages.read_cursor(scope, pages.write_cursor(scope, PageKey(value, id))) == (value, id)


def test_a_cursor_of_another_list_is_refused():
    cursor = pages.write_cursor("resolved", PageKey(1, "a"))
    with pytest.raises(InvalidRequest) as refusal:
        pages.read_cursor("open", cursor)
    assert [error.field for error in refusal.value.errors] == ["cursor"]


@given(st.text() | st.binary().map(lambda raw: urlsafe_b64encode(raw).decode()))
def test_any_other_text_is_refused(text: str):
    with pytest.raises(InvalidRequest):
        pages.read_cursor("list", text)


@pytest.mark.parametrize("value", [1e400, 2**63, True, None, "1", [1]])
def test_a_value_that_is_no_number_of_a_row_is_refused(value):
    with pytest.raises(InvalidRequest):
        pages.read_cursor("list", pages.write_cursor("list", PageKey(value, "a")))


@pytest.mark.parametrize("id", ["", "\x00", "x" * 97, 5, None])
def test_an_id_that_no_row_can_have_is_refused(id):
    with pytest.raises(InvalidRequest):
        pages.read_cursor("list", pages.write_cursor("list", PageKey(1, id)))
