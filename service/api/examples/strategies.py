"""The documents of the strategies."""

from __future__ import annotations

from service.api.examples.made import AS_OF, ASSETS, BARS, MADE
from service.trading import documents, hospital, leaderboard, performance, profile, statements, triage

POSITION = statements.Position(
    asset="btc",
    side="long",
    quantity=0.23666487,
    entry_price=53336.945456,
    mark_price=53211.85,
    pnl_usd=-35.92,
    opened_at="2026-11-21T09:00:00Z",
)
ENTRY = leaderboard.Entry(
    rank=1,
    key="z_score_reversion_fast",
    name="z-score reversion, fast",
    category="reversion",
    initial_capital=70000.0,
    capital=83404.29,
    pnl_usd=13404.29,
    pnl_pct=19.149,
    trades=540,
    win_rate_pct=67.7778,
    sharpe=4.3203,
    max_drawdown_pct=5.6126,
    benchmark_pnl_pct=-10.5894,
    positions=(POSITION,),
)
GHOST = leaderboard.Entry(
    rank=None,
    key="buy_and_hold",
    name="Buy and hold",
    category="ghost",
    initial_capital=70000.0,
    capital=62587.45,
    pnl_usd=-7412.55,
    pnl_pct=-10.5894,
    trades=0,
    win_rate_pct=None,
    sharpe=-1.1159,
    max_drawdown_pct=23.0222,
    benchmark_pnl_pct=-10.5894,
    positions=(),
)
LEADERBOARD = documents.LeaderboardDocument(
    schema="leaderboard/1", **MADE, asset=None, assets=ASSETS, count=1, entries=(ENTRY,), ghosts=(GHOST,)
)

STRATEGY = documents.StrategyDocument(
    schema="strategy/1",
    **MADE,
    key="z_score_reversion_fast",
    name="z-score reversion, fast",
    category="reversion",
    description="Against a price several standard deviations from its mean, until it is back there.",
    source="Chan (2013)",
    parameters={"period": 12, "width": 2},
    assets=ASSETS,
    started_at="2026-09-20T00:00:00Z",
    standing=ENTRY,
    statistics=performance.TradeStatistics(
        count=540,
        win_rate_pct=67.7778,
        profit_factor=1.3452,
        average_win_usd=143.64,
        average_loss_usd=-224.59,
        average_hours=9.3,
        fees_usd=6120.55,
    ),
    equity=(profile.EquityPoint(time=AS_OF, equity_usd=83404.29, benchmark_usd=62587.45),),
    recent_trades=(
        statements.Trade(
            asset="btc",
            side="long",
            quantity=0.23497369,
            entry_price=53021.00226,
            exit_price=53233.55134,
            opened_at="2026-11-21T04:00:00Z",
            closed_at="2026-11-21T07:00:00Z",
            pnl_usd=37.46,
            pnl_pct=0.3007,
            fee_usd=12.48,
        ),
    ),
)

HOSPITAL = hospital.Hospital(
    schema="strategy-hospital/1",
    timestamp="2026-11-01T00:00:00Z",
    as_of="2026-11-01T00:00:00Z",
    stale_after="2026-12-01T00:00:00Z",
    world="simulated",
    sources={"btc": BARS},
    snapshot_month="2026-10",
    summary=hospital.Summary(
        strategies=1,
        effective_strategies=1.0,
        status={"healthy": 1, "watch": 0, "sick": 0, "critical": 0, "observation": 0},
        recommendation={"promote": 0, "keep": 1, "reduce": 0, "pause": 0, "retire": 0, "observe": 0},
        mean_score=76.99,
        median_score=76.99,
        changes=(hospital.Change(key="z_score_reversion_fast", before="watch", now="healthy"),),
        caveat=hospital.CAVEAT,
    ),
    strategies=(
        triage.Entry(
            key="z_score_reversion_fast",
            name="z-score reversion, fast",
            status="healthy",
            recommendation="keep",
            health_score=76.99,
            category="reversion",
            assets=ASSETS,
            metrics=triage.Metrics(
                days=90,
                trades=525,
                return_pct=19.6614,
                month_return_pct=4.1395,
                sharpe=4.5498,
                max_drawdown_pct=5.6126,
                win_rate_pct=68.381,
                profit_factor=1.3515,
                psr=0.9259,
                deflated_sharpe=0.6898,
                drawdown_room=0.7755,
                wins=0.9994,
                profits=0.7196,
                decay=0.2514,
                raw_score=76.99,
                trust=1.0,
                previous_score=58.73,
                score_change=18.26,
                previous_status="watch",
            ),
        ),
    ),
    links=hospital.Links(
        methodology=hospital.METHODOLOGY,
        history="/api/v1/strategy-hospital?month=2026-09",
        months=("2026-09", "2026-10"),
    ),
)
