"""The leaderboard and the page of each strategy: fields, order, and numbers that agree with the accounts."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from service.documents import DocumentHeader
from service.market.assets import ASSETS
from service.market.headers import header
from service.market.instants import DAY, HOUR, iso, unix
from service.trading import leaderboard as boards
from service.trading.accounts import AccountTerms
from service.trading.arena import Account, Arena, run
from service.trading.leaderboard import LeaderboardDocument, LeaderboardEntry, StrategyDocument, position_of, trades_of
from service.trading.performance import day_ends, max_drawdown, sharpe
from service.trading.strategies import STRATEGIES
from tests.trading.markets import bars_of, span_of
from tests.trading.test_accounts import equity, settle

CAPITAL = 10_000 * len(ASSETS)
FIELDS = """rank key name category initial_capital capital pnl_usd pnl_pct trades win_rate_pct sharpe sharpe_low
sharpe_high max_drawdown_pct benchmark_pnl_pct positions"""
POSITION_FIELDS = "asset side quantity entry_price mark_price pnl_usd opened_at"


def header_of(arena: Arena) -> DocumentHeader:
    return header(arena.as_of + 7, arena.as_of, step=300, world="replay", sources={"btc": "a file"})


def board_of(arena: Arena, asset: str | None = None) -> LeaderboardDocument:
    return boards.leaderboard(arena, header_of(arena), asset)


def page_of(arena: Arena, entry: LeaderboardEntry) -> StrategyDocument:
    return boards.strategy_page(arena, entry, header_of(arena))


@pytest.fixture(scope="module")
def board(arena: Arena) -> LeaderboardDocument:
    return board_of(arena)


@pytest.fixture(scope="module")
def pages(arena: Arena, board: LeaderboardDocument) -> list[StrategyDocument]:
    return [page_of(arena, entry) for entry in board.entries]


def test_an_entry_has_the_fields_of_the_contract_and_no_other():
    assert [field.name for field in fields(LeaderboardEntry)] == FIELDS.split()
    assert [field.name for field in fields(boards.AccountPosition)] == POSITION_FIELDS.split()


def test_strategies_are_ranked_and_ghosts_are_not(board: LeaderboardDocument):
    assert {entry.key for entry in board.entries} == STRATEGIES.keys()
    assert [entry.rank for entry in board.entries] == list(range(1, len(STRATEGIES) + 1))
    results = [entry.pnl_pct for entry in board.entries]
    assert results == sorted(results, reverse=True)
    ghosts = [(ghost.key, ghost.rank, ghost.category) for ghost in board.ghosts]
    assert ghosts == [(key, None, "ghost") for key in ("buy_and_hold", "coin_flip")]
    assert (board.schema, board.asset, board.assets) == ("leaderboard/1", None, tuple(ASSETS))


def test_without_bars_there_is_only_the_capital():
    """Ties are ranked by key, and a strategy that has not traded has a page too."""
    idle = run({}, {}, 0)
    entries = board_of(idle).entries
    assert [entry.key for entry in entries] == sorted(entry.key for entry in entries)
    for entry in entries:
        assert (entry.capital, entry.pnl_usd, entry.pnl_pct, entry.trades) == (CAPITAL, 0, 0, 0)
        assert (entry.win_rate_pct, entry.sharpe, entry.max_drawdown_pct, entry.positions) == (None, None, 0, ())
        page = page_of(idle, entry)
        assert (page.recent_trades, [point.equity_usd for point in page.equity]) == ((), [CAPITAL])


@pytest.mark.parametrize("asset", [None, *ASSETS])
def test_capital_trades_and_positions_add_up(arena: Arena, asset: str | None):
    """Over all assets, or over the accounts in one."""
    board, assets = board_of(arena, asset), (asset,) if asset else tuple(ASSETS)
    assert (board.asset, board.assets, board.count) == (asset, assets, len(STRATEGIES))
    for entry in board.entries:
        accounts = [arena.strategies[entry.key][asset] for asset in assets]
        initial = 10_000 * len(assets)
        assert entry.initial_capital == initial
        assert entry.capital == pytest.approx(sum(account.equity for account in accounts), abs=0.005)
        assert entry.pnl_usd == pytest.approx(entry.capital - initial, abs=0.01)
        assert entry.pnl_pct == pytest.approx(100 * entry.pnl_usd / initial, abs=1e-4)
        assert entry.trades == sum(account.history.closed for account in accounts)
        open_assets = [account.asset for account in accounts if account.history.is_open]
        assert [position.asset for position in entry.positions] == open_assets
        gains = sum(account.history.pnl.sum() for account in accounts)
        open_gains = sum(position.pnl_usd for position in entry.positions)
        assert initial + gains + open_gains == pytest.approx(entry.capital, abs=0.05)
        assert entry.benchmark_pnl_pct == board.ghosts[0].pnl_pct, "buying and holding the same assets"


def test_sharpe_and_drawdown_use_daily_capital(arena: Arena, board: LeaderboardDocument):
    entry = board.entries[0]
    daily = sum(account.daily for account in arena.strategies[entry.key].values())
    path = np.append(CAPITAL, daily)
    assert entry.sharpe == pytest.approx(sharpe(path[1:] / path[:-1] - 1), abs=1e-4)
    half = 1.959964 * ((365 + entry.sharpe**2 / 2) / 60) ** 0.5
    assert (entry.sharpe_low, entry.sharpe_high) == pytest.approx((entry.sharpe - half, entry.sharpe + half), abs=2e-4)
    deepest = max_drawdown(np.append(daily, entry.capital), CAPITAL)
    assert entry.max_drawdown_pct == pytest.approx(100 * deepest, abs=1e-3)


def test_a_page_names_the_rule_and_its_source(pages: list[StrategyDocument]):
    (page,) = (page for page in pages if page.key == "macd_medium")
    assert (page.schema, page.name, page.category) == ("strategy/1", "MACD, medium", "trend")
    assert (page.source, page.parameters) == ("Appel (1979)", {"fast": 48, "slow": 104, "signal": 36})
    assert page.started_at == "2025-01-01T00:00:00Z"


def test_a_curve_has_every_day_and_ends_at_the_capital(pages: list[StrategyDocument]):
    for page in pages:
        assert len(page.equity) == 60
        assert (page.equity[0].time, page.equity[-1].time) == ("2025-01-02T00:00:00Z", "2025-03-02T00:00:00Z")
        assert page.equity[-1].equity_usd == page.standing.capital
        benchmark_pct = 100 * page.equity[-1].benchmark_usd / CAPITAL - 100
        assert benchmark_pct == pytest.approx(page.standing.benchmark_pnl_pct, abs=1e-3)


def test_days_older_than_a_year_are_shown_by_the_month():
    """So the page of a strategy hardly grows from the second year on."""
    ends = day_ends(unix("2023-01-01T00:00:00Z"), unix("2025-12-31T12:00:00Z"))
    days = ends[boards.shown_days(ends)]
    assert len(days) == 365 + 23
    assert [iso(int(time))[:10] for time in days[:3]] == ["2023-02-01", "2023-03-01", "2023-04-01"]
    assert (np.diff(days[-365:]) == DAY).all()


def test_within_a_day_the_curve_ends_now(hours):
    anchor = int(hours["btc"].time[0])
    part = run(span_of(hours, until=anchor + 30 * 3600), {}, anchor)
    page = page_of(part, board_of(part).entries[0])
    assert [point.time[8:13] for point in page.equity] == ["02T00", "02T06"]


def test_the_last_50_trades_are_shown_newest_first(arena: Arena, pages: list[StrategyDocument]):
    """And the statistics count all of them, like the entry in the leaderboard."""
    for page in pages:
        times = [trade.closed_at for trade in page.recent_trades]
        exits = np.sort(np.concatenate([part.history.exit_time for part in arena.strategies[page.key].values()]))
        assert times == [iso(time) for time in exits[::-1][:50].tolist()]
        assert page.statistics.count == page.standing.trades == len(exits)
        assert page.statistics.win_rate_pct == pytest.approx(page.standing.win_rate_pct, abs=1e-4)


def test_a_position_is_marked_net_of_fee_and_interest():
    bars = bars_of(opens=[100, 100, 110, 120, 130], closes=[100, 105, 115, 125, 135])
    history = settle([1, 0, -1, -1, -1], bars, AccountTerms())
    position = position_of(Account("btc", history, np.zeros(0), equity(history, bars)[-1], 135.0))
    assert (position.side, position.opened_at) == ("short", "1970-01-01T03:00:00Z")
    assert position.entry_price == pytest.approx(120 * 0.9998)
    gains = sum(trade.pnl_usd for trade in trades_of(history, "btc"))
    assert 10_000 + gains + position.pnl_usd == pytest.approx(equity(history, bars)[-1], abs=0.02)


@pytest.mark.parametrize(("side", "close"), [(1, 110), (-1, 90)])
def test_trades_have_both_sides_and_are_net_of_fees(side: int, close: int):
    """A short states the interest that it paid."""
    bars = bars_of(opens=[100, 100, close], closes=[100, 100, close])
    trade = trades_of(settle([side, 0, 0], bars, AccountTerms(borrow=0.876)), "eth")[0]
    assert (trade.asset, trade.side) == ("eth", "long" if side > 0 else "short")
    assert (trade.opened_at, trade.closed_at) == ("1970-01-01T01:00:00Z", "1970-01-01T02:00:00Z")
    assert trade.borrow_usd == (pytest.approx(trade.quantity * 1e-4 * trade.exit_price, abs=0.01) if side < 0 else 0)
    assert (trade.borrow_usd > 0) == (side < 0)
    gross = side * trade.quantity * (trade.exit_price - trade.entry_price)
    assert trade.pnl_usd == pytest.approx(gross - trade.fee_usd - trade.borrow_usd, abs=0.02)
    assert trade.pnl_pct == pytest.approx(trade.pnl_usd / 100, abs=1e-4)


@pytest.mark.parametrize(("since", "hours"), [(0, ["02", "04"]), (3 * HOUR, ["04"])])
def test_only_trades_closed_since_an_instant_are_listed(since: int, hours: list[str]):
    history = settle([1, 0, 1, 0, 0, 0], bars_of(opens=[100] * 6, closes=[100] * 6))
    assert [trade.closed_at[11:13] for trade in trades_of(history, "btc", since=since)] == hours
