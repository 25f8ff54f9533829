"""No look-ahead: decisions and fills do not depend on later bars. On recorded bars."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.assets import ASSETS
from service.market.bars import Bars, from_rows, resample
from service.market.instants import DAY, HOUR, MINUTE
from service.trading.arena import BLOCK_S, SEEN_BEFORE_S, Arena, decide, peers_of, run
from service.trading.strategies import STRATEGIES

ANCHOR = 1706745600  # 2024-02-01T00:00:00Z, the first real hour
NEW_YEAR = 1735689600  # 2025-01-01T00:00:00Z, the first real five-minute bar
# Hours after the anchor: the first ones, about every look-back, weekends of the metals, then anywhere.
CUTS = [1, 2, 3, 12, 47, 48, 49, 66, 90, 192, 384, 416, 560, 768, 769, 1000, 1537, 2184, 3001]
CUTS += [4319, 5000, 6543, 7777, 8761, 9999, 10919]


@pytest.fixture(scope="module")
def whole(real_hours: dict[str, Bars]) -> Arena:
    return run(real_hours, {}, ANCHOR)


def accounts(arena: Arena):
    for key, by_asset in (arena.strategies | arena.ghosts).items():
        for asset, account in by_asset.items():
            yield key, asset, account


def test_all_strategies_trade_every_asset(whole: Arena):
    for key, asset, account in accounts(whole):
        assert len(account.history.side), (key, asset)


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUTS)
def test_trades_on_a_prefix_are_a_prefix_of_all(cut: int, real_hours, whole: Arena):
    assert differing(whole, arena_until(ANCHOR + cut * HOUR, real_hours)) == 0


@pytest.mark.slow
def test_blocks_decide_what_all_the_past_decides(real_hours: dict[str, Bars]):
    """No decision differs of the recorded bars that older bars than those of their block precede."""
    at_once, differences = decide(real_hours, since=ANCHOR), 0
    for block in range(ANCHOR + SEEN_BEFORE_S + BLOCK_S, ANCHOR + 455 * DAY, BLOCK_S):
        visible = {key: bars.since(block - SEEN_BEFORE_S).until(block + BLOCK_S) for key, bars in real_hours.items()}
        for key, by_asset in decide(visible, since=block).items():
            for asset, targets in by_asset.items():
                first = int(np.searchsorted(real_hours[asset].time, block))
                assert len(targets)
                differences += np.count_nonzero(targets != at_once[key][asset][first : first + len(targets)])
    assert differences == 0


@pytest.mark.parametrize("asset", ["btc", "xrp", "gold"])
def test_prefixes_agree_where_peers_miss_different_hours(asset: str, real_hours: dict[str, Bars]):
    """Relative strength compares assets; here each of them lacks other hours."""
    hours = {
        key: without(bars, 7 + 2 * at).until(ANCHOR + 1400 * HOUR) for at, (key, bars) in enumerate(real_hours.items())
    }
    strategies = [strategy for strategy in STRATEGIES.values() if strategy.category == "relative"]
    whole = [strategy.decide(hours[asset], peers_of(asset, hours)) for strategy in strategies]
    for cut in range(500, 1400, 5):
        past = {key: bars.until(ANCHOR + cut * HOUR) for key, bars in hours.items()}
        peers = peers_of(asset, past)
        for strategy, after in zip(strategies, whole, strict=True):
            targets = strategy.decide(past[asset], peers)
            assert targets.tobytes() == after[: len(targets)].tobytes(), (strategy.key, cut)


def without(bars: Bars, every: int) -> Bars:
    keep = np.arange(len(bars)) % every != every // 2
    return from_rows(np.array(bars.rows())[keep], bars.step)


def arena_until(now: int, hours: dict[str, Bars]) -> Arena:
    return run({asset: bars.until(now) for asset, bars in hours.items()}, {}, ANCHOR)


def differing(whole: Arena, part: Arena) -> int:
    """The number of positions, capitals and daily equities of `part` that differ in `whole`."""
    total = 0
    for key, asset, ours in accounts(part):
        theirs = (whole.strategies | whole.ghosts)[key][asset]
        for name in ("entry_time", "side"):
            column = getattr(ours.history, name)
            total += np.count_nonzero(column != getattr(theirs.history, name)[: len(column)])
        total += np.count_nonzero(ours.daily != theirs.daily[: len(ours.daily)])
        total += np.count_nonzero(ours.history.capital != theirs.history.capital[: ours.history.closed + 1])
    return total


def test_fills_at_five_minute_marks_never_change(real_marks):
    """Twelve ticks of an hour: each result is bitwise a part of the next one."""
    start = NEW_YEAR + 12 * DAY
    marks = {asset: bars.until(start + 65 * MINUTE) for asset, bars in real_marks.items()}
    anchor = int(marks["btc"].time[0])
    last = arena_at(marks, anchor, start + 65 * MINUTE)
    for now in range(start, start + 65 * MINUTE, 5 * MINUTE):
        part = arena_at(marks, anchor, now)
        for key, asset, account in accounts(part):
            ours = account.history
            theirs = (last.strategies | last.ghosts)[key][asset].history
            assert ours.entry_price.tobytes() == theirs.entry_price[: len(ours.side)].tobytes()
            assert ours.exit_price.tobytes() == theirs.exit_price[: ours.closed].tobytes()
            assert ours.entry_time.tolist() == theirs.entry_time[: len(ours.side)].tolist()


def arena_at(marks: dict[str, Bars], anchor: int, now: int) -> Arena:
    past = {asset: bars.until(now) for asset, bars in marks.items()}
    return run({asset: resample(bars, HOUR) for asset, bars in past.items()}, past, anchor)


def test_metals_do_not_trade_at_weekends(whole: Arena, real_hours: dict[str, Bars]):
    """In UTC the week of gold and silver ends on Friday at 22:00 at the latest, and begins on Sunday at 22:00."""
    for metal in ("gold", "silver"):
        assert not weekend(real_hours[metal].time).any()
        for key, by_asset in whole.strategies.items():
            account = by_asset[metal]
            assert not weekend(account.history.entry_time).any(), key
            assert not weekend(account.history.exit_time).any(), key


def weekend(times: np.ndarray) -> np.ndarray:
    """Whether an instant lies between Friday 22:00 and Sunday 22:00 UTC; 1970 began on a Thursday."""
    hour_of_week = (times // HOUR + 3 * 24) % (7 * 24)
    return (hour_of_week >= 4 * 24 + 22) & (hour_of_week < 6 * 24 + 22)


def test_the_capital_of_a_metal_does_not_move_over_a_weekend(whole: Arena):
    """From Friday's 24:00 to Saturday's."""
    saturdays = whole.days // DAY % 7 == 3  # the days ended by a Sunday; 1970 began on a Thursday
    assert saturdays.sum() > 50
    for key, asset, account in accounts(whole):
        moved = np.diff(account.daily, prepend=10_000.0)[saturdays]
        assert ASSETS[asset].calendar == "always" or not moved.any(), (key, asset)
