"""The leaderboard: the fields of the contract, the order, and numbers that agree with the accounts."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

import numpy as np
import pytest

from service.market.assets import ASSETS
from service.trading.arena import Arena, run
from service.trading.leaderboard import Leaderboard, LeaderboardEntry, leaderboard
from service.trading.performance import max_drawdown, sharpe
from service.trading.statements import AccountPosition


@pytest.fixture(scope="module")
def board(arena: Arena) -> Leaderboard:
    return leaderboard(arena)


def test_an_entry_has_the_fields_of_the_contract_and_no_other():
    assert [field.name for field in fields(LeaderboardEntry)] == [
        "rank",
        "key",
        "name",
        "category",
        "initial_capital",
        "capital",
        "pnl_usd",
        "pnl_pct",
        "trades",
        "win_rate_pct",
        "sharpe",
        "sharpe_low",
        "sharpe_high",
        "max_drawdown_pct",
        "benchmark_pnl_pct",
        "positions",
    ]
    assert [field.name for field in fields(AccountPosition)] == [
        "asset",
        "side",
        "quantity",
        "entry_price",
        "mark_price",
        "pnl_usd",
        "opened_at",
    ]


def test_strategies_are_ranked_and_ghosts_are_not(board: Leaderboard):
    assert [entry.rank for entry in board.entries] == list(range(1, 55))
    results = [entry.pnl_pct for entry in board.entries]
    assert results == sorted(results, reverse=True)
    assert [(ghost.key, ghost.rank, ghost.category) for ghost in board.ghosts] == [
        ("buy_and_hold", None, "ghost"),
        ("coin_flip", None, "ghost"),
    ]
    assert (board.asset, board.assets, board.count) == (None, tuple(ASSETS), 54)


def test_ties_are_ranked_by_key():
    idle = leaderboard(run({}, {}, 0))
    assert [entry.key for entry in idle.entries] == sorted(entry.key for entry in idle.entries)


def test_without_bars_there_is_only_the_capital():
    entry = leaderboard(run({}, {}, 0)).entries[0]
    assert (entry.capital, entry.pnl_usd, entry.pnl_pct, entry.trades) == (70_000, 0, 0, 0)
    assert (entry.win_rate_pct, entry.sharpe, entry.max_drawdown_pct, entry.positions) == (None, None, 0, ())


@pytest.mark.parametrize("asset", ASSETS)
def test_with_an_asset_only_the_accounts_in_it_count(arena: Arena, asset: str):
    board = leaderboard(arena, asset)
    assert (board.asset, board.assets, board.count) == (asset, (asset,), 54)
    for entry in board.entries:
        account = arena.strategies[entry.key][asset]
        assert entry.initial_capital == 10_000
        assert entry.capital == pytest.approx(account.equity, abs=0.005)
        assert entry.trades == account.history.closed
        assert {position.asset for position in entry.positions} <= {asset}
        assert len(entry.positions) == account.history.is_open


def test_over_all_assets_capital_trades_and_positions_add_up(arena: Arena, board: Leaderboard):
    for entry in board.entries:
        parts = list(arena.strategies[entry.key].values())
        assert entry.initial_capital == 70_000
        assert entry.capital == pytest.approx(sum(part.equity for part in parts), abs=0.005)
        assert entry.pnl_usd == pytest.approx(entry.capital - 70_000, abs=0.01)
        assert entry.pnl_pct == pytest.approx(entry.pnl_usd / 700, abs=1e-4)
        assert entry.trades == sum(part.history.closed for part in parts)
        assert len(entry.positions) == sum(part.history.is_open for part in parts)


def test_closed_trades_and_positions_add_up_to_capital(arena: Arena, board: Leaderboard):
    for entry in board.entries:
        won = sum(account.history.pnl.sum() for account in arena.strategies[entry.key].values())
        held = sum(position.pnl_usd for position in entry.positions)
        assert 70_000 + won + held == pytest.approx(entry.capital, abs=0.05)


def test_sharpe_and_drawdown_use_daily_capital(arena: Arena, board: Leaderboard):
    entry = board.entries[0]
    daily = sum(account.daily for account in arena.strategies[entry.key].values())
    path = np.append(70_000, daily)
    assert entry.sharpe == pytest.approx(sharpe(path[1:] / path[:-1] - 1), abs=1e-4)
    half = 1.959964 * ((365 + entry.sharpe**2 / 2) / 60) ** 0.5
    assert (entry.sharpe_low, entry.sharpe_high) == pytest.approx((entry.sharpe - half, entry.sharpe + half), abs=2e-4)
    assert entry.max_drawdown_pct == pytest.approx(
        100 * max_drawdown(np.append(daily, entry.capital), 70_000), abs=1e-3
    )


def test_the_benchmark_is_buying_and_holding_the_same_assets(arena: Arena, board: Leaderboard):
    assert {entry.benchmark_pnl_pct for entry in board.entries} == {board.ghosts[0].pnl_pct}
    gold = leaderboard(arena, "gold")
    assert {entry.benchmark_pnl_pct for entry in gold.entries} == {gold.ghosts[0].pnl_pct}


def test_it_is_plain_json_without_nan(board: Leaderboard):
    json.dumps(asdict(board), allow_nan=False)
