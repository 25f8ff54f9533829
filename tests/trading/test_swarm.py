"""The net position of all strategies, by counting their positions one by one."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.assets import ASSETS
from service.market.bars import Bars
from service.market.instants import HOUR
from service.trading.arena import Arena, run
from service.trading.statements import position_of
from service.trading.swarm import net_history, net_positions
from tests.trading.markets import NEW_YEAR


def held_until(arena: Arena, asset: str, time: int) -> int:
    """Longs less shorts that were open at `time`."""
    total = 0
    for accounts in arena.strategies.values():
        history = accounts[asset].history
        exits = [*history.exit_time.tolist(), *[1 << 40] * history.is_open]
        for side, entry, left in zip(history.side.tolist(), history.entry_time.tolist(), exits, strict=True):
            total += side * (entry < time <= left)
    return total


@pytest.mark.parametrize("asset", ASSETS)
def test_it_counts_the_positions_that_are_held_now(arena: Arena, asset: str):
    held = [accounts[asset] for accounts in arena.strategies.values()]
    positions = [position_of(account.history, asset, account.mark_price, account.equity) for account in held]
    sides = [position.side for position in positions if position]
    net = net_positions(arena)[asset]
    assert (net.long, net.short) == (sides.count("long"), sides.count("short"))
    assert net.long + net.short + net.flat == 54
    assert net.net == (net.long - net.short) / 54


@pytest.mark.parametrize("asset", ["btc", "gold"])
def test_the_past_is_counted_at_every_full_hour_since_the_anchor(arena: Arena, asset: str):
    times, net = net_history(arena, asset)
    assert times.tolist() == list(range(NEW_YEAR + HOUR, arena.as_of + 1, HOUR))
    for row in range(0, len(times), 37):
        assert net[row] == held_until(arena, asset, int(times[row])) / 54
    assert np.abs(net).max() <= 1
    assert net.any()


def test_net_history_never_changes_and_ends_with_now(hours: dict[str, Bars], arena: Arena):
    whole = {asset: net_history(arena, asset)[1] for asset in ("btc", "silver")}
    for cut in (1, 60, 500, 777):
        now = NEW_YEAR + cut * HOUR
        part = run({asset: bars.until(now) for asset, bars in hours.items()}, {}, NEW_YEAR)
        for asset, after in whole.items():
            times, net = net_history(part, asset)
            assert net.tolist() == after[: len(times)].tolist()
            assert net[-1] == net_positions(part)[asset].net


def test_before_the_first_bar_nothing_is_held():
    nothing = run({}, {}, NEW_YEAR)
    assert [len(column) for column in net_history(nothing, "btc")] == [0, 0]
    assert (net_positions(nothing)["btc"].flat, net_positions(nothing)["btc"].net) == (54, 0)


def test_ghosts_do_not_count(arena: Arena):
    haunted = Arena(arena.anchor, arena.as_of, arena.days, arena.strategies, ghosts={})
    assert net_positions(haunted) == net_positions(arena)
