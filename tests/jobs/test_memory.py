"""What follows from bars is computed once, and anew as soon as a bar differs."""

from __future__ import annotations

from dataclasses import replace

from service.forecasting.voters.context import build_all
from service.jobs.memory import Memory, same_bars
from tests.forecasting.made import made_bars

HOURLY = {asset: made_bars(asset, 60, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}


def test_the_same_bars_are_not_computed_again():
    """The same object comes back."""
    memory = Memory(build_all, same_bars)
    first = memory.of(HOURLY)
    assert first == build_all(HOURLY)
    assert memory.of({asset: bars[:] for asset, bars in HOURLY.items()}) is first


def test_another_bar_is_computed_anew():
    """Also where it is not the last one; and where an asset has none."""
    memory = Memory(build_all, same_bars)
    first = memory.of(HOURLY)
    close = HOURLY["eth"].close.copy()
    close[-30] *= 1.01
    changed = {**HOURLY, "eth": replace(HOURLY["eth"], close=close)}
    assert memory.of(changed) == build_all(changed) != first
    fewer = {asset: bars for asset, bars in HOURLY.items() if asset != "gold"}
    assert memory.of(fewer).keys() == fewer.keys()
