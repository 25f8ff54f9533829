"""Answers as a reader of the docs sees them: what the simulated world gave one day, cut to one of each kind."""

from __future__ import annotations

from datetime import UTC, datetime

from service.forecasting import votes
from service.market import prices
from service.trading import (
    battle,
    battle_history,
    battle_lanes,
    battle_venues,
    documents,
    hospital,
    leaderboard,
    performance,
    profile,
    statements,
    triage,
)

AS_OF = "2026-11-21T12:05:00Z"
ASSETS = ("btc", "eth", "sol", "bnb", "xrp", "gold", "silver")
BARS = "simulated (seed 42)"
POOL = "ETH/USDC 0.05% (Ethereum)"
MADE = {
    "timestamp": AS_OF,
    "as_of": AS_OF,
    "stale_after": "2026-11-21T12:20:00Z",
    "world": "simulated",
    "sources": {"btc": BARS},
}

ANSWER = votes.Answer(
    id="998968125db559dd",
    question="Will Bitcoin rise more than 5% this month?",
    understood=votes.Understood(
        asset="btc",
        other_asset=None,
        comparator="touch_above",
        level=55872.44,
        upper_level=None,
        level_pct=5.0,
        deadline=datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC),
        horizon_hours=227.9,
        spot=53211.85,
        polarity="bull",
        negated=False,
        canonical="Will Bitcoin (btc) trade at or above 55,872.442 USD at any time until 2026-11-30 23:59 UTC?",
        notes=(),
    ),
    asked_at=datetime(2026, 11, 21, 12, 7, tzinfo=UTC),
    as_of=datetime(2026, 11, 21, 12, 5, tzinfo=UTC),
    world="simulated",
    p_yes=0.562,
    consensus=votes.Consensus(
        direction="BULLISH",
        bull_probability=56.2,
        bear_probability=43.8,
        strength="WEAK",
        oracles_count=8,
        agreement_pct=100.0,
        effective_voters=1.1,
    ),
    votes={
        "momentum": votes.Vote(
            direction="BULLISH",
            conviction=12.8,
            reasoning="Base rate from volatility 57.5 %. Recent moves: the usual shape of moves takes 1.6 points; "
            "7-day move +1.5 sigma adds 0.2 points; 3-day move +2.6 sigma adds 0.2 points. 56.4 % in all.",
            p_yes=0.564,
            engine="embedded",
            weight=1.0,
            latency_ms=0.3,
        )
    },
    abstained={"forest": "needs 90 days of hourly bars, 60 are stored"},
)

PRICES = prices.Prices(
    schema="prices/1",
    **MADE,
    ended=False,
    count=1,
    prices=(
        prices.Price(
            asset="btc",
            name="Bitcoin",
            price=53211.85,
            change_24h_pct=2.1177,
            high_24h=53469.56,
            low_24h=51956.43,
            market_open=True,
            as_of=AS_OF,
            source=BARS,
        ),
    ),
)

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

LANE = battle_lanes.BattleLane(
    venue="dex",
    name="lp_wide",
    label="Wide range",
    logic="wide_range_harvest",
    mode="paper-assumed",
    active=True,
    status="in_lp",
    initial_capital=10000.0,
    capital=9063.85,
    pnl_pct=-9.3615,
    pnl_usd=-936.15,
    trades=0,
    win_rate_pct=None,
    apr_avg_pct=20.4788,
    harvest_count=6,
    switch_count=0,
    current_pool=POOL,
    positions_count=1,
    last_tick=AS_OF,
    api_path="/api/v1/bot-battle/history?lane=lp_wide",
    bot_id="lp_wide-1",
)
TOTALS = {
    "lanes": 1,
    "active": 1,
    "initial_capital": 10000.0,
    "capital": 9063.85,
    "pnl_usd": -936.15,
    "pnl_pct": -9.3615,
    "trades": 0,
    "win_rate_pct": None,
}
BATTLE = battle.Battle(
    schema="bot-battle/1",
    **MADE,
    summary=battle.Summary(**TOTALS, best_lane="lp_wide", worst_lane="lp_wide"),
    lanes=(LANE,),
    venues=battle_venues.Venues(
        cex=battle_venues.ExchangeVenue(
            **TOTALS,
            fees_usd=732.35,
            positions=(
                battle_venues.OpenPosition(
                    lane="breakout",
                    asset="btc",
                    side="short",
                    quantity=0.05205236,
                    entry_price=54609.935988,
                    mark_price=53211.85,
                    pnl_usd=71.36,
                    opened_at="2026-11-20T13:00:00Z",
                    stop_price=54933.47,
                ),
            ),
        ),
        dex=battle_venues.PoolVenue(
            **TOTALS,
            harvests=6,
            switches=0,
            liquidity=(
                battle_venues.Liquidity(
                    lane="lp_wide",
                    pool=POOL,
                    range_low=1910.745,
                    range_high=7642.98,
                    price=3041.28,
                    market_usd=-1038.27,
                    divergence_usd=-202.38,
                    fees_usd=328.01,
                    uncollected_usd=28.29,
                    gas_usd=20.01,
                    swap_usd=3.5,
                    vs_hodl_pct=1.1395,
                    in_range_pct=100.0,
                ),
            ),
        ),
    ),
    rate_limit=battle.RateLimit(limit=120, window_s=60, scope="address"),
)

BATTLE_CSV = (
    "venue,name,label,logic,mode,active,status,initial_capital,capital,pnl_pct,pnl_usd,trades,win_rate_pct,"
    "apr_avg_pct,harvest_count,switch_count,current_pool,positions_count,last_tick,api_path,bot_id,world\r\n"
    "cex,trend,Trend follower,trend_following,paper,true,in_market,10000.0,9494.77,-5.0523,-505.23,20,10.0,"
    ",,,,,2026-11-21T12:05:00Z,/api/v1/bot-battle/history?lane=trend,trend-1,simulated\r\n"
)

BATTLE_HISTORY = battle_history.BattleHistory(
    schema="bot-battle-history/1",
    as_of=AS_OF,
    world="simulated",
    since="2026-11-14T12:07:00Z",
    until="2026-11-21T12:07:00Z",
    bar_s=300,
    step_s=1800,
    lanes=(
        battle_history.LaneHistory(
            name="lp_wide",
            label="Wide range",
            venue="dex",
            initial_capital=10000.0,
            points=(battle_history.LanePoint(time=AS_OF, equity_usd=9063.85, status="in_lp"),),
            events=(
                battle_history.LaneEvent(
                    time="2026-11-21T08:00:00Z",
                    kind="harvest",
                    subject=POOL,
                    note="adds its fees",
                    price=3041.28,
                    value_usd=66.93,
                    cost_usd=3.31,
                    pnl_usd=None,
                ),
            ),
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
