"""A job process carries the arena on from the last complete block of decisions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.jobs import arena_memory
from service.jobs.arena_memory import ArenaMemory
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.trading.arena import Arena, run
from tests.forecasting.made import FIRST, made_bars

HOURLY = {asset: made_bars(asset, 200, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}


def until(days: int) -> dict[str, Bars]:
    return {asset: bars.until(FIRST + days * DAY + HOUR) for asset, bars in HOURLY.items()}


def equities(arena: Arena) -> list[float]:
    return [account.equity for by_asset in arena.strategies.values() for account in by_asset.values()]


def test_the_arena_is_that_of_all_hours():
    """Before, at and after the bound of a block, and for a shorter past again."""
    memory = ArenaMemory(FIRST)
    for days in (3, 89, 91, 199, 95):
        assert equities(memory.after(until(days))) == equities(run(until(days), {}, FIRST)), days


def test_an_older_bar_that_changed_is_computed_anew():
    """Also one in a block that is complete."""
    memory = ArenaMemory(FIRST)
    before = memory.after(until(120))
    close = HOURLY["eth"].close.copy()
    close[700:] *= np.linspace(1, 2, len(close) - 700)
    changed = {**HOURLY, "eth": replace(HOURLY["eth"], close=close, high=np.maximum(HOURLY["eth"].high, close))}
    hours = {asset: bars.until(FIRST + 120 * DAY) for asset, bars in changed.items()}
    assert equities(memory.after(hours)) == equities(run(hours, {}, FIRST)) != equities(before)


def test_complete_blocks_are_not_lived_again(monkeypatch: pytest.MonkeyPatch):
    """The next hour begins where the last complete block ended."""
    memory, begun = ArenaMemory(FIRST), []
    memory.after(until(190))
    advance = arena_memory.advance
    monkeypatch.setattr(
        arena_memory, "advance", lambda before, hours: begun.append(before.as_of) or advance(before, hours)
    )
    memory.after(until(191))
    assert min(begun) == FIRST + 180 * DAY
