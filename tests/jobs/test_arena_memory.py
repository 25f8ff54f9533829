"""A job process carries the arena on from the end of the last complete block of decisions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.jobs import memory
from service.jobs.memory import ArenaMemory
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.trading.arena import Arena, mark, run
from tests.forecasting.made import FIRST, made_bars

HOURLY = {asset: made_bars(asset, 200, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}


def until(instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in HOURLY.items()}


def state(arena: Arena) -> list[object]:
    """What an arena says of each account."""
    accounts = [account for by_asset in (arena.strategies | arena.ghosts).values() for account in by_asset.values()]
    return [
        arena.as_of,
        arena.days.tolist(),
        [(each.equity, each.mark_price, each.daily.tolist(), each.history.capital.tolist()) for each in accounts],
    ]


def test_the_arena_is_that_of_all_hours():
    """Before, at and after the bound of a block, and for a shorter past again."""
    memory = ArenaMemory()
    for instant in (3 * DAY, 90 * DAY - HOUR, 90 * DAY, 90 * DAY + HOUR, 199 * DAY, 95 * DAY):
        hours = until(FIRST + instant)
        assert state(memory.after(hours)) == state(run(hours, {}, FIRST)), instant


def test_an_asset_that_is_late_at_a_bound_is_not_lost():
    """Its last hour before the bound arrives after the block of the others was complete."""
    memory, bound = ArenaMemory(), FIRST + 90 * DAY
    late = until(bound + HOUR) | {"eth": HOURLY["eth"].until(bound - HOUR)}
    assert state(memory.after(late)) == state(run(late, {}, FIRST))
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
    changed = {**HOURLY, "eth": replace(HOURLY["eth"], close=close, high=np.maximum(HOURLY["eth"].high, close))}
    hours = {asset: bars.until(FIRST + 120 * DAY) for asset, bars in changed.items()}
    assert state(memory.after(hours)) == state(run(hours, {}, FIRST)) != state(before)


def test_complete_blocks_are_not_computed_again(monkeypatch: pytest.MonkeyPatch):
    """The next hour begins where the last complete block ended."""
    arenas, begins = ArenaMemory(), []
    arenas.after(until(FIRST + 190 * DAY))
    advance = memory.advance
    monkeypatch.setattr(memory, "advance", lambda before, hours: begins.append(before.as_of) or advance(before, hours))
    arenas.after(until(FIRST + 191 * DAY))
    assert min(begins) == FIRST + 180 * DAY
