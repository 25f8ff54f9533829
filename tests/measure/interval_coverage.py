"""How often the published 95% intervals hold: `python -m tests.measure.interval_coverage [BARS] [--weeks 9]`.

Markets, bets, price forecasts and calls are lived through over real hourly bars. Each score is then computed from every
window of some calendar weeks of resolution, and its interval compared with the value over the whole span. Windows
overlap and prices have few regimes, so the coverage of a single score is uncertain by several points. Also printed is
how often a longest run of right sides is called beyond luck.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.config import Settings
from service.forecasting.densities.fitting import fit
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import (
    CONSENSUS,
    MarketColumns,
    ScoredMarkets,
    columns_of,
    counted_questions,
    evidence_of,
)
from service.forecasting.predictions.scores.forecast_scores import diversity_of, scores
from service.forecasting.predictions.scores.forecasters import CountedMarkets, constant_record, counted_markets
from service.forecasting.predictions.scores.streaks import runs
from service.forecasting.predictions.scores.versus import compare
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.price_record.book import backfill_prices, closes_at, resolve
from service.forecasting.price_record.committed import PRIORS, STANDARD, ScoreSums, blocks_of, ratio_of
from service.forecasting.price_record.committed import score as score_prices
from service.forecasting.voters.inputs import survey
from service.market.bars import Bars, resample
from service.market.instants import DAY, HOUR, iso
from service.market.months import month_starts
from service.scores.intervals import CALLS, LEVELS, ClusteredMean, clustered_mean, right_share, sides_right, weeks_of
from service.scores.luck import luck_of
from service.scores.proper import base_rate_known, brier, skill_terms
from service.sources.feeds.replay import open_replay
from tests.forecasting.markets import HEADER
from tests.forecasting.predictions.lived_markets import live
from tests.measure.price_questions import BARS

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
# A value with the bounds of its interval, by its name, from the rows of a window.
Scored = Mapping[str, tuple[float | None, float | None, float | None]]
Measure = Callable[[Rows], Scored]

SEED = 1  # of the simulated outside market
MARKET = "GARCH market"  # the one of a replay
LEARNT_FIRST = 180 * DAY  # of bars before the first month
WINDOW_WEEKS = 9
LEAST_ROWS = 5  # in a window
CALL_EVERY_H = 4
TENTHS = 10


def coverage(measure: Measure, weeks: Rows, window: int) -> dict[str, tuple[float, float, int]]:
    """The value of each score over all rows, the percentage of windows whose interval holds it, and their number.

    `weeks` (n,) are those of the rows; the first and the last are left out, which are seldom whole.
    """
    numbers = np.unique(weeks)
    within = np.flatnonzero((weeks > numbers[0]) & (weeks < numbers[-1]))
    total = measure(within)
    held: dict[str, list[bool]] = {name: [] for name in total}
    for first in range(int(numbers[1]), int(numbers[-1]) - window + 1):
        rows = within[(weeks[within] >= first) & (weeks[within] < first + window)]
        if len(rows) < LEAST_ROWS:
            continue
        for name, (_, low, high) in measure(rows).items():
            value = total[name][0]
            if value is not None and low is not None and high is not None:
                held[name].append(low <= value <= high)
    return {
        name: (float(total[name][0] or 0.0), 100 * float(np.mean(each)), len(each))
        for name, each in held.items()
        if each
    }


def published(prefix: str, fields: Mapping[str, Any]) -> Scored:
    """Every field of a document that has an interval, by its name after a prefix."""
    return {
        f"{prefix} {name}": (value, fields[_bound(name, "low")], fields[_bound(name, "high")])
        for name, value in fields.items()
        if _bound(name, "low") in fields
    }


def _bound(name: str, end: str) -> str:
    return f"{name.removesuffix('_pct')}_{end}{'_pct' * name.endswith('_pct')}"


def of_mean(name: str, mean: ClusteredMean) -> Scored:
    """A mean with its interval."""
    return {name: (mean.mean, *mean.interval())}


def market_measures(markets: MarketColumns) -> dict[str, tuple[Measure, Rows]]:
    """What is published of markets, and the weeks of their rows: scores, peers, bets, calibration and diversity."""
    evidence, sample, weeks = evidence_of(markets), counted_markets(markets), weeks_of(markets.resolved_at)
    sample = replace(sample, evidence=replace(sample.evidence, luckiest=0.0))  # of one forecaster
    gaps = brier(markets.pool, markets.outcome) - brier(markets.quote, markets.outcome)
    forecasters = {"AI": markets.pool, "market": markets.quote, "base rate": evidence.rate}
    voters = {engine[0]: p for engine, p in zip(markets.engines, markets.p.T, strict=True) if engine != CONSENSUS}
    measures = {name: _forecaster(name, p, evidence) for name, p in {**forecasters, **voters}.items()}
    measures["difference"] = lambda rows: _difference(gaps[rows], weeks[rows])
    measures |= {f"{name} peers": _peers(name, p, sample) for name, p in voters.items()}
    measures["share of YES"] = lambda rows: _share("share of YES", markets.outcome[rows], weeks[rows])
    for place, part in enumerate(np.array_split(np.argsort(markets.pool, kind="stable"), TENTHS)):
        name, in_part = f"share of YES, tenth {place + 1}", np.isin(np.arange(len(markets)), part)
        measures[name] = lambda rows, name=name, in_part=in_part: _share(
            name, markets.outcome[rows[in_part[rows]]], weeks[rows[in_part[rows]]]
        )
    measures["bets"] = lambda rows: published("bets", vars(shadow_document(markets.where(rows), HEADER).books[0]))
    measures["diversity"] = lambda rows: _diversity(markets.where(rows), evidence.where(rows))
    questions = counted_questions(markets)
    of_questions = evidence_of(questions)
    streaks = _forecaster("streaks", questions.pool, of_questions)
    return {name: (measure, weeks) for name, measure in measures.items()} | {
        "streaks": (streaks, weeks_of(questions.resolved_at))
    }


def _forecaster(name: str, p: Array, evidence: ScoredMarkets) -> Measure:
    def measure(rows: Rows) -> Scored:
        votes = rows[np.isfinite(p[rows])]
        return published(name, vars(scores(p[votes], evidence.where(votes))))

    return measure


def _peers(name: str, p: Array, sample: CountedMarkets) -> Measure:
    def measure(rows: Rows) -> Scored:
        record = constant_record(rows, p[rows], sample).time_weighted
        return {key: bounds for key, bounds in published(name, vars(record)).items() if "peer" in key}

    return measure


def _difference(gaps: Array, weeks: Rows) -> Scored:
    difference = compare(gaps, weeks, np.random.default_rng(SEED))
    return {"difference from the market": (difference.mean, difference.low, difference.high)} if difference else {}


def _share(name: str, outcomes: Array, weeks: Rows) -> Scored:
    share = clustered_mean(outcomes, weeks, LEVELS)
    return {name: (share.mean, *share.share_interval())}


def _diversity(markets: MarketColumns, evidence: ScoredMarkets) -> Scored:
    diversity = diversity_of(markets, evidence)
    return {"diversity": (diversity.diversity, diversity.low, diversity.high)} if diversity else {}


def price_measures(hourly: Mapping[str, Bars], since: int, until: int) -> dict[str, tuple[Measure, Rows]]:
    """The ratio of the CRPS to that of plain volatility, by horizon, of all assets and of each."""
    fits = {month: fit(hourly, month) for month in month_starts(since, until)}
    forecasts = backfill_prices(survey(hourly), hourly, fits, since, until).forecasts
    outcomes = resolve([row for row in forecasts if row.deadline <= until], hourly, until).results
    losses = score_prices([row for row, _ in outcomes], [price for _, price in outcomes])
    horizons, assets, deadlines = (
        np.array([getattr(row, name) for row, _ in outcomes]) for name in ("horizon", "asset", "deadline")
    )
    measures: dict[str, tuple[Measure, Rows]] = {}
    for horizon in STANDARD:
        for asset in ("all", *hourly):
            chosen = np.flatnonzero((horizons == horizon) & ((assets == asset) | (asset == "all")))
            chosen = chosen[np.argsort(deadlines[chosen], kind="stable")]
            of_asset, blocks = losses.of(chosen), blocks_of(horizon, deadlines[chosen])
            prior, name = PRIORS[horizon][asset == "all"], f"CRPS ratio {horizon} {asset}"

            def measure(rows: Rows, of_asset=of_asset, blocks=blocks, prior=prior, name=name) -> Scored:
                ratio = ratio_of(ScoreSums().plus(of_asset.of(rows), blocks[rows]), prior)
                return of_mean(name, ratio) if ratio else {}

            measures[name] = measure, weeks_of(deadlines[chosen])
    return measures


def call_measures(bars: Bars, since: int, until: int) -> tuple[Measure, Rows]:
    """Calls on the next day every four hours that go with the move of the last week, 53% sure: as of apex."""
    at = np.arange(since, until - DAY, CALL_EVERY_H * HOUR)
    before, spot, after = (closes_at("btc", bars, at + shift)[0] for shift in (-7 * DAY, 0, DAY))
    p, outcomes = np.where(spot > before, 0.53, 0.47), (after > spot).astype(float)
    rate, weeks = base_rate_known(outcomes, at, at + DAY), weeks_of(at + DAY)

    def measure(rows: Rows) -> Scored:
        terms = {"accuracy": np.full(len(rows), 0.5), "skill": rate[rows]}
        means = {
            name: clustered_mean(skill_terms(p[rows], reference, outcomes[rows]), weeks[rows], CALLS)
            for name, reference in terms.items()
        }
        share = right_share(p[rows], rate[rows], outcomes[rows], weeks[rows], CALLS)
        return {
            "calls hit rate": (share.accuracy_pct, share.accuracy_low_pct, share.accuracy_high_pct),
            **{f"calls {name}": (mean.mean, *mean.interval()) for name, mean in means.items()},
        }

    return measure, weeks


def beyond_luck(questions: MarketColumns, window: int) -> Iterator[tuple[str, float]]:
    """The percentage of windows in which the longest run of each engine is reached by under 5% of simulated records."""
    for column, engine in enumerate(questions.engines):
        rows = np.flatnonzero(questions.is_sided[:, column] & np.isfinite(questions.p[:, column]))
        p, weeks = questions.p[rows, column], weeks_of(questions.resolved_at[rows])
        right, numbers, shares = sides_right(p, questions.outcome[rows]), np.unique(weeks), []
        for first in range(int(numbers[1]), int(numbers[-1]) - window + 1):
            chosen = (weeks >= first) & (weeks < first + window)
            luck = luck_of(p[chosen], right[chosen], weeks[chosen], runs(right[chosen] == 1)[1])
            shares += [luck.best_reached_pct] if luck else []
        yield engine[0], 100 * float(np.mean(np.array(shares) < 5))


class LivedRecord(NamedTuple):
    """The markets that were lived through, and the hourly bars, from and until which unix second."""

    markets: MarketColumns
    hourly: Mapping[str, Bars]
    since: int
    until: int


def lived_record(folder: Path) -> LivedRecord:
    """Live through the markets over the bars of a folder."""
    feed = open_replay(Settings(world="replay", replay_dir=folder))
    hourly = {asset: resample(bars, HOUR) for asset, bars in feed.bars.items()}
    since, until = month_starts(feed.history_from + LEARNT_FIRST, feed.ends)[0], feed.ends // DAY * DAY
    histories = live(hourly, since, until, {MARKET: SimulatedMarket(SEED)})
    markets = columns_of(replace(history.market, odds=history.quotes[MARKET]) for history in histories)
    return LivedRecord(markets, hourly, since, until)


def main() -> None:
    """Live through the markets, price forecasts and calls, and print the coverage of each interval."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=BARS, help="CSV files named for their assets")
    parser.add_argument("--weeks", type=int, default=WINDOW_WEEKS, help="calendar weeks of a window")
    arguments = parser.parse_args()
    markets, hourly, since, until = lived_record(arguments.folder)
    print(f"{len(markets)} markets from {iso(since)} to {iso(until)}, in windows of {arguments.weeks} weeks.")
    measures = (
        market_measures(markets)
        | {"calls": call_measures(hourly["btc"], since, until)}
        | price_measures(hourly, since, until)
    )
    percents = []
    for measure, weeks in measures.values():
        for name, (value, percent, windows) in coverage(measure, weeks, arguments.weeks).items():
            print(f"{name:44}{value:10.4f}{percent:7.1f}% of {windows}", flush=True)
            percents.append(percent)
    print(f"all {len(percents)} intervals: {np.mean(percents):.1f}%, the worst {min(percents):.1f}%")
    for name, percent in beyond_luck(counted_questions(markets), arguments.weeks):
        print(f"longest run of {name} beyond luck in {percent:.1f}% of windows")


if __name__ == "__main__":
    main()
