"""The shadow book: the profit of betting 100 USD on every disagreement with the outside market.

No bet is placed. A bet is priced at the quotes recorded with the votes and decided when the market resolves.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from service.documents import RecordDocument, RecordHeader
from service.forecasting.predictions.scores.bets import FEE, STAKE_USD, THRESHOLD_PTS
from service.forecasting.predictions.scores.columns import MarketColumns, day_ends
from service.market.instants import iso
from service.scores.intervals import DIFFERENCES, LEVELS, clustered_mean, published, weeks_of


@dataclass(frozen=True)
class CurvePoint:
    """The total profit of all bets decided until `time`."""

    time: str
    pnl_usd: float


@dataclass(frozen=True)
class ShadowBook:
    """One book: `n` bets were won or lost, and `staked_usd` is the stake of these.

    They are worth `n_eff` independent ones. The 95% intervals of `roi_pct` and `win_rate_pct` are clustered by week of
    resolution; that of `roi_pct` is null where the bets are worth less than 1.5 independent ones.
    `breakeven_pct` is the mean price paid, including the fee: the expected share of won bets if every price is fair.
    `curve` has the last instant of each day on which a bet was decided, of at most 100 such days.
    """

    backfilled: bool
    bets: int
    open: int
    won: int
    lost: int
    void: int
    staked_usd: float
    pnl_usd: float
    roi_pct: float | None
    roi_low_pct: float | None
    roi_high_pct: float | None
    win_rate_pct: float | None
    win_rate_low_pct: float | None
    win_rate_high_pct: float | None
    breakeven_pct: float | None
    max_drawdown_usd: float
    n: int
    n_eff: float
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class ShadowDocument(RecordDocument):
    """The document of GET /api/predictions/shadow: the live book and the backfilled one, never combined.

    `bet` of `/api/v1/markets` has each of them.
    """

    stake_usd: float
    fee: str
    threshold_pts: float
    books: tuple[ShadowBook, ...]


def shadow_document(markets: MarketColumns, header: RecordHeader) -> ShadowDocument:
    """Every bet on these markets and challenges, settled or not."""
    markets = markets.where(np.isfinite(markets.bet_cost))
    return ShadowDocument(
        schema="shadow/1",
        **vars(header),
        stake_usd=STAKE_USD,
        fee=FEE,
        threshold_pts=THRESHOLD_PTS,
        books=tuple(_book(markets, backfilled) for backfilled in (False, True)),
    )


def _book(markets: MarketColumns, backfilled: bool) -> ShadowBook:
    """The book of the live or the backfilled bets, from the markets with a bet, in order of resolution."""
    of_book = markets.is_backfilled == backfilled
    is_decided = of_book & np.isfinite(markets.bet_pnl)
    times, pnl, n = markets.resolved_at[is_decided], markets.bet_pnl[is_decided], int(is_decided.sum())
    is_won = pnl > -STAKE_USD
    settled_count, win_count = int((of_book & markets.is_settled).sum()), int(is_won.sum())
    stake, total, totals = STAKE_USD * n, float(pnl.sum()), np.cumsum(pnl)
    weeks = weeks_of(times)
    gain = clustered_mean(100 * pnl / STAKE_USD, weeks, DIFFERENCES)
    wins = clustered_mean(is_won.astype(float), weeks, LEVELS)
    low, high = gain.interval()
    low_rate, high_rate = wins.share_interval()
    return ShadowBook(
        backfilled=backfilled,
        bets=int(of_book.sum()),
        open=int(of_book.sum()) - settled_count,
        won=win_count,
        lost=n - win_count,
        void=settled_count - n,
        staked_usd=round(stake, 2),
        pnl_usd=round(total, 2),
        roi_pct=published(100 * total / stake if n else nan, 4),
        roi_low_pct=published(low, 4),
        roi_high_pct=published(high, 4),
        win_rate_pct=published(100 * win_count / n if n else nan, 4),
        win_rate_low_pct=published(100 * low_rate, 4),
        win_rate_high_pct=published(100 * high_rate, 4),
        breakeven_pct=published(100 * float(markets.bet_cost[is_decided].mean()) if n else nan, 4),
        max_drawdown_usd=round(_deepest(times, pnl), 2),
        n=n,
        n_eff=round(gain.n_eff, 1),
        curve=tuple(CurvePoint(iso(int(times[last])), round(float(totals[last]), 2)) for last in day_ends(times)),
    )


def _deepest(times: np.ndarray, pnl: np.ndarray) -> float:
    """The maximum drawdown in USD; bets decided at the same instant count together."""
    _, places = np.unique(times, return_inverse=True)
    totals = np.concatenate([[0.0], np.cumsum(np.bincount(places, pnl))])
    return float(np.max(np.maximum.accumulate(totals) - totals))
