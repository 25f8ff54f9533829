"""Plain JSON and documents come back as they were stored; an older value never replaces a newer one."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from base64 import urlsafe_b64encode
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.documents import Document
from service.errors import InvalidRequest
from service.forecasting.apex.call import Call
from service.market.prices import PricesDocument, Rate
from service.store import pages, snapshots
from service.store.pages import PageKey, apex_calls, contexts, fits
from tests.forecasting.made import call_of
from tests.forecasting.markets import PLAIN_HEADER as HEADER
from tests.forecasting.markets import PRICE

BODY = b'{"lanes":[],"schema":"bot-battle/1"}' * 20
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
NO_VALUES, NO_IDS = (1e400, 2**63, True, None, "1", [1]), ("", "\x00", "x" * 97, 5, None)


def test_the_latest_context_of_each_asset_is_kept(db):
    contexts.save(db, "btc", {"spot": 1.5}, as_of=300)
    contexts.save(db, "eth", {"spot": 2.5}, as_of=300)
    contexts.save(db, "btc", {"spot": 1.25}, as_of=600)
    contexts.save(db, "btc", {"spot": 9.0}, as_of=300)
    assert contexts.find(db, "btc") == {"spot": 1.25}
    assert contexts.every(db) == {"btc": {"spot": 1.25}, "eth": {"spot": 2.5}}


def test_numbers_survive_as_the_same_double(db):
    """NaN is refused."""
    contexts.save(db, "btc", {"p": 0.1 + 0.2, "n": 2**53}, as_of=1)
    assert contexts.find(db, "btc") == {"p": 0.1 + 0.2, "n": 2**53}
    with pytest.raises(ValueError):
        contexts.save(db, "btc", {"p": math.nan}, as_of=1)


def test_the_newest_fits_are_those_of_the_latest_slot(db):
    """An empty table has none."""
    assert (fits.every(db), fits.find(db, 1), fits.latest(db), fits.latest_key(db)) == ({}, None, None, None)
    for slot, number in ((200, 2), (100, 1), (200, 3)):
        fits.save(db, slot, {"a": number})
    assert (fits.latest(db), fits.latest_key(db)) == ({"a": 3}, 200)


def test_only_the_newest_values_are_kept(db):
    """Those of the largest keys. Of fewer than that, all are kept; the order of writing does not matter."""
    for slot in (300, 100, 400, 200):
        fits.save(db, slot, {"slot": slot})
    fits.keep_newest(db, 5)
    assert fits.newest(db, 100, 300, 2) == [{"slot": 300}, {"slot": 200}]
    assert list(fits.every(db)) == [100, 200, 300, 400]
    fits.keep_newest(db, 2)
    assert list(fits.every(db)) == [300, 400]


def add_calls(db, *ats: int, p_up: float = 0.1 + 0.2) -> None:
    for at in ats:
        call = call_of(at, p_up, 61_234.56, oracles=0.51, market=0.6)
        apex_calls.add(db, at, call.to_plain(), p_up=p_up, backfilled=False)


def test_a_call_comes_back_whole_and_is_never_replaced(db):
    """With every layer, whether it forecast or abstained."""
    add_calls(db, 14_400)
    plain = apex_calls.latest(db)
    assert Call.from_plain(plain) == call_of(14_400, 0.1 + 0.2, 61_234.56, oracles=0.51, market=0.6)
    add_calls(db, 14_400, 28_800, p_up=0.4)
    assert [call["p_up"] for call in apex_calls.every(db).values()] == [0.1 + 0.2, 0.4]


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


@pytest.mark.parametrize(("value", "id"), [*((value, "a") for value in NO_VALUES), *((1, id) for id in NO_IDS)])
def test_a_key_that_no_row_can_have_is_refused(value, id):
    with pytest.raises(InvalidRequest):
        pages.read_cursor("list", pages.write_cursor("list", PageKey(value, id)))


def save(db, as_of: int, body: bytes) -> None:
    snapshots.publish(db, as_of, {"battle": body})


def latest(db) -> snapshots.Snapshot | None:
    return snapshots.latest_snapshot(db, "battle")


def test_a_document_is_served_as_it_lies(db):
    """The same bytes have the same tag in every process; before the first run there is none."""
    assert latest(db) is None
    save(db, 300, BODY)
    snapshot = latest(db)
    assert (snapshot.name, snapshot.as_of) == ("battle", 300)
    assert (snapshot.body, snapshot.etag) == (BODY, hashlib.sha256(BODY).hexdigest()[:32])
    assert gzip.decompress(snapshot.gzip) == snapshots.zstd.decompress(snapshot.zstd) == BODY
    save(db, 600, BODY)
    assert latest(db)[2:] == snapshot[2:]


def test_a_document_is_only_replaced_by_a_later_one(db):
    save(db, 300, b"first")
    save(db, 600, b"second")
    save(db, 300, b"late")
    assert latest(db).body == b"second"
    save(db, 600, b"made again")
    assert latest(db).body == b"made again"


def test_a_published_document_is_stored_as_its_json(db):
    snapshots.publish(db, 300, {"battle": Document(schema="battle/1", **vars(HEADER))})
    fields = list(json.loads(latest(db).body).items())[:2]
    assert fields == [("schema", "battle/1"), ("timestamp", HEADER.timestamp)]


def test_prices_come_back_as_they_were_published(db):
    """Before the first tick there are none."""
    document = PricesDocument("prices/1", **vars(HEADER), ended=False, count=1, prices=(PRICE,))
    assert (snapshots.latest_prices(db), snapshots.prices_by_asset(snapshots.latest_prices(db))) == (None, {})
    snapshots.publish(db, 1000, {"prices": document})
    assert snapshots.latest_prices(db) == document
    assert snapshots.prices_by_asset(snapshots.latest_prices(db)) == {"btc": PRICE}


def test_the_latest_rates_are_read_as_they_were_stored(db):
    """Those that were read earlier do not replace them; before the first run there are none."""
    later, earlier = {"EUR": Rate(1.1, "kraken EUR/USD", NOON), "JPY": Rate(0.0066)}, {"EUR": Rate(1.2)}
    assert snapshots.latest_rates(db) == {}
    snapshots.publish(db, 2_000, {snapshots.RATES: later})
    snapshots.publish(db, 1_000, {snapshots.RATES: earlier})
    assert snapshots.latest_rates(db) == later
