"""The contexts of an hour are computed once, and anew as soon as a bar differs."""

from __future__ import annotations

from dataclasses import replace

from service.forecasting.voters.context import build_all
from service.jobs.context_memory import ContextMemory
from service.market.instants import HOUR
from tests.forecasting.made import NOW, made_bars

HOURLY = {asset: made_bars(asset, 60, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}


def test_the_same_bars_have_the_same_contexts():
    """They are not computed again: the same objects come back."""
    memory = ContextMemory()
    first = memory.of(HOURLY, NOW)
    assert first == build_all(HOURLY, NOW)
    assert memory.of({asset: bars[:] for asset, bars in HOURLY.items()}, NOW + HOUR // 2) is first


def test_another_bar_has_other_contexts():
    """Also where it is not the last one; and where an asset has none."""
    memory = ContextMemory()
    first = memory.of(HOURLY, NOW)
    close = HOURLY["eth"].close.copy()
    close[-30] *= 1.01
    changed = {**HOURLY, "eth": replace(HOURLY["eth"], close=close)}
    assert memory.of(changed, NOW) == build_all(changed, NOW) != first
    fewer = {asset: bars for asset, bars in HOURLY.items() if asset != "gold"}
    assert memory.of(fewer, NOW).keys() == fewer.keys()
