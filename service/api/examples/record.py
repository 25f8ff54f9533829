"""The documents of how well the voters did."""

from __future__ import annotations

from service.api.examples.made import MADE
from service.forecasting.scores import betting, calibration, forecast_scores, streaks, versus

STREAKS = streaks.StreaksDocument(
    schema="streaks/1",
    **MADE,
    count=1,
    streaks=(
        streaks.Streak(
            rank=1,
            oracle="consensus",
            engine="pool",
            backfilled=True,
            current=3,
            best=9,
            resolved=212,
            correct=131,
            accuracy_pct=66.8367,
            accuracy_low_pct=59.7301,
            accuracy_high_pct=73.2557,
            n=196,
            n_eff=183.25,
            last_resolved_at="2026-11-21T00:00:00Z",
        ),
    ),
    luck=(streaks.Luck(backfilled=True, flippers=9, questions=212, expected_best=10.09),),
)

SHADOW = betting.ShadowDocument(
    schema="shadow/1",
    **MADE,
    stake_usd=betting.STAKE_USD,
    fee=betting.FEE,
    threshold_pts=betting.THRESHOLD_PTS,
    books=(
        betting.ShadowBook(
            backfilled=True,
            bets=298,
            open=0,
            won=151,
            lost=147,
            void=0,
            staked_usd=29800.0,
            pnl_usd=-412.77,
            roi_pct=-1.3851,
            roi_low_pct=-11.2043,
            roi_high_pct=8.9120,
            win_rate_pct=50.6711,
            breakeven_pct=51.2918,
            max_drawdown_usd=1930.42,
            n=298,
            curve=(betting.CurvePoint(time="2026-11-20T23:00:00Z", pnl_usd=-412.77),),
        ),
    ),
    open=(
        betting.ShadowBet(
            market_id="daily-btc-up-20261120",
            question="Will Bitcoin be above 53,500 USD at the end of 21 November 2026?",
            asset="btc",
            backfilled=False,
            side="yes",
            p_ai=0.436,
            p_market=0.4021,
            price=0.4121,
            contracts=233.0681,
            fee_usd=3.95,
            stake_usd=100.0,
            opened_at="2026-11-20T12:00:00Z",
            deadline="2026-11-21T23:59:59Z",
            status="open",
            outcome=None,
            pnl_usd=None,
            source="simulated",
            simulated=True,
        ),
    ),
    recent=(),
)

AI = forecast_scores.Scores(
    n=412,
    brier=0.19318,
    log_score=0.56731,
    accuracy_n=405,
    accuracy_pct=66.4198,
    accuracy_low_pct=61.685,
    accuracy_high_pct=70.8459,
    skill=0.21173,
)
MARKET = forecast_scores.Scores(
    n=412,
    brier=0.19558,
    log_score=0.57412,
    accuracy_n=405,
    accuracy_pct=66.9136,
    accuracy_low_pct=62.191,
    accuracy_high_pct=71.3183,
    skill=0.20194,
)
BASE_RATE = forecast_scores.Scores(
    n=412,
    brier=0.24507,
    log_score=0.68321,
    accuracy_n=412,
    accuracy_pct=57.0388,
    accuracy_low_pct=52.218,
    accuracy_high_pct=61.7299,
    skill=0.0,
)
CALIBRATION = calibration.Calibration(
    n=412,
    miscalibration=0.00631,
    discrimination=0.0583,
    uncertainty=0.24517,
    bins=(calibration.Bin(p=0.1042, observed_pct=9.7561, low_pct=3.8558, high_pct=22.5503, n=41),),
)
AI_VS_MARKET = versus.AiVsMarketDocument(
    schema="ai-vs-market/1",
    **MADE,
    books=(
        versus.VersusBook(
            backfilled=True,
            n=412,
            ai=AI,
            market=MARKET,
            base_rate=BASE_RATE,
            difference=versus.Difference(mean=-0.0024, low=-0.0098, high=0.0051, p_value=0.5312, n=412, weeks=9),
            verdict="no clear difference yet",
            needed=10338,
            needed_for={"0.05": 24, "0.02": 149},
            deviation=0.0871,
            deviation_assumed=False,
            calibration=versus.Calibrations(ai=CALIBRATION, market=CALIBRATION),
            cumulative=(
                versus.CumulativePoint(
                    resolved_at="2026-11-20T23:59:59Z", n=412, brier_ai=0.19318, brier_market=0.19558
                ),
            ),
            voters=(
                forecast_scores.VoterScore(
                    voter="vol",
                    engine="embedded",
                    kind="brain",
                    n=412,
                    brier=0.19274,
                    log_score=0.56602,
                    accuracy_n=405,
                    accuracy_pct=66.4198,
                    accuracy_low_pct=61.685,
                    accuracy_high_pct=70.8459,
                    against_vol=0.0,
                ),
            ),
        ),
    ),
    count=412,
    markets=(
        versus.PairedMarket(
            id="daily-btc-up-20261119",
            question="Will Bitcoin be above 52,400 USD at the end of 20 November 2026?",
            asset="btc",
            category="daily",
            backfilled=True,
            resolved_at="2026-11-21T00:00:00Z",
            outcome="yes",
            p_ai=0.436,
            p_market=0.4021,
            brier_ai=0.3181,
            brier_market=0.35748,
            log_ai=0.83011,
            log_market=0.91105,
            difference=-0.03939,
            source="simulated",
            simulated=True,
        ),
    ),
)
