"""How often the best of many puppets is called better than the pool: `python -m tests.measure.puppets [BARS]`.

Puppets and a skilled forecaster play on the service's own markets, lived through over real hourly bars. Printed is the
share of tournaments in which the best puppet ranks above the pool: after the last week, where each puppet stops as soon
as it is ahead, and in both cases without the correction for the number of entrants; then how often a skilled forecaster
ranks above the pool, with the correction and without.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from service.forecasting.predictions.scores.columns import MarketColumns
from service.forecasting.predictions.scores.forecasters import CountedMarkets, counted_markets
from service.scores.proper import brier
from tests.forecasting.predictions.puppets import PUPPETS, has_better, of_skill, outcomes_of, with_outcomes
from tests.measure.interval_coverage import lived_record
from tests.measure.price_questions import BARS

CAUSE = 0.1  # of the moves of one week, where outcomes are drawn anew
SKILLS = (0.60, 0.65, 0.72)  # how often the skilled forecaster is on the right side, by 10 percentage points
A_WEEK = (20, 100)  # markets that it forecasts
WEEKS = (9, 13, 26, 38)


def window(markets: MarketColumns, dice: np.random.Generator, weeks: int, entrants: int) -> CountedMarkets:
    """The markets of so many weeks from any week on."""
    tournament = counted_markets(markets, entrants)
    numbers = tournament.evidence.weeks
    first = dice.integers(numbers.min(), numbers.max() - weeks + 2)
    return chosen(tournament, (numbers >= first) & (numbers < first + weeks))


def chosen(markets: CountedMarkets, rows: np.ndarray) -> CountedMarkets:
    return replace(
        markets,
        columns=markets.columns.where(rows),
        evidence=markets.evidence.where(rows),
        pool=markets.pool[rows],
        coverage=markets.coverage[rows],
    )


def directions_of(markets: CountedMarkets) -> np.ndarray:
    """1 where a rise of the price makes YES likelier, -1 where a fall does, 0 where neither."""
    signs = {"bull": 1.0, "bear": -1.0, "none": 0.0}
    return np.array([signs[market.question.polarity] for market in markets.columns.market])


def uncorrected(markets: CountedMarkets) -> CountedMarkets:
    """The markets as one forecaster would be judged that nobody chose."""
    return replace(markets, evidence=replace(markets.evidence, luckiest=0.0))


def puppet_shares(
    markets: MarketColumns, weeks: int, entrants: int, tournaments: int
) -> Iterator[tuple[str, list[float]]]:
    """In how many percent of tournaments the best puppet of each kind is called better, in four ways."""
    dice = np.random.default_rng(5)
    for kind, puppet in PUPPETS.items():
        counts = np.zeros(4)
        for _ in range(tournaments):
            tournament = window(markets, dice, weeks, entrants)
            pool, numbers, directions = tournament.columns.pool, tournament.evidence.weeks, directions_of(tournament)
            tournament = with_outcomes(tournament, outcomes_of(dice, pool, directions, numbers, CAUSE))
            forecasts = [puppet(dice, pool, directions, numbers) for _ in range(entrants)]
            counts += [
                has_better(forecasts, judgement, is_stopping=is_stopping)
                for judgement in (tournament, uncorrected(tournament))
                for is_stopping in (False, True)
            ]
        yield kind, (100 * counts / tournaments).tolist()


def skilled_shares(
    markets: MarketColumns, entrants: int, tournaments: int
) -> Iterator[tuple[int, int, float, list[float]]]:
    """Markets a week, weeks, mean gain in Brier score, and how often it is found with and without the correction."""
    dice = np.random.default_rng(6)
    for skill in SKILLS:
        for a_week in A_WEEK:
            for weeks in WEEKS:
                counts, gains = np.zeros(2), []
                for _ in range(tournaments):
                    tournament = window(markets, dice, weeks, entrants)
                    n = len(tournament.columns)
                    tournament = chosen(tournament, dice.random(n) < a_week * weeks / n)
                    pool, outcomes = tournament.columns.pool, tournament.evidence.outcomes
                    p = of_skill(dice, pool, outcomes, skill)
                    gains.append(float(np.mean(brier(pool, outcomes) - brier(p, outcomes))))
                    counts += [has_better([p], judgement) for judgement in (tournament, uncorrected(tournament))]
                yield a_week, weeks, float(np.mean(gains)), (100 * counts / tournaments).tolist()


def main() -> None:
    """Live through the markets, play the tournaments and print what is called better."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=BARS, help="CSV files named for their assets")
    parser.add_argument("--weeks", type=int, default=26, help="calendar weeks of a tournament of puppets")
    parser.add_argument("--entrants", type=int, default=30, help="puppets")
    parser.add_argument("--tournaments", type=int, default=100, help="of each kind")
    arguments = parser.parse_args()
    markets = lived_record(arguments.folder).markets
    rules = arguments.entrants, arguments.tournaments
    print("called better, in % of tournaments: at the end, stopping ahead; the same two without the correction")
    for kind, shares in puppet_shares(markets, arguments.weeks, *rules):
        print(f"puppets on {kind:26}" + "".join(f"{share:7.1f}" for share in shares), flush=True)
    print("a skilled forecaster called better, in %: with the correction, without")
    for a_week, weeks, gain, shares in skilled_shares(markets, *rules):
        print(f"{a_week:4} a week, {weeks:3} weeks, gain {gain:.4f}" + "".join(f"{share:7.1f}" for share in shares))


if __name__ == "__main__":
    main()
