"""A strategy's own page."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from service.market.instants import DAY, iso, unix
from service.trading.arena import Arena, run
from service.trading.leaderboard import leaderboard
from service.trading.performance import day_ends
from service.trading.profile import Profile, profile, shown_days
from service.trading.strategies import STRATEGIES


@pytest.fixture(scope="module")
def pages(arena: Arena) -> list[Profile]:
    return [profile(arena, entry) for entry in leaderboard(arena).entries]


def test_a_page_names_the_rule_and_its_source(pages: list[Profile]):
    page = next(page for page in pages if page.key == "macd_medium")
    assert (page.name, page.category, page.source) == ("MACD, medium", "trend", "Appel (1979)")
    assert page.parameters == {"fast": 48, "slow": 104, "signal": 36}
    assert page.started_at == "2025-01-01T00:00:00Z"


def test_the_curve_has_every_day_and_ends_at_the_capital(pages: list[Profile]):
    for page in pages:
        assert len(page.equity) == 60
        assert page.equity[0].time == "2025-01-02T00:00:00Z"
        assert page.equity[-1].time == "2025-03-02T00:00:00Z"
        assert page.equity[-1].equity_usd == page.standing.capital
        assert 100 * page.equity[-1].benchmark_usd / 70_000 - 100 == pytest.approx(
            page.standing.benchmark_pnl_pct, abs=1e-3
        )


def test_days_older_than_a_year_are_shown_by_the_month():
    """So the page of a strategy hardly grows from the second year on."""
    ends = day_ends(unix("2023-01-01T00:00:00Z"), unix("2025-12-31T12:00:00Z"))
    shown = ends[shown_days(ends)]
    assert len(shown) == 365 + 23
    assert [iso(int(time))[:10] for time in shown[:3]] == ["2023-02-01", "2023-03-01", "2023-04-01"]
    assert (np.diff(shown[-365:]) == DAY).all()


def test_within_a_day_the_curve_ends_now(hours):
    anchor = int(hours["btc"].time[0])
    seen = run({asset: bars.until(anchor + 30 * 3600) for asset, bars in hours.items()}, {}, anchor)
    page = profile(seen, leaderboard(seen).entries[0])
    assert [point.time[8:13] for point in page.equity] == ["02T00", "02T06"]


def test_the_last_50_trades_are_shown_newest_first(arena: Arena, pages: list[Profile]):
    for page in pages:
        closed = [trade.closed_at for trade in page.recent_trades]
        assert closed == sorted(closed, reverse=True)
        assert len(closed) == min(50, page.standing.trades)
        exits = np.sort(np.concatenate([part.history.exit_time for part in arena.strategies[page.key].values()]))
        assert closed == [iso(time) for time in exits[::-1][:50].tolist()]


def test_statistics_match_the_leaderboard_entry(pages: list[Profile]):
    for page in pages:
        assert page.statistics.count == page.standing.trades
        if page.standing.win_rate_pct is not None:
            assert page.statistics.win_rate_pct == pytest.approx(page.standing.win_rate_pct, abs=1e-4)


def test_a_strategy_that_has_not_traded_has_a_page_too():
    idle = run({}, {}, 0)
    for entry in leaderboard(idle).entries:
        page = profile(idle, entry)
        assert page.recent_trades == ()
        assert [point.equity_usd for point in page.equity] == [70_000]


def test_pages_are_plain_json_without_nan(pages: list[Profile]):
    assert {page.key for page in pages} == STRATEGIES.keys()
    json.dumps([asdict(page) for page in pages], allow_nan=False)
