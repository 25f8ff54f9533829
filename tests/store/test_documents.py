"""Contexts, fits, the record and the heartbeat: small things of which the latest counts."""

from __future__ import annotations

import math

import pytest

from service.store import contexts, fits, heartbeat, records


def test_the_latest_context_of_each_asset_is_kept(database):
    with database.writing() as db:
        contexts.save(db, "btc", 300, {"spot": 1.5})
        contexts.save(db, "eth", 300, {"spot": 2.5})
        contexts.save(db, "btc", 600, {"spot": 1.25})
        contexts.save(db, "btc", 300, {"spot": 9.0})
    with database.reading() as db:
        assert contexts.latest(db, "btc") == {"spot": 1.25}
        assert contexts.every(db) == {"btc": {"spot": 1.25}, "eth": {"spot": 2.5}}


def test_an_asset_without_a_context_has_none(database):
    with database.reading() as db:
        assert contexts.latest(db, "btc") is None
        assert contexts.every(db) == {}


def test_numbers_survive_as_the_same_double(database):
    with database.writing() as db:
        contexts.save(db, "btc", 1, {"p": 0.1 + 0.2, "n": 2**53})
    with database.reading() as db:
        assert contexts.latest(db, "btc") == {"p": 0.1 + 0.2, "n": 2**53}


def test_a_number_that_is_none_is_refused(database):
    with database.writing() as db, pytest.raises(ValueError):
        contexts.save(db, "btc", 1, {"p": math.nan})


def test_the_newest_fit_is_the_one_of_the_latest_slot(database):
    with database.reading() as db:
        assert fits.latest(db) is None
        assert fits.latest_slot(db) is None
    with database.writing() as db:
        fits.save(db, 200, {"a": 2})
        fits.save(db, 100, {"a": 1})
        fits.save(db, 200, {"a": 3})
    with database.reading() as db:
        assert fits.latest(db) == fits.Fit(200, {"a": 3})
        assert fits.latest_slot(db) == 200


def test_there_is_one_record_and_it_never_goes_back(database):
    with database.reading() as db:
        assert records.latest(db) is None
    with database.writing() as db:
        records.save(db, 600, {"vol": {"n": 2}})
        records.save(db, 300, {"vol": {"n": 1}})
    with database.reading() as db:
        assert records.latest(db) == {"vol": {"n": 2}}


def test_the_last_beat_is_known(database):
    with database.reading() as db:
        assert heartbeat.last(db) is None
    with database.writing() as db:
        heartbeat.beat(db, 10)
        heartbeat.beat(db, 12)
    with database.reading() as db:
        assert heartbeat.last(db) == 12
