"""What follows from bars is computed once, and anew as soon as a bar differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import Connection

from service.documents import DocumentHeader
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
from service.store.pages import apex_calls
from service.trading.arena import Arena, mark, run
from tests.forecasting.made import FIRST, made_bars
from tests.forecasting.markets import PLAIN_HEADER as HEADER
from tests.store.test_predictions import DEADLINE, POSITION, YES, bare, keep, stored

HOURLY = {asset: made_bars(asset, 200, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}
BARS = made_bars("btc", 30, 1)
FIRST_CALL = int(BARS.time[0]) + 5 * DAY
LATER = replace(HEADER, timestamp="2026-04-01T16:00:00Z", as_of="2026-04-01T15:55:00Z")


def until(instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in HOURLY.items()}


FEW_HOURS = until(FIRST + 60 * DAY)


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


def called(at: int) -> Call:
    """A call at the price of then."""
    spot = float(BARS.until(at).close[-1])
    return Call("btc", at, spot, 0.6, 0.1, 0.2, False, {}, (), backfilled=False)


def add(db: Connection, *calls: Call) -> None:
    for call in calls:
        apex_calls.add(db, call.at, call.to_plain(), p_up=call.p_up, backfilled=call.backfilled)


@pytest.fixture
def reads_alike(db):
    """Whether what is in memory is what the database says at an instant."""
    memory, hourly_bars = CallMemory(), HourlyBars()

    def compare(slot: int) -> bool:
        calls, outcomes, hourly = memory.read(db, hourly_bars, slot)
        expected = [Call.from_plain(plain) for plain in apex_calls.every(db).values()]
        series = bars.load_bars(db, "btc", 0, slot, HOUR)
        since = expected[0].at if expected else slot
        assert equal(hourly.since(since), series.since(since))
        return list(calls) == expected and list(outcomes) == list(resolved_calls(expected, {"btc": series}, slot))

    return compare


def test_new_calls_and_outcomes_are_seen(db, reads_alike):
    """From none on, a day at a time, for longer than outcomes may still change."""
    bars.renew_bars(db, "btc", BARS)
    assert reads_alike(FIRST_CALL)
    for day in range(10):
        now = FIRST_CALL + day * DAY
        add(db, *(called(at) for at in range(now, now + DAY, EVERY_S)))
        assert reads_alike(now + DAY)


@pytest.mark.parametrize("factor", [0.5, 2])
def test_a_gap_that_is_filled_changes_outcomes(db, reads_alike, factor):
    """The hour in which a call's day ended was missing, so that of before decided; then it is there."""
    place = 12 * 24 - 1
    bars.renew_bars(db, "btc", BARS[:place])
    bars.renew_bars(db, "btc", BARS[place + 1 :])
    add(db, called(int(BARS.time[place]) + HOUR - DAY))
    assert reads_alike(int(BARS.time[-1]) + HOUR)
    bars.renew_bars(
        db, "btc", replace(BARS, close=BARS.close * factor, low=BARS.low * 0.4, high=BARS.high * 3)[place : place + 1]
    )
    assert reads_alike(int(BARS.time[-1]) + HOUR)


def test_a_void_call_is_decided_once_its_gap_is_filled(db, reads_alike):
    """No price of the last hours of its day is known; long after that they are."""
    end = 12 * 24
    bars.renew_bars(db, "btc", BARS[: end - 5])
    bars.renew_bars(db, "btc", BARS[end:])
    call = called(int(BARS.time[end]) - DAY)
    add(db, call)
    slot = int(BARS.time[-1]) + HOUR
    assert outcome_of(call, bars.load_bars(db, "btc", 0, slot, HOUR), slot) == "void"
    assert reads_alike(slot)
    assert reads_alike(slot)
    bars.renew_bars(db, "btc", BARS[end - 5 : end])
    assert outcome_of(call, bars.load_bars(db, "btc", 0, slot, HOUR), slot) in ("yes", "no")
    assert reads_alike(slot)


def test_scores_are_computed_again_after_a_change_alone(db, monkeypatch):
    """A settlement, a new market and votes are changes; that an hour has passed is none."""
    scores, counts, compute = ScoreMemory(), [], memory.compute
    monkeypatch.setattr(
        memory, "compute", lambda markets, *rest: counts.append(len(markets)) or compute(markets, *rest)
    )
    keep(db, stored("one", settlement=YES), stored("two"))
    changes = (
        lambda: keep_settlement(db, "two", YES, DEADLINE + 2),
        lambda: keep(db, bare("three")),
        lambda: predictions.add_commitment(db, "three", stored("three").commitment, POSITION),
    )
    for change in (lambda: None, *changes):
        change()
        for _ in range(2):
            scores.read(db, HEADER, HEADER)
    assert counts == [2, 2, 3, 3], "the number of markets at each computation"


def test_kept_scores_equal_those_computed_anew(db):
    """After every change and without one, under the header of the present slot."""
    memory = ScoreMemory()
    for id in ("one", "two", "three"):
        keep(db, stored(id))
        assert_alike(db, memory, HEADER, LATER)
        keep_settlement(db, id, YES, DEADLINE + 2)
        assert_alike(db, memory, LATER, HEADER)


def assert_alike(db: Connection, memory: ScoreMemory, *headers: DocumentHeader) -> None:
    for header in headers:
        scores, anew = (each.read(db, header, header) for each in (memory, ScoreMemory()))
        for name in ("streaks", "shadow", "versus", "entries"):
            assert getattr(scores, name) == getattr(anew, name)
        assert np.array_equal(scores.market_counts.pool, anew.market_counts.pool)
