"""The arena: every strategy in every asset from a fixed bar on, without a look ahead, and against a referee.

The referee is vectorbt, an independent backtester, on the same simulated bars (tests/measure/referee.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from service.market.assets import ASSETS, COINS
from service.market.bars import Bars, empty, from_rows, join
from service.market.instants import DAY, HOUR, MINUTE
from service.trading import arena as it
from service.trading.accounts import AccountTerms, trade
from service.trading.arena import Arena, advance, decide, net_history, net_positions, peers_of, run, running_hour
from service.trading.strategies import GHOSTS, STRATEGIES
from tests.forecasting.made import made_bars
from tests.trading import markets
from tests.trading.markets import NEW_YEAR, by_the_hour, span_of

ANCHOR = 1706745600  # 2024-02-01T00:00:00Z, the first real hour
# Hours after the anchor: the first ones, about every look-back, weekends of the metals, then anywhere.
CUTS = [1, 2, 3, 12, 47, 48, 49, 66, 90, 192, 384, 416, 560, 768, 769, 1000, 1537, 2184, 3001]
CUTS += [4319, 5000, 6543, 7777, 8761, 9999, 10919]
GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())


def accounts(arena: Arena):
    """(key, asset, account) of every strategy and ghost."""
    return [(key, asset, account) for key, by_asset in arena.accounts.items() for asset, account in by_asset.items()]


def assert_same(ours: Arena, theirs: Arena) -> None:
    """Every account is the same to the bit."""
    assert ours.days.tolist() == theirs.days.tolist()
    for (key, asset, account), (*_, other) in zip(accounts(ours), accounts(theirs), strict=True):
        assert (account.equity, account.mark_price) == (other.equity, other.mark_price), (key, asset)
        assert account.daily.tobytes() == other.daily.tobytes(), (key, asset)
        assert account.history.capital.tobytes() == other.history.capital.tobytes(), (key, asset)


def test_every_strategy_and_ghost_has_an_account_in_every_asset(arena: Arena):
    assert list(arena.accounts) == [*STRATEGIES, *GHOSTS]
    assert all(list(by_asset) == list(ASSETS) for by_asset in arena.accounts.values())


def test_marks_within_hours_change_neither_fills_nor_days(arena: Arena, hours, marks):
    for (*_, ours), (*_, theirs) in zip(accounts(run(hours, marks, arena.anchor)), accounts(arena), strict=True):
        assert ours.history.capital.tolist() == theirs.history.capital.tolist()
        assert ours.daily.tolist() == theirs.daily.tolist()


@pytest.mark.parametrize("days", [0, 1, 31])
def test_an_arena_advances_to_the_bit(arena: Arena, hours, days: int):
    """From the anchor, or from any later hour, which need not be the bound of a block."""
    cut = arena.anchor + days * DAY + 5 * HOUR
    before = advance(it.unused_arena(arena.anchor), span_of(hours, until=cut))
    assert before.as_of == cut
    assert_same(advance(before, hours), arena)


@pytest.mark.parametrize("begins", [0, 5 * MINUTE])
def test_no_hour_is_lost_at_a_bound_of_blocks(begins: int):
    """Also where history does not begin at a full hour: each account trades as over all bars at once."""
    bars = made_bars("btc", 200, 1)
    anchor = int(bars.time[0]) + begins
    hours = {asset: empty(HOUR) for asset in ASSETS} | {"btc": bars.since(anchor)}
    state, decisions = run(hours, {}, anchor), decide(hours, since=anchor)
    for key, by_asset in state.accounts.items():
        history = trade(decisions[key]["btc"], hours["btc"])
        assert by_asset["btc"].history.entry_time.tolist() == history.entry_time.tolist(), key
        assert by_asset["btc"].history.exit_time.tolist() == history.exit_time.tolist(), key


def test_a_day_ends_with_a_complete_hour():
    """Where one asset lacks its last minutes and another has reached 24:00, the day ends with its hour before."""
    day = from_rows([(HOUR * at, 100, 100, 100, 100, 1) for at in range(24)], HOUR)
    mark = from_rows([(DAY - HOUR, 200, 200, 200, 200, 1)], 5 * MINUTE)
    state = run({"btc": day, "sol": day[:-1]}, {"sol": mark}, 0, AccountTerms(fee=0, slippage=0))
    account = state.accounts["buy_and_hold"]["sol"]
    assert (account.daily.tolist(), account.equity) == ([10_000], 20_000)


def test_history_before_the_anchor_changes_nothing(arena: Arena, hours):
    anchor = arena.anchor + 10 * DAY
    assert_same(run(hours, {}, anchor), run(span_of(hours, since=anchor), {}, anchor))


def test_the_first_mark_of_an_hour_fills_a_decision():
    """Buy and hold decides at 01:00, buys at the open of the mark of 01:00, and is valued at its close at 01:05."""
    first = from_rows([(0, 100, 100, 100, 100, 1)], HOUR)
    mark = from_rows([(HOUR, 200, 220, 200, 220, 1)], 5 * MINUTE)
    state = run({"btc": first}, {"btc": mark}, 0, AccountTerms(fee=0, slippage=0))
    account = state.accounts["buy_and_hold"]["btc"]
    assert (account.history.entry_price.tolist(), account.equity, account.mark_price) == ([200], 11_000, 220)
    assert state.as_of == HOUR + 5 * MINUTE


def test_an_asset_without_bars_has_unused_accounts(hours):
    """Or all of them; at the close of the first bar nothing is held yet."""
    state = run({asset: bars for asset, bars in hours.items() if asset != "gold"}, {}, NEW_YEAR)
    assert all(by_asset["gold"].equity == 10_000 for by_asset in state.strategies.values())
    assert state.strategies["macd_fast"]["btc"].history.closed > 0
    empty_arena = run({}, {}, DAY)
    assert empty_arena.as_of == DAY
    assert all(account.equity == 10_000 and account.mark_price is None for *_, account in accounts(empty_arena))
    assert net_history(empty_arena, "btc") == {}
    assert net_positions(empty_arena)["btc"] == it.NetPosition(0, 0, len(STRATEGIES))
    first_hour = run({"btc": from_rows([(0, 100, 100, 100, 100, 1)], HOUR)}, {}, 0)
    assert not first_hour.accounts["buy_and_hold"]["btc"].history.is_open
    assert first_hour.as_of == HOUR


def test_gaps_in_the_bars_are_tolerated(hours):
    """Every seventh hour of one coin and three days of another are missing."""
    mask = np.arange(len(hours["eth"])) % 7 != 3
    gaps = {**hours, "eth": hours["eth"][mask], "sol": join([hours["sol"][:500], hours["sol"][572:]])}
    assert all(np.isfinite(account.daily).all() for *_, account in accounts(run(gaps, {}, NEW_YEAR)))
    assert len(decide(gaps, since=0)["macd_fast"]["eth"]) == mask.sum()


def test_peers_trade_the_same_hours(hours):
    peers = {*COINS} - {"btc"}
    assert peers_of("btc", hours).shape == (len(peers), len(hours["btc"]))
    assert peers_of("gold", hours).shape == (1, len(hours["gold"]))
    np.testing.assert_array_equal(peers_of("gold", hours)[0], hours["silver"].close)
    gold = from_rows([(HOUR * at, 1, 1, 1, 1, 1) for at in (0, 1, 2, 4)], HOUR)
    silver = from_rows([(HOUR * at, at, at, at, at, 1) for at in (1, 3, 5)], HOUR)
    peers = peers_of("gold", {"gold": gold, "silver": silver})
    np.testing.assert_array_equal(peers, [[np.nan, 1, 1, 3]], "a peer has its last close")


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


@pytest.mark.parametrize("cut", [1, 60, 500, 777])
def test_net_history_never_changes_and_ends_with_now(hours: dict[str, Bars], arena: Arena, cut: int):
    part = run(span_of(hours, until=NEW_YEAR + cut * HOUR), {}, NEW_YEAR)
    for asset in ("btc", "silver"):
        assert net_history(part, asset).items() <= net_history(arena, asset).items()
        assert net_history(part, asset)[part.as_of] == net_positions(part)[asset]


@pytest.fixture(scope="module")
def full_arena(real_hours: dict[str, Bars]) -> Arena:
    return run(real_hours, {}, ANCHOR).traded()


def test_all_strategies_trade_every_asset(real_hours: dict[str, Bars], full_arena: Arena):
    assert {asset for _, asset, _ in accounts(full_arena)} == {*real_hours}
    for key, asset, account in accounts(full_arena):
        assert len(account.history.side), (key, asset)


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUTS)
def test_trades_on_a_prefix_are_a_prefix_of_all(cut: int, real_hours, full_arena: Arena):
    assert differing(full_arena, run(span_of(real_hours, until=ANCHOR + cut * HOUR), {}, ANCHOR)) == 0


@pytest.mark.slow
def test_blocks_decide_what_all_the_past_decides(real_hours: dict[str, Bars]):
    """No decision differs of the recorded bars that older bars than those of their block precede."""
    decisions, differences = decide(real_hours, since=ANCHOR), 0
    for block in range(ANCHOR + it.SEEN_BEFORE_S + it.BLOCK_S, ANCHOR + 455 * DAY, it.BLOCK_S):
        window = span_of(real_hours, since=block - it.SEEN_BEFORE_S, until=block + it.BLOCK_S)
        for key, by_asset in decide(window, since=block).items():
            for asset, targets in by_asset.items():
                place = int(np.searchsorted(real_hours[asset].time, block))
                assert len(targets)
                differences += np.count_nonzero(targets != decisions[key][asset][place : place + len(targets)])
    assert differences == 0


@pytest.mark.parametrize("asset", ["btc", "xrp", "gold"])
def test_prefixes_agree_where_peers_miss_different_hours(asset: str, real_hours: dict[str, Bars]):
    """Relative strength compares assets; here each of them lacks other hours."""
    hours = {}
    for period, (key, bars) in zip(range(7, 21, 2), real_hours.items(), strict=True):
        hours[key] = bars[np.arange(len(bars)) % period != period // 2].until(ANCHOR + 1400 * HOUR)
    strategies = [strategy for strategy in STRATEGIES.values() if strategy.category == "relative"]
    targets_of_all = [strategy.decide(hours[asset], peers_of(asset, hours)) for strategy in strategies]
    for cut in range(500, 1400, 5):
        past = span_of(hours, until=ANCHOR + cut * HOUR)
        peers = peers_of(asset, past)
        for strategy, after in zip(strategies, targets_of_all, strict=True):
            targets = strategy.decide(past[asset], peers)
            assert targets.tobytes() == after[: len(targets)].tobytes(), (strategy.key, cut)


def differing(full_arena: Arena, part: Arena) -> int:
    """The number of positions, capitals and daily equities of `part` that differ in `full_arena`."""
    total = 0
    for key, asset, ours in accounts(part):
        theirs = full_arena.accounts[key][asset]
        for name in ("entry_time", "side"):
            column = getattr(ours.history, name)
            total += np.count_nonzero(column != getattr(theirs.history, name)[: len(column)])
        total += np.count_nonzero(ours.daily != theirs.daily[: len(ours.daily)])
        total += np.count_nonzero(ours.history.capital != theirs.history.capital[: ours.history.closed + 1])
    return total


def test_fills_at_five_minute_marks_never_change(real_marks):
    """Twelve ticks of an hour: each result is bitwise a part of the next one."""
    start = NEW_YEAR + 12 * DAY
    marks = span_of(real_marks, until=start + 65 * MINUTE)
    anchor = int(marks["btc"].time[0])
    last = arena_at(marks, anchor, start + 65 * MINUTE)
    for now in range(start, start + 65 * MINUTE, 5 * MINUTE):
        part = arena_at(marks, anchor, now)
        for key, asset, account in accounts(part):
            ours, theirs = account.history, last.accounts[key][asset].history
            assert ours.entry_price.tobytes() == theirs.entry_price[: len(ours.side)].tobytes()
            assert ours.exit_price.tobytes() == theirs.exit_price[: ours.closed].tobytes()
            assert ours.entry_time.tolist() == theirs.entry_time[: len(ours.side)].tolist()


def arena_at(marks: dict[str, Bars], anchor: int, now: int) -> Arena:
    past = span_of(marks, until=now)
    return run(by_the_hour(past), past, anchor)


def test_the_bars_are_those_of_the_referee(hours: dict[str, Bars]):
    assert markets.digest(hours) == GOLDEN["bars"], "the simulated market has changed: run `make referee`"


@pytest.fixture(scope="module")
def free_arena(hours: dict[str, Bars]) -> Arena:
    """All accounts without interest on shorts, of which the referee knows nothing."""
    return run(hours, {}, markets.NEW_YEAR, AccountTerms(borrow=0))


@pytest.mark.parametrize("key", GOLDEN["equity"])
def test_every_account_ends_with_the_referees_capital(key: str, free_arena: Arena):
    ours = {asset: account.equity for asset, account in free_arena.strategies[key].items()}
    assert ours == pytest.approx(GOLDEN["equity"][key], rel=1e-9)
