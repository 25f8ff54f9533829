"""Plain JSON comes back as it was stored, and an older value never replaces a newer one."""

from __future__ import annotations

import math
from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import InvalidRequest
from service.forecasting.apex.call import Call
from service.store import pages
from service.store.pages import (
    PageKey,
    apex_calls,
    contexts,
    fits,
)
from tests.forecasting.made import call_of


def test_the_latest_context_of_each_asset_is_kept(database):
    with database.writing() as db:
        contexts.save(db, "btc", {"spot": 1.5}, as_of=300)
        contexts.save(db, "eth", {"spot": 2.5}, as_of=300)
        contexts.save(db, "btc", {"spot": 1.25}, as_of=600)
        contexts.save(db, "btc", {"spot": 9.0}, as_of=300)
    with database.reading() as db:
        assert contexts.find(db, "btc") == {"spot": 1.25}
        assert contexts.every(db) == {"btc": {"spot": 1.25}, "eth": {"spot": 2.5}}


def test_an_empty_table_has_no_values(database):
    with database.reading() as db:
        assert fits.every(db) == {}
        assert (fits.find(db, 1), fits.latest(db), fits.latest_key(db)) == (None, None, None)


def test_numbers_survive_as_the_same_double(database):
    with database.writing() as db:
        contexts.save(db, "btc", {"p": 0.1 + 0.2, "n": 2**53}, as_of=1)
    with database.reading() as db:
        assert contexts.find(db, "btc") == {"p": 0.1 + 0.2, "n": 2**53}


def test_not_a_number_is_refused(database):
    with database.writing() as db, pytest.raises(ValueError):
        contexts.save(db, "btc", {"p": math.nan}, as_of=1)


def test_the_newest_fits_are_those_of_the_latest_slot(database):
    with database.writing() as db:
        fits.save(db, 200, {"a": 2})
        fits.save(db, 100, {"a": 1})
        fits.save(db, 200, {"a": 3})
    with database.reading() as db:
        assert fits.latest(db) == {"a": 3}
        assert fits.latest_key(db) == 200


def test_only_the_newest_values_are_kept(database):
    """Of fewer than that, all are kept; the order of writing does not matter."""
    with database.writing() as db:
        for slot in (300, 100, 400, 200):
            fits.save(db, slot, {"slot": slot})
        fits.keep_newest(db, 5)
        assert list(fits.every(db)) == [100, 200, 300, 400]
        fits.keep_newest(db, 2)
        assert list(fits.every(db)) == [300, 400]


class TestCallsOfApex:
    def add(self, database, *ats: int, p_up: float = 0.1 + 0.2) -> None:
        with database.writing() as db:
            for at in ats:
                call = call_of(at, p_up, 61_234.56, oracles=0.51, market=0.6)
                apex_calls.add(db, at, call.to_plain(), p_up=p_up, backfilled=False)

    def test_a_call_comes_back_whole(self, database):
        """With every layer, whether it forecast or abstained."""
        self.add(database, 14_400)
        with database.reading() as db:
            plain = apex_calls.latest(db)
        assert Call.from_plain(plain) == call_of(14_400, 0.1 + 0.2, 61_234.56, oracles=0.51, market=0.6)

    def test_a_stored_call_is_never_replaced(self, database):
        self.add(database, 14_400, p_up=0.6)
        self.add(database, 14_400, 28_800, p_up=0.4)
        with database.reading() as db:
            assert [call["p_up"] for call in apex_calls.every(db).values()] == [0.6, 0.4]


def test_the_newest_values_are_those_of_the_largest_keys(database):
    with database.writing() as db:
        for slot in (100, 200, 300, 400):
            fits.add(db, slot, {"slot": slot})
    with database.reading() as db:
        assert fits.newest(db, 100, 300, 2) == [{"slot": 300}, {"slot": 200}]


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
