"""The shadow book: what betting 100 USD on every disagreement with the outside market would have made.

No bet is placed. A bet is bought at the price that was asked when the votes were cast, and marked when the market
resolves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from service.forecasting.predictions import Made, Settled
from service.forecasting.predictions.opened import Opened
from service.forecasting.scores.bets import FEE, STAKE_USD, THRESHOLD_PTS, Bet, ShadowBet, bet_on, told
from service.forecasting.scoring import cluster_bootstrap_interval, published, weeks_of
from service.market.clock import World
from service.market.instants import DAY, iso

RECENT = 100


@dataclass(frozen=True)
class CurvePoint:
    """What all bets decided by then had made."""

    time: str
    pnl_usd: float


@dataclass(frozen=True)
class ShadowBook:
    """One book: `n` bets were decided, won or lost, and `staked_usd` is what was staked on them.

    The interval of `roi_pct` draws whole weeks of resolution; null before there are two. `breakeven_pct` is the mean
    price paid with its fee: the share of bets that is won when every price is fair. `curve` has the last instant of
    each day on which a bet was decided.
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
    breakeven_pct: float | None
    max_drawdown_usd: float
    n: int
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class ShadowDocument:
    """The document of GET /api/predictions/shadow: the live book and the backfilled one, never added up.

    `open` are by deadline, `recent` the last hundred that resolved, newest first.
    """

    schema: str
    timestamp: str
    as_of: str
    stale_after: str
    world: World
    sources: dict[str, str]
    stake_usd: float
    fee: str
    threshold_pts: float
    books: tuple[ShadowBook, ...]
    open: tuple[ShadowBet, ...]
    recent: tuple[ShadowBet, ...]


def shadow_document(
    settled: Iterable[Settled], opened: Iterable[Opened], made: Made, generator: np.random.Generator
) -> ShadowDocument:
    """Every bet on what was settled and on what nothing has settled yet; `generator` draws the intervals."""
    resolved = [bet for one in settled if (bet := bet_on(one, one.settlement))]
    waiting = [bet for one in opened if (bet := bet_on(one, None))]
    resolved.sort(key=lambda bet: (bet.settlement.resolved_at, bet.on.market.deadline, bet.on.market.id))
    waiting.sort(key=lambda bet: (bet.on.market.deadline, bet.on.market.id))
    bets = (*resolved, *waiting)
    return ShadowDocument(
        schema="shadow/1",
        **vars(made),
        stake_usd=STAKE_USD,
        fee=FEE,
        threshold_pts=THRESHOLD_PTS,
        books=tuple(_book(bets, backfilled, generator) for backfilled in (False, True)),
        open=tuple(told(bet) for bet in waiting),
        recent=tuple(told(bet) for bet in resolved[: -RECENT - 1 : -1]),
    )


def _book(bets: Sequence[Bet], backfilled: bool, generator: np.random.Generator) -> ShadowBook:
    """One book of bets that are in order of resolution."""
    own = [bet for bet in bets if bet.on.market.backfilled == backfilled]
    decided = [bet for bet in own if bet.status in ("won", "lost")]
    counts = Counter(bet.status for bet in own)
    times = np.array([bet.settlement.resolved_at for bet in decided], dtype=np.int64)
    pnl = np.array([bet.pnl for bet in decided])
    n, staked, total = len(decided), STAKE_USD * len(decided), float(pnl.sum())
    low, high = cluster_bootstrap_interval(100 * pnl / STAKE_USD, weeks_of(times), generator)
    return ShadowBook(
        backfilled=backfilled,
        bets=len(own),
        **{status: counts[status] for status in ("open", "won", "lost", "void")},
        staked_usd=round(staked, 2),
        pnl_usd=round(total, 2),
        roi_pct=published(100 * total / staked if n else nan, 4),
        roi_low_pct=published(low, 4),
        roi_high_pct=published(high, 4),
        win_rate_pct=published(100 * counts["won"] / n if n else nan, 4),
        breakeven_pct=published(100 * float(np.mean([bet.cost for bet in decided])) if n else nan, 4),
        max_drawdown_usd=round(_deepest(times, pnl), 2),
        n=n,
        curve=_curve(times, pnl),
    )


def _deepest(times: np.ndarray, pnl: np.ndarray) -> float:
    """The deepest fall from a peak, in USD, from instant to instant; what is decided at once has no order."""
    _, places = np.unique(times, return_inverse=True)
    running = np.concatenate([[0.0], np.cumsum(np.bincount(places, pnl))])
    return float(np.max(np.maximum.accumulate(running) - running))


def _curve(times: np.ndarray, pnl: np.ndarray) -> tuple[CurvePoint, ...]:
    running = np.cumsum(pnl)
    lasts = np.flatnonzero(np.diff(times // DAY, append=np.iinfo(np.int64).max))
    return tuple(CurvePoint(iso(int(times[last])), round(float(running[last]), 2)) for last in lasts)
