"""The product's own markets lived through: `python -m tests.measure.market_scores [BARS]`, also by `make evaluate`.

The voters and their pool on the markets of the first edition's templates and on those of today, against the first
edition's `vol`: one volatility, a normal distribution and a flat clock. Scored months are those of `evaluate`.

The pool is compared with its best voter twice: with the one that was best in the end, which nobody could follow, and
with the one that was best so far, in markets of the same group, when a market opened.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.config import Settings
from service.forecasting.predictions import series
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.market.bars import resample
from service.market.instants import DAY, HOUR, iso
from service.market.months import month_starts
from service.questions.question import TOUCHES
from service.scores.dependence import weeks_of
from service.scores.intervals import LEAST_N
from service.scores.proper import brier
from service.sources.feeds.replay import open_replay
from tests.measure import first_templates
from tests.measure.evaluate import BARS, LEARNT_FIRST
from tests.measure.lived_markets import LivedMarket, live
from tests.measure.walk_forward import PLAIN, POOL, VOTERS, Interval

Array = NDArray[np.float64]

SEED = 1  # of the simulated outside market
OPENINGS = {"first edition": first_templates.opening, "today": series.opening}
MARKET = "GARCH market"  # the simulated outside market of a replay
MEAN = "mean of the nine"  # with equal weights and without calibration
SO_FAR = "pool - the best so far"
DIVERSITY = "diversity"  # the mean Brier score of the nine minus that of their mean (Krogh and Vedelsby 1995)
BLOCK_S = 28 * DAY


@dataclass(frozen=True)
class MarketScore:
    """A mean of Brier scores or of differences of them over `n` markets, clustered by week and by 28 days."""

    group: str
    name: str
    n: int
    by_week: Interval
    by_block: Interval


@dataclass(frozen=True)
class Columns:
    """Settled markets as arrays of shape (n,): `p` by forecaster, NaN where a voter abstained."""

    p: dict[str, Array]
    happened: Array
    opened_at: NDArray[np.int64]
    resolved_at: NDArray[np.int64]
    groups: dict[str, NDArray[np.bool_]]


def columns_of(lived: Sequence[LivedMarket]) -> Columns:
    """The columns of markets that came out yes or no; groups are levels, touches of one to seven days, and all."""
    markets = [each.market for each in lived]
    votes = [{vote.voter: vote.p for vote in market.votes} for market in markets]
    p = {voter.name: np.array([row.get(voter.name, np.nan) for row in votes]) for voter in VOTERS}
    hours = np.array([(market.deadline - market.created_at + 1) / HOUR for market in markets])
    touches = np.array([market.question.comparator in TOUCHES for market in markets])
    return Columns(
        p={
            POOL: np.array([market.commitment.p for market in markets if market.commitment]),
            MEAN: np.mean(list(p.values()), axis=0),
            **p,
            MARKET: np.array([each.quotes[MARKET].p_yes for each in lived]),
            PLAIN: np.array([each.plain for each in lived]),
        },
        happened=np.array([float(market.outcome == "yes") for market in markets]),
        opened_at=np.array([market.created_at for market in markets]),
        resolved_at=np.array([market.settlement.resolved_at for market in markets if market.settlement]),
        groups={
            "levels": np.array([bool(market.question.levels) for market in markets]),
            "touches 1-7 d": touches & (hours >= 24) & (hours <= 168),
            "all": np.ones(len(markets), dtype=bool),
        },
    )


def score(columns: Columns) -> Iterator[MarketScore]:
    """Differences from plain volatility by group; the pool's from its best voters; the diversity of the nine."""
    losses = {name: brier(p, columns.happened) for name, p in columns.p.items()}
    each = np.column_stack([losses[voter.name] for voter in VOTERS])
    nine = each.mean(axis=1)
    for group, chosen in columns.groups.items():
        followed = np.full(len(nine), np.nan)
        followed[chosen] = of_best_so_far(each[chosen], columns.opened_at[chosen], columns.resolved_at[chosen])
        best = min((voter.name for voter in VOTERS), key=lambda name: np.nanmean(losses[name][chosen]))
        rows = {PLAIN: losses[PLAIN]}
        rows |= {name: loss - losses[PLAIN] for name, loss in losses.items() if name != PLAIN}
        rows |= {f"{POOL} - {best} (its best)": losses[POOL] - losses[best], SO_FAR: losses[POOL] - followed}
        rows |= {DIVERSITY: nine - losses[MEAN]}
        for name, values in rows.items():
            weeks, blocks = weeks_of(columns.resolved_at), columns.resolved_at // BLOCK_S
            by_week, by_block = (Interval.of(values[chosen], clusters[chosen]) for clusters in (weeks, blocks))
            yield MarketScore(group, name, int(np.isfinite(values[chosen]).sum()), by_week, by_block)


def of_best_so_far(losses: Array, opened_at: NDArray[np.int64], resolved_at: NDArray[np.int64]) -> Array:
    """The loss on each market of the voter with the lowest mean loss when it opened, shape (markets,).

    `losses` has shape (markets, voters), NaN where one abstained. NaN until 30 markets have resolved.
    """
    order = np.argsort(resolved_at, kind="stable")
    resolved_before = np.searchsorted(resolved_at[order], opened_at, side="right")
    sums, counts = (np.cumsum(part[order], axis=0) for part in (np.nan_to_num(losses), np.isfinite(losses)))
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    best = np.argmin(means[np.maximum(resolved_before, 1) - 1], axis=1)
    return np.where(resolved_before >= LEAST_N, losses[np.arange(len(losses)), best], np.nan)


def show(title: str, scores: Sequence[MarketScore]) -> None:
    """Print one table: the Brier score of plain volatility, then differences from it."""
    print(f"\n{title:<42}{'markets':>8}  {'Brier':>8}  {'95%, by week':>20}  {'95%, by 28 days':>20}")
    for row in scores:
        intervals = "  ".join(f"[{each.low:+.5f}, {each.high:+.5f}]" for each in (row.by_week, row.by_block))
        print(f"{row.group:<15}{row.name:<27}{row.n:8d}  {row.by_week.mean:+8.5f}  {intervals}")


def main() -> None:
    """Live through the markets of both sets of templates and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=BARS, help="CSV files named for their assets")
    feed = open_replay(Settings(world="replay", replay_dir=parser.parse_args().folder))
    hourly = {asset: resample(bars, HOUR) for asset, bars in feed.bars.items()}
    since = month_starts(feed.history_from + LEARNT_FIRST, feed.ends)[:1]
    if not since:
        print("No month to live through: the bars end before the first one.")
        return
    lived = live(hourly, since[0], feed.ends // DAY * DAY, OPENINGS, {MARKET: SimulatedMarket(SEED)})
    print(f"\nThe product's own markets, lived through from {iso(since[0])}; below {PLAIN}, differences from it.")
    for name, markets in lived.items():
        show(f"templates: {name}", list(score(columns_of(markets))))


if __name__ == "__main__":
    main()
