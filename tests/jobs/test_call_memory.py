"""The calls in memory are those of the database, with the outcomes that all bars give them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.apex.call import EVERY_S, Call
from service.forecasting.apex.scores import outcome_of, resolved_calls
from service.jobs.memory import CallMemory
from service.market.bars import equal
from service.market.instants import DAY, HOUR
from service.store import bars
from service.store.bars import HourlyBars
from service.store.database import Database
from service.store.pages import apex_calls
from tests.forecasting.made import made_bars

BARS = made_bars("btc", 30, 1)
FIRST = int(BARS.time[0]) + 5 * DAY


def called(at: int) -> Call:
    """A call at the price of then."""
    spot = float(BARS.until(at).close[-1])
    return Call("btc", at, spot, 0.6, 0.1, 0.2, False, {}, (), backfilled=False)


def add(database: Database, *calls: Call) -> None:
    with database.writing() as db:
        for call in calls:
            apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=call.backfilled)


def build(database: Database, hourly) -> None:
    with database.writing() as db:
        bars.renew_bars(db, "btc", hourly)


@pytest.fixture
def reads_alike(database):
    """Whether what is in memory is what the database says at an instant."""
    memory, hourly_bars = CallMemory(), HourlyBars()

    def compare(slot: int) -> bool:
        with database.reading() as db:
            calls, resolved, hourly = memory.read(db, hourly_bars, slot)
            stored = [Call.from_plain(plain) for plain in apex_calls.every(db).values()]
            whole = bars.load_bars(db, "btc", 0, slot, HOUR)
        since = stored[0].at if stored else slot
        assert equal(hourly.since(since), whole.since(since))
        return list(calls) == stored and list(resolved) == list(resolved_calls(stored, {"btc": whole}, slot))

    return compare


def test_new_calls_and_outcomes_are_seen(database, reads_alike):
    """From none on, a day at a time, for longer than outcomes may still change."""
    build(database, BARS)
    assert reads_alike(FIRST)
    for day in range(10):
        now = FIRST + day * DAY
        add(database, *(called(at) for at in range(now, now + DAY, EVERY_S)))
        assert reads_alike(now + DAY)


@pytest.mark.parametrize("factor", [0.5, 2])
def test_a_gap_that_is_filled_changes_outcomes(database, reads_alike, factor):
    """The hour in which a call's day ended was missing, so that of before decided; then it is there."""
    place = 12 * 24 - 1
    build(database, BARS[:place])
    build(database, BARS[place + 1 :])
    add(database, called(int(BARS.time[place]) + HOUR - DAY))
    assert reads_alike(int(BARS.time[-1]) + HOUR)
    build(database, replace(BARS, close=BARS.close * factor, low=BARS.low * 0.4, high=BARS.high * 3)[place : place + 1])
    assert reads_alike(int(BARS.time[-1]) + HOUR)


def test_a_void_call_is_decided_once_its_gap_is_filled(database, reads_alike):
    """No price of the last hours of its day is known; long after that they are."""
    end = 12 * 24
    build(database, BARS[: end - 5])
    build(database, BARS[end:])
    call = called(int(BARS.time[end]) - DAY)
    add(database, call)
    slot = int(BARS.time[-1]) + HOUR
    with database.reading() as db:
        assert outcome_of(call, bars.load_bars(db, "btc", 0, slot, HOUR), slot) == "void"
    assert reads_alike(slot)
    assert reads_alike(slot)
    build(database, BARS[end - 5 : end])
    with database.reading() as db:
        assert outcome_of(call, bars.load_bars(db, "btc", 0, slot, HOUR), slot) in ("yes", "no")
    assert reads_alike(slot)
