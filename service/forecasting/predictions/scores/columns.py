"""Markets as columns: what every score is computed from, so that nothing is asked of each market again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting.predictions import NO_SETTLEMENT, Prediction, resolution_order
from service.forecasting.predictions.scores.bets import bet_on
from service.forecasting.predictions.simulated_odds import SOURCE as SIMULATED
from service.forecasting.voters.panel import VOL, VOTERS, VoterKind
from service.forecasting.voters.track_record import Engine
from service.forecasting.voters.votes import NEUTRAL_WITHIN
from service.market.instants import DAY, HOUR
from service.scores.intervals import weeks_of
from service.scores.proper import Array, Instants, base_rate_known

KINDS: dict[str, VoterKind] = {voter.name: voter.kind for voter in VOTERS}
CONSENSUS: Engine = ("consensus", "pool")
MOST_POINTS = 100  # of a curve
# The longest horizons of short, daily, weekly and monthly questions.
WINDOWS_S = (2 * HOUR, 2 * DAY, 8 * DAY, 32 * DAY)

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class MarketColumns:
    """Markets and challenges as arrays of shape (n,): the settled ones in order of resolution, then the others.

    Those resolved at the same instant are in order of deadline, then of id; so are the others. Instants are unix
    seconds; `resolved_at` is the greatest integer before the settlement. `outcome` is 1 or 0, NaN where no vote counts:
    unsettled, void, or no event. `template` names book, category and comparator, `overlap` what two questions
    share that must not overlap (empty without votes or an event), `quote` P(YES) of the outside market, NaN without
    odds. `bet_cost` is USD per contract of the bet of the shadow book, NaN without one, and `bet_pnl` the USD that it
    won or lost, NaN unless it did. `p` has shape (n, engines): P(YES) of each engine of the nine and of the pool, NaN
    without a vote.
    """

    engines: tuple[Engine, ...]
    market: NDArray[np.object_]
    resolved_at: Instants
    deadline: Instants
    voted_at: Instants
    outcome: Array
    is_backfilled: Mask
    is_challenge: Mask
    is_simulated: Mask
    template: NDArray[np.str_]
    overlap: NDArray[np.object_]
    quote: Array
    bet_cost: Array
    bet_pnl: Array
    p: Array

    def __len__(self) -> int:
        return len(self.market)

    def where(self, rows: Mask | Instants) -> MarketColumns:
        parts: dict[str, Any] = {name: getattr(self, name)[rows] for name in _ARRAYS}
        return replace(self, **parts)

    @cached_property
    def is_sided(self) -> Mask:
        """Whether a vote takes a side, shape (n, engines): P(YES) is at least 3 percentage points from even."""
        return np.abs(np.round(100 * self.p, 1) - 50) >= NEUTRAL_WITHIN

    @property
    def pool(self) -> Array:
        return self.p[:, self.engines.index(CONSENSUS)]

    @cached_property
    def of_voters(self) -> Array:
        """P(YES) of the engines of the nine, without their pool."""
        return self.p[:, [engine != CONSENSUS for engine in self.engines]]

    @property
    def is_settled(self) -> Mask:
        return self.resolved_at < NO_SETTLEMENT


_ARRAYS = tuple(field.name for field in fields(MarketColumns) if field.name != "engines")


def columns_of(markets: Iterable[Prediction]) -> MarketColumns:
    """The columns of markets in any order."""
    markets = sorted(markets, key=resolution_order)
    bets, sources = [bet_on(market) for market in markets], [market.odds and market.odds.source for market in markets]
    templates = [f"{market.backfilled} {market.category} {market.question.comparator}" for market in markets]
    engines = tuple(sorted({CONSENSUS, *((vote.voter, vote.engine) for row in markets for vote in _votes(row))}))
    place = {engine: column for column, engine in enumerate(engines)}
    p = np.full((len(markets), len(engines)), nan)
    for row, market in enumerate(markets):
        for vote in _votes(market):
            p[row, place[vote.voter, vote.engine]] = vote.p
        if market.commitment:
            p[row, place[CONSENSUS]] = market.commitment.p
    return MarketColumns(
        engines=engines,
        market=_objects(markets),
        resolved_at=np.array([resolution_order(market)[0] for market in markets], dtype=np.int64),
        deadline=np.array([market.deadline for market in markets], dtype=np.int64),
        voted_at=np.array([market.voted_at for market in markets], dtype=np.int64),
        outcome=np.array([float(market.outcome == "yes") if market.is_scored else nan for market in markets]),
        is_backfilled=np.array([market.backfilled for market in markets], dtype=bool),
        is_challenge=np.array([market.category == "challenge" for market in markets], dtype=bool),
        is_simulated=np.array([source == SIMULATED for source in sources], dtype=bool),
        template=np.array(templates, dtype=str),
        overlap=_objects([_overlap(market) for market in markets]),
        quote=np.array([market.odds.p_yes if market.odds else nan for market in markets], dtype=float),
        bet_cost=np.array([bet.cost if bet else nan for bet in bets], dtype=float),
        bet_pnl=np.array([bet.pnl if bet and bet.status in ("won", "lost") else nan for bet in bets], dtype=float),
        p=p,
    )


def joined(first: MarketColumns, second: MarketColumns) -> MarketColumns:
    engines = tuple(sorted({*first.engines, *second.engines}))
    first, second = _with_engines(first, engines), _with_engines(second, engines)
    parts: dict[str, Any] = {name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in _ARRAYS}
    union = replace(first, **parts)
    if not len(first) or not len(second) or resolution_order(first.market[-1]) < resolution_order(second.market[0]):
        return union
    rows = sorted(range(len(union)), key=lambda row: resolution_order(union.market[row]))
    return union.where(np.array(rows, dtype=np.int64))


def _with_engines(columns: MarketColumns, engines: tuple[Engine, ...]) -> MarketColumns:
    p = np.full((len(columns), len(engines)), nan)
    p[:, [engines.index(engine) for engine in columns.engines]] = columns.p
    return replace(columns, engines=engines, p=p)


def _votes(market: Prediction) -> list[Any]:
    return [vote for vote in market.votes if vote.voter in KINDS]


def _overlap(market: Prediction) -> str:
    if market.commitment is None or market.question.comparator == "open":
        return ""
    question, window = market.question, bisect_left(WINDOWS_S, market.deadline - market.voted_at)
    return f"{market.backfilled} {sorted(question.assets)} {question.kind.theme} {window}"


def _objects(values: Sequence[object]) -> NDArray[np.object_]:
    return np.fromiter(values, dtype=object, count=len(values))


def day_ends(resolved_at: Instants) -> NDArray[np.int64]:
    """The last places of the days in instants that rise, of at most 100 days at about equal steps.

    The first and the last day are always among them; never an average.
    """
    points = np.flatnonzero(np.diff(resolved_at // DAY, append=np.iinfo(np.int64).max))
    if len(points) <= MOST_POINTS:
        return points
    return points[np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(np.int64)]


def counted_questions(markets: MarketColumns) -> MarketColumns:
    """The questions that count and came out yes or no; unsettled `markets` are needed to detect overlaps.

    Questions of the same book, asset, kind and window must not overlap: a question counts if no other counted one was
    unresolved when its votes were cast. If several are voted on at the same time, the earliest deadline counts. The
    kind is `direction`; `above`, `below` or `between` for an event with a level; `relative` for two assets in either
    order; else the comparator. The window is the class of the horizon: up to two hours, two, eight or 32 days, or
    longer. Without it, a question about next year would exclude every daily question until then.
    """
    candidates = markets.where(markets.overlap.astype(bool))
    order = np.lexsort(([market.id for market in candidates.market], candidates.deadline, candidates.voted_at))
    spans = zip(
        candidates.overlap[order],
        candidates.voted_at[order].tolist(),
        candidates.resolved_at[order].tolist(),
        strict=True,
    )
    counts, busy_until = np.zeros(len(candidates), dtype=bool), {}
    for row, (overlap, voted_at, resolved_at) in zip(order.tolist(), spans, strict=True):
        if voted_at >= busy_until.get(overlap, voted_at):
            busy_until[overlap] = resolved_at
            counts[row] = True
    return candidates.where(counts & np.isfinite(candidates.outcome))


@dataclass(frozen=True)
class ScoredMarkets:
    """Arrays of shape (n,) over resolved markets.

    `outcomes` are 1 or 0, `weeks` the calendar week of resolution, `rate` how often such a market had come out YES
    before, and `vol` the committed P(YES) of `vol`, NaN where it did not vote. Where the best of many forecasters is
    looked at, `luckiest` corrects their intervals, as of `ClusteredMean`.
    """

    outcomes: Array
    weeks: Instants
    rate: Array
    vol: Array
    luckiest: float = 0.0

    def where(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> ScoredMarkets:
        return ScoredMarkets(self.outcomes[rows], self.weeks[rows], self.rate[rows], self.vol[rows], self.luckiest)


def evidence_of(markets: MarketColumns) -> ScoredMarkets:
    """The evidence of markets that came out yes or no."""
    votes = markets.p[:, [engine[0] == VOL.name for engine in markets.engines]]
    vol_p = np.where(np.isfinite(votes), votes, -1).max(axis=1, initial=-1)  # whichever engine of `vol` voted
    vol = np.where(vol_p < 0, np.nan, vol_p)
    return ScoredMarkets(markets.outcome, weeks_of(markets.resolved_at), template_rates(markets), vol)


def template_rates(markets: MarketColumns) -> Array:
    """How often such a market had come out YES when each was voted on, from one half on; shape (n,).

    Such a market is one of the same book, category and comparator among `markets`, which came out yes or no.
    """
    rates = np.empty(len(markets))
    for template in np.unique(markets.template):
        rows = np.flatnonzero(markets.template == template)
        rates[rows] = base_rate_known(markets.outcome[rows], markets.voted_at[rows], markets.resolved_at[rows])
    return rates
