"""Plain JSON comes back as it was stored, and an older value never replaces a newer one."""

from __future__ import annotations

import math

import pytest

from service.forecasting.apex.call import Call
from service.store.pages import RECORD, apex_calls, contexts, feed_states, fits, lane_states, price_books, records
from tests.forecasting.made import call_of

FEED = "https://example.com/feed.xml"


def test_the_latest_context_of_each_asset_is_kept(database):
    with database.writing() as db:
        contexts.save(db, "btc", {"spot": 1.5}, as_of=300)
        contexts.save(db, "eth", {"spot": 2.5}, as_of=300)
        contexts.save(db, "btc", {"spot": 1.25}, as_of=600)
        contexts.save(db, "btc", {"spot": 9.0}, as_of=300)
    with database.reading() as db:
        assert contexts.find(db, "btc") == {"spot": 1.25}
        assert contexts.every(db) == {"btc": {"spot": 1.25}, "eth": {"spot": 2.5}}


@pytest.mark.parametrize("table", [contexts, fits, records, apex_calls, price_books, lane_states, feed_states])
def test_an_empty_table_has_no_values(database, table):
    with database.reading() as db:
        assert table.every(db) == {}
        assert (table.find(db, 1), table.latest(db), table.latest_key(db)) == (None, None, None)


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


def test_there_is_one_record_and_no_older_one_replaces_it(database):
    with database.writing() as db:
        records.save(db, RECORD, {"vol": {"n": 2}}, as_of=600)
        records.save(db, RECORD, {"vol": {"n": 1}}, as_of=300)
    with database.reading() as db:
        assert records.latest(db) == {"vol": {"n": 2}}


def test_the_state_of_each_feed_is_replaced(database):
    with database.writing() as db:
        feed_states.save(db, FEED, {"etag": '"1"', "until": None})
        feed_states.save(db, f"{FEED}?2", {"etag": None})
        feed_states.save(db, FEED, {"etag": '"2"', "until": 17})
    with database.reading() as db:
        assert feed_states.every(db) == {FEED: {"etag": '"2"', "until": 17}, f"{FEED}?2": {"etag": None}}


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

    def test_calls_come_in_the_order_of_their_instants(self, database):
        self.add(database, 28_800, 14_400, 43_200)
        with database.reading() as db:
            assert list(apex_calls.every(db)) == [14_400, 28_800, 43_200]
            assert apex_calls.latest(db)["at"] == 43_200

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
