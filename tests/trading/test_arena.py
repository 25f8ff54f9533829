"""The arena: every strategy in every asset from a fixed bar on."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.assets import ASSETS
from service.market.bars import Bars, empty, from_rows, join
from service.market.instants import DAY, HOUR, MINUTE
from service.trading.accounts import TERMS, AccountTerms, trade
from service.trading.arena import (
    Arena,
    NetPosition,
    advance,
    decide,
    net_history,
    net_positions,
    peers_of,
    run,
    running_hour,
    unused_arena,
)
from service.trading.strategies import GHOSTS, STRATEGIES
from tests.forecasting.made import made_bars
from tests.trading.event_loop import follow
from tests.trading.markets import NEW_YEAR


def accounts(arena: Arena):
    return [account for by_asset in (arena.strategies | arena.ghosts).values() for account in by_asset.values()]


def test_every_strategy_and_ghost_has_an_account_in_every_asset(arena: Arena):
    assert arena.strategies.keys() | arena.ghosts.keys() == STRATEGIES.keys() | GHOSTS.keys()
    assert all(list(by_asset) == list(ASSETS) for by_asset in (arena.strategies | arena.ghosts).values())


@pytest.mark.parametrize("asset", ["xrp", "gold"])
def test_equity_at_marks_equals_an_event_loop(arena: Arena, hours, marks, asset):
    peers = peers_of(asset, hours)
    for key, strategy in STRATEGIES.items():
        account = arena.strategies[key][asset]
        loop = follow(strategy.decide(hours[asset], peers), hours[asset], marks[asset], TERMS)
        ours = account.history.equity(marks[asset].time, marks[asset].close)
        np.testing.assert_allclose(ours, loop.equity, rtol=1e-9, err_msg=key)
        assert account.history.closed == len(loop.trades)


def test_marks_within_hours_change_neither_fills_nor_days(arena: Arena, hours, marks):
    fine = run(hours, marks, arena.anchor)
    for ours, theirs in zip(accounts(fine), accounts(arena), strict=True):
        assert ours.history.capital.tolist() == theirs.history.capital.tolist()
        assert ours.daily.tolist() == theirs.daily.tolist()


def test_a_restart_recomputes_the_same_to_the_bit(arena: Arena, hours):
    for ours, theirs in zip(accounts(run(hours, {}, arena.anchor)), accounts(arena), strict=True):
        assert ours.equity == theirs.equity
        assert ours.daily.tobytes() == theirs.daily.tobytes()


@pytest.mark.parametrize("days", [0, 1, 31])
def test_an_arena_advances_to_the_bit(arena: Arena, hours, days: int):
    """From the anchor, or from any later hour, which need not be the bound of a block."""
    earlier = {asset: bars.until(arena.anchor + days * DAY + 5 * HOUR) for asset, bars in hours.items()}
    before = advance(unused_arena(arena.anchor), earlier)
    assert before.as_of == arena.anchor + days * DAY + 5 * HOUR
    later = advance(before, hours)
    assert later.days.tolist() == arena.days.tolist()
    for ours, theirs in zip(accounts(later), accounts(arena), strict=True):
        assert (ours.equity, ours.mark_price) == (theirs.equity, theirs.mark_price)
        assert ours.daily.tobytes() == theirs.daily.tobytes()
        assert ours.history.capital.tobytes() == theirs.history.capital.tobytes()


@pytest.mark.parametrize("begins", [0, 5 * MINUTE])
def test_no_hour_is_lost_at_a_bound_of_blocks(begins: int):
    """Also where history does not begin at a full hour: each account trades as over all bars at once."""
    bars = made_bars("btc", 200, 1)
    anchor = int(bars.time[0]) + begins
    hours = {asset: empty(HOUR) for asset in ASSETS} | {"btc": bars.since(anchor)}
    seen, decisions = run(hours, {}, anchor), decide(hours, since=anchor)
    for key, by_asset in (seen.strategies | seen.ghosts).items():
        history = trade(decisions[key]["btc"], hours["btc"])
        assert by_asset["btc"].history.entry_time.tolist() == history.entry_time.tolist(), key
        assert by_asset["btc"].history.exit_time.tolist() == history.exit_time.tolist(), key


def test_a_day_ends_with_a_complete_hour():
    """Where one asset lacks its last minutes and another has reached 24:00, the day ends with its hour before."""
    day = from_rows([(HOUR * at, 100, 100, 100, 100, 1) for at in range(24)], HOUR)
    late = from_rows([(DAY - HOUR, 200, 200, 200, 200, 1)], 5 * MINUTE)
    seen = run({"btc": day, "sol": day[:-1]}, {"sol": late}, 0, AccountTerms(fee=0, slippage=0))
    held = seen.ghosts["buy_and_hold"]["sol"]
    assert (held.daily.tolist(), held.equity) == ([10_000], 20_000)


def test_history_before_the_anchor_changes_nothing(arena: Arena, hours):
    anchor = arena.anchor + 10 * DAY
    later = {asset: bars.since(anchor) for asset, bars in hours.items()}
    for ours, theirs in zip(accounts(run(hours, {}, anchor)), accounts(run(later, {}, anchor)), strict=True):
        assert ours.daily.tobytes() == theirs.daily.tobytes()


def test_the_first_mark_of_an_hour_fills_a_decision():
    """Buy and hold decides at 01:00, buys at the open of the mark of 01:00, and is valued at its close at 01:05."""
    first = from_rows([(0, 100, 100, 100, 100, 1)], HOUR)
    mark = from_rows([(HOUR, 200, 220, 200, 220, 1)], 5 * MINUTE)
    seen = run({"btc": first}, {"btc": mark}, 0, AccountTerms(fee=0, slippage=0))
    held = seen.ghosts["buy_and_hold"]["btc"]
    assert held.history.entry_price.tolist() == [200]
    assert held.equity == 11_000
    assert held.mark_price == 220
    assert seen.as_of == HOUR + 5 * MINUTE


def test_before_the_first_mark_nothing_is_held():
    first = from_rows([(0, 100, 100, 100, 100, 1)], HOUR)
    seen = run({"btc": first}, {}, 0)
    assert not seen.ghosts["buy_and_hold"]["btc"].history.is_open
    assert seen.as_of == HOUR


def test_an_arena_without_any_bars_is_unused():
    seen = run({}, {}, DAY)
    assert seen.as_of == DAY
    assert all(account.equity == 10_000 and account.mark_price is None for account in accounts(seen))


def test_an_asset_without_bars_has_unused_accounts(hours):
    seen = run({asset: bars for asset, bars in hours.items() if asset != "gold"}, {}, int(hours["btc"].time[0]))
    assert all(by_asset["gold"].equity == 10_000 for by_asset in seen.strategies.values())
    assert seen.strategies["macd_fast"]["btc"].history.closed > 0


def test_gaps_in_the_bars_are_tolerated(hours):
    """Every seventh hour of one coin and three days of another are missing."""
    holed = dict(hours)
    keep = np.arange(len(hours["eth"])) % 7 != 3
    holed["eth"] = Bars(*(getattr(hours["eth"], name)[keep] for name in ("time", *PRICES, "volume")), step=HOUR)
    holed["sol"] = join([hours["sol"][:500], hours["sol"][572:]])
    seen = run(holed, {}, int(hours["btc"].time[0]))
    assert all(np.isfinite(account.daily).all() for account in accounts(seen))
    assert len(decide(holed, since=0)["macd_fast"]["eth"]) == keep.sum()


PRICES = ("open", "high", "low", "close")


def test_capital_equals_closed_results_plus_positions(arena: Arena):
    for account in accounts(arena):
        history = account.history
        assert history.capital[0] + history.pnl.sum() == pytest.approx(history.capital[-1])
        assert history.is_open or account.equity == history.capital[-1]


def test_peers_trade_the_same_hours(hours):
    assert peers_of("btc", hours).shape == (4, len(hours["btc"]))
    assert peers_of("gold", hours).shape == (1, len(hours["gold"]))
    np.testing.assert_array_equal(peers_of("gold", hours)[0], hours["silver"].close)


def test_a_peer_has_its_last_close():
    gold = from_rows([(HOUR * at, 1, 1, 1, 1, 1) for at in (0, 1, 2, 4)], HOUR)
    silver = from_rows([(HOUR * at, at, at, at, at, 1) for at in (1, 3, 5)], HOUR)
    np.testing.assert_array_equal(peers_of("gold", {"gold": gold, "silver": silver}), [[np.nan, 1, 1, 3]])


def test_the_running_hour_is_one_bar_of_its_marks():
    rows = [(HOUR, 5, 6, 4, 5, 1), (HOUR + 300, 5, 9, 5, 8, 2), (HOUR + 600, 8, 8, 3, 4, 3)]
    assert running_hour(from_rows(rows, 300)).rows() == [(HOUR, 5, 9, 3, 4, 6)]
    assert len(running_hour(empty(300))) == 0


def held_until(arena: Arena, asset: str, time: int) -> int:
    """Longs less shorts that were open at `time`."""
    total = 0
    for by_asset in arena.strategies.values():
        history = by_asset[asset].history
        exits = [*history.exit_time.tolist(), *[1 << 40] * history.is_open]
        for side, entry, left in zip(history.side.tolist(), history.entry_time.tolist(), exits, strict=True):
            total += side * (entry < time <= left)
    return total


@pytest.mark.parametrize("asset", ASSETS)
def test_a_net_position_counts_what_is_held_now(arena: Arena, asset: str):
    """Ghosts do not count."""
    histories = [by_asset[asset].history for by_asset in arena.strategies.values()]
    sides = [int(history.side[-1]) if history.is_open else 0 for history in histories]
    net = net_positions(arena)[asset]
    assert (net.long, net.short, net.flat) == (sides.count(1), sides.count(-1), sides.count(0))


@pytest.mark.parametrize("asset", ["btc", "gold"])
def test_the_past_is_counted_at_every_full_hour_since_the_anchor(arena: Arena, asset: str):
    nets = net_history(arena, asset)
    assert list(nets) == list(range(NEW_YEAR + HOUR, arena.as_of + 1, HOUR))
    assert {net.long + net.short + net.flat for net in nets.values()} == {len(STRATEGIES)}
    for time, net in list(nets.items())[::37]:
        assert net.long - net.short == held_until(arena, asset, time)
    assert any(net.long != net.short for net in nets.values())


def test_net_history_never_changes_and_ends_with_now(hours: dict[str, Bars], arena: Arena):
    whole = {asset: net_history(arena, asset) for asset in ("btc", "silver")}
    for cut in (1, 60, 500, 777):
        now = NEW_YEAR + cut * HOUR
        part = run({asset: bars.until(now) for asset, bars in hours.items()}, {}, NEW_YEAR)
        for asset, nets in whole.items():
            assert net_history(part, asset).items() <= nets.items()
            assert net_history(part, asset)[part.as_of] == net_positions(part)[asset]


def test_before_the_first_bar_all_strategies_are_flat():
    nothing = run({}, {}, NEW_YEAR)
    assert net_history(nothing, "btc") == {}
    assert net_positions(nothing)["btc"] == NetPosition(0, 0, len(STRATEGIES))
