"""Past prices as a question needs them, up to the present and no further."""

from __future__ import annotations

import numpy as np

from service.market.bars import from_rows, resample
from service.market.coverage import Coverage
from service.market.instants import HOUR, utc
from service.store import bars
from service.store.bars import StoredHistory

BEGIN = 1_795_262_400
STEP = 300


def test_only_prices_up_to_the_present_are_read(database):
    """Three hours are stored, and two of them are over."""
    rows = [(BEGIN + STEP * place, 100.0, 101.0 + place, 99.0, 100.0 + place, 1.0) for place in range(36)]
    series = from_rows(rows, STEP)
    with database.writing() as db:
        bars.add_bars(db, "btc", series)
        bars.renew_bars(db, "btc", resample(series, HOUR))
    history = StoredHistory(database.reading, STEP, BEGIN + 2 * HOUR + 17)
    np.testing.assert_array_equal(history.hourly("btc", utc(BEGIN)).close, [111.0, 123.0])
    np.testing.assert_array_equal(history.hourly("btc", utc(BEGIN + 1)).close, [123.0])
    record = history.record("btc")
    assert (record.high, record.low, record.since) == (136.0, 99.0, utc(BEGIN))


def test_an_asset_without_bars_has_no_past(database):
    history = StoredHistory(database.reading, STEP, BEGIN)
    assert history.record("eth") is None
    assert len(history.hourly("eth", utc(0))) == 0


def test_a_record_begins_where_the_history_has_no_gap(database):
    """A new high of an island of bars from months ago is no high of all prices since then."""
    island, now = BEGIN - 100 * HOUR, BEGIN + 2 * HOUR
    with database.writing() as db:
        for begin, price in ((island, 500.0), (BEGIN, 100.0)):
            rows = [(begin + HOUR * place, price, price, price, price, 1.0) for place in range(2)]
            bars.add_bars(db, "btc", from_rows(rows, HOUR))
        for step in (STEP, HOUR):
            windows = ((island, island + 2 * HOUR), (BEGIN, now))
            bars.change_coverage(db, "btc", step, Coverage(island, now, windows=windows), lambda stored: stored)
    record = StoredHistory(database.reading, STEP, now).record("btc")
    assert (record.high, record.since) == (100.0, utc(BEGIN))
