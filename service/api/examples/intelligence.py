"""The documents of apex, its fund, the news and the widget."""

from __future__ import annotations

from service.api.examples.made import AS_OF, MADE
from service.forecasting import widget
from service.forecasting.apex import document as apex
from service.forecasting.apex.scores import Accuracy
from service.forecasting.news import document as news
from service.forecasting.news.pulse import AssetPulse
from service.trading.fund import document as fund

CALLED = "2026-11-21T12:00:00Z"
UNKNOWN = dict.fromkeys(("accuracy", "brier", "hit_rate_pct", "hit_rate_low_pct", "hit_rate_high_pct"), None)
BOOKS = (
    Accuracy(backfilled=False, n=0, n_eff=0.0, **UNKNOWN, verdict="not enough resolved markets"),
    Accuracy(
        backfilled=True,
        n=354,
        n_eff=59.6,
        accuracy=-0.0031,
        brier=0.25078,
        hit_rate_pct=49.435,
        hit_rate_low_pct=37.0912,
        hit_rate_high_pct=61.8468,
        verdict="no clear difference from a coin",
    ),
)

APEX = apex.ApexDocument(
    schema="apex/1",
    **MADE,
    asset="btc",
    horizon_hours=24,
    called_at=CALLED,
    next_at="2026-11-21T16:00:00Z",
    spot=53198.4,
    vote=apex.FusedVote(direction="NEUTRAL", p_up=0.5087, bull_probability=50.9, bear_probability=49.1),
    agreement=0.7121,
    confidence=0.0124,
    special_mode=apex.SpecialMode(
        active=False,
        conditions={"seven_of_nine_agree": False, "fifteen_points_from_even": False, "every_layer_proven": False},
    ),
    layers=(
        apex.Layer(
            name="regime",
            p_up=0.5214,
            direction="NEUTRAL",
            weight=1.031,
            reading="Volatility 0.81 times its 180-day level: the 24-hour move of +2.0 sigma is taken to go on.",
            silent=None,
            accuracy=BOOKS,
        ),
    ),
    record=BOOKS,
    backfilled=False,
)

HELD = fund.Performance(
    equity_usd=894.06,
    pnl_pct=-10.5942,
    sharpe=-1.1159,
    sharpe_low=-5.9521,
    sharpe_high=3.7203,
    max_drawdown_pct=23.0222,
)
STEERED = fund.Performance(
    equity_usd=951.37,
    pnl_pct=-4.863,
    sharpe=-0.9127,
    sharpe_low=-5.7489,
    sharpe_high=3.9235,
    max_drawdown_pct=12.4185,
)
APEX_FUND = fund.FundDocument(
    schema="apex-fund/1",
    **MADE,
    **vars(STEERED),
    initial_capital=1000.0,
    pnl_usd=-48.63,
    cash_usd=408.15,
    quantity_btc=0.01020854,
    exposure_pct=57.0987,
    fees_usd=14.91,
    trades_count=118,
    benchmark=HELD,
    versus_hold_pct=5.7312,
    days=60,
    started_at="2026-09-22T00:00:00Z",
    live_since="2026-11-21T12:00:00Z",
    books=(
        fund.FundBook(backfilled=True, days=60, trades_count=118, fund=STEERED, benchmark=HELD, versus_hold_pct=5.7312),
    ),
    equity=(fund.FundPoint(time=CALLED, equity_usd=951.37, benchmark_usd=894.06, backfilled=True),),
    trades=(
        fund.FundTrade(
            time="2026-11-21T08:00:00Z",
            side="buy",
            quantity_btc=0.00211043,
            price=52960.11,
            value_usd=111.77,
            fee_usd=0.11,
            exposure_before_pct=44.8912,
            exposure_after_pct=56.64,
            p_up=0.5083,
            backfilled=True,
        ),
    ),
)

NEWS_PULSE = news.NewsDocument(
    schema="news-pulse/1",
    **MADE,
    direction="BULLISH",
    score=0.1284,
    n=9,
    half_life_h=6,
    by_asset=(AssetPulse(asset="btc", direction="BULLISH", score=0.1532, n=4),),
    topics=(news.TopicRow(term="30-day high", mentions=3, before=1, lift=6.4),),
    headlines=(
        news.HeadlineRow(
            title="Bitcoin climbs to a 30-day high near 53,470 USD",
            url=None,
            source="Ninefold simulated desk",
            published_at="2026-11-21T10:00:00Z",
            score=0.4588,
            assets=("btc",),
            simulated=True,
        ),
    ),
    failed={},
)

WIDGET = widget.WidgetDocument(
    schema="widget/1",
    **MADE,
    btc=widget.WidgetPrice(price=53211.85, change_24h_pct=2.1177, as_of=AS_OF),
    consensus=widget.WidgetConsensus(
        direction="NEUTRAL",
        bull_probability=50.9,
        bear_probability=49.1,
        strength="WEAK",
        horizon_hours=24,
        voted_at=CALLED,
    ),
    news=widget.WidgetNews(direction="BULLISH", score=0.1284, n=9),
    accuracy=widget.WidgetAccuracy(
        backfilled=True,
        n=405,
        accuracy_pct=66.4198,
        accuracy_low_pct=61.685,
        accuracy_high_pct=70.8459,
        note=widget.PAST,
    ),
)
