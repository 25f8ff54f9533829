"""The documents of the Bot Battle."""

from __future__ import annotations

from service.api.examples.made import AS_OF, MADE
from service.trading import battle, battle_history, battle_lanes, battle_venues

POOL = "ETH/USDC 0.05% (Ethereum)"

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
