"""What follows from bars is computed once, and anew as soon as a bar differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.apex.call import EVERY_S, Call
from service.forecasting.apex.document import outcome_of, resolved_calls
from service.forecasting.voters.context import build_all
from service.jobs import memory
from service.jobs.committing import keep_settlement
from service.jobs.memory import ArenaMemory, CallMemory, Memory, ScoreMemory, same_bars
from service.market.bars import Bars, equal
from service.market.instants import DAY, HOUR
from service.store import bars, predictions
from service.store.bars import HourlyBars
from service.store.database import Database
from service.store.pages import apex_calls
from service.trading.arena import Arena, mark, run
from tests.forecasting.made import FIRST, made_bars
from tests.forecasting.markets import PLAIN_HEADER as HEADER
from tests.store.test_predictions import DEADLINE, POSITION, YES, bare, keep, stored

FEW_HOURS = {asset: made_bars(asset, 60, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}


def test_the_same_bars_are_not_computed_again():
    """The same object comes back; another bar is computed anew, also where it is not the last one."""
    memory = Memory(build_all, same_bars)
    first = memory.of(FEW_HOURS)
    assert first == build_all(FEW_HOURS)
    assert memory.of({asset: bars[:] for asset, bars in FEW_HOURS.items()}) is first
    close = FEW_HOURS["eth"].close.copy()
    close[-30] *= 1.01
    variant = {**FEW_HOURS, "eth": replace(FEW_HOURS["eth"], close=close)}
    assert memory.of(variant) == build_all(variant) != first
    fewer = {asset: bars for asset, bars in FEW_HOURS.items() if asset != "gold"}
    assert memory.of(fewer).keys() == fewer.keys()


HOURLY = {asset: made_bars(asset, 200, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}


def until(instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in HOURLY.items()}


def state(arena: Arena) -> list[object]:
    """What an arena says of each account."""
    accounts = [account for by_asset in arena.accounts.values() for account in by_asset.values()]
    numbers = [(it.equity, it.mark_price, it.daily.tolist(), it.history.capital.tolist()) for it in accounts]
    return [arena.as_of, arena.days.tolist(), numbers]


def test_the_arena_is_that_of_all_hours():
    """Before, at and after the bound of a block, and for a shorter past again."""
    memory = ArenaMemory()
    for instant in (3 * DAY, 90 * DAY - HOUR, 90 * DAY, 90 * DAY + HOUR, 199 * DAY, 95 * DAY):
        hours = until(FIRST + instant)
        assert state(memory.after(hours)) == state(run(hours, {}, FIRST)), instant


def test_an_asset_that_is_late_at_a_bound_is_not_lost():
    """Its last hour before the bound arrives after the block of the others was complete."""
    memory, bound = ArenaMemory(), FIRST + 90 * DAY
    hours = until(bound + HOUR) | {"eth": HOURLY["eth"].until(bound - HOUR)}
    assert state(memory.after(hours)) == state(run(hours, {}, FIRST))
    assert state(memory.after(until(bound + HOUR))) == state(run(until(bound + HOUR), {}, FIRST))


def test_marks_after_a_bound_fill_its_last_decision():
    """The arena of the memory is marked like one that is computed at once."""
    hours = until(FIRST + 90 * DAY)
    marks = {asset: made_bars(asset, 91, 9).since(FIRST + 90 * DAY)[:1] for asset in hours}
    assert state(mark(ArenaMemory().after(hours), hours, marks)) == state(run(hours, marks, FIRST))


def test_an_older_bar_that_changed_is_computed_anew():
    """Also one in a block that is complete."""
    memory = ArenaMemory()
    before = memory.after(until(FIRST + 120 * DAY))
    close = HOURLY["eth"].close.copy()
    close[700:] *= np.linspace(1, 2, len(close) - 700)
    variant = {**HOURLY, "eth": replace(HOURLY["eth"], close=close, high=np.maximum(HOURLY["eth"].high, close))}
    hours = {asset: bars.until(FIRST + 120 * DAY) for asset, bars in variant.items()}
    assert state(memory.after(hours)) == state(run(hours, {}, FIRST)) != state(before)


def test_complete_blocks_are_not_computed_again(monkeypatch: pytest.MonkeyPatch):
    """The next hour begins where the last complete block ended."""
    arenas, begins = ArenaMemory(), []
    arenas.after(until(FIRST + 190 * DAY))
    advance = memory.advance
    monkeypatch.setattr(memory, "advance", lambda before, hours: begins.append(before.as_of) or advance(before, hours))
    arenas.after(until(FIRST + 191 * DAY))
    assert min(begins) == FIRST + 180 * DAY


BARS = made_bars("btc", 30, 1)
FIRST_CALL = int(BARS.time[0]) + 5 * DAY


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
            calls, outcomes, hourly = memory.read(db, hourly_bars, slot)
            expected = [Call.from_plain(plain) for plain in apex_calls.every(db).values()]
            series = bars.load_bars(db, "btc", 0, slot, HOUR)
        since = expected[0].at if expected else slot
        assert equal(hourly.since(since), series.since(since))
        return list(calls) == expected and list(outcomes) == list(resolved_calls(expected, {"btc": series}, slot))

    return compare


def test_new_calls_and_outcomes_are_seen(database, reads_alike):
    """From none on, a day at a time, for longer than outcomes may still change."""
    build(database, BARS)
    assert reads_alike(FIRST_CALL)
    for day in range(10):
        now = FIRST_CALL + day * DAY
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


LATER = replace(HEADER, timestamp="2026-04-01T16:00:00Z", as_of="2026-04-01T15:55:00Z")


@pytest.fixture
def market_counts(monkeypatch) -> list[int]:
    """The number of markets at each computation, as it happens."""
    counts: list[int] = []
    compute = memory.compute

    def counting(markets, *rest):
        counts.append(len(markets))
        return compute(markets, *rest)

    monkeypatch.setattr(memory, "compute", counting)
    return counts


def read(database: Database, memory: ScoreMemory, header=HEADER):
    with database.reading() as db:
        return memory.read(db, header, header)


def settle(database: Database, id: str) -> None:
    with database.writing() as db:
        keep_settlement(db, id, YES, DEADLINE + 2)


def test_scores_are_computed_again_after_a_change_alone(database, market_counts):
    """A settlement, a new market and votes are changes; that an hour has passed is none."""
    memory = ScoreMemory()
    keep(database, stored("one", settlement=YES), stored("two"))
    read(database, memory)
    read(database, memory)
    assert market_counts == [2]
    settle(database, "two")
    read(database, memory)
    keep(database, bare("three"))
    read(database, memory)
    read(database, memory)
    assert market_counts == [2, 2, 3]
    with database.writing() as db:
        predictions.add_commitment(db, "three", stored("three").commitment, POSITION)
    read(database, memory)
    assert market_counts == [2, 2, 3, 3]


def test_kept_scores_equal_those_computed_anew(database):
    """After every change and without one, under the header of the present slot."""
    memory = ScoreMemory()
    for id in ("one", "two", "three"):
        keep(database, stored(id))
        for header in (HEADER, LATER):
            assert_alike(read(database, memory, header), read(database, ScoreMemory(), header))
        settle(database, id)
        for header in (LATER, HEADER):
            assert_alike(read(database, memory, header), read(database, ScoreMemory(), header))


def assert_alike(scores, anew) -> None:
    for name in ("streaks", "shadow", "versus", "entries"):
        assert getattr(scores, name) == getattr(anew, name)
    assert np.array_equal(scores.market_counts.pool, anew.market_counts.pool)
