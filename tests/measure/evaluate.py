"""Our forecasts beside those of the peers, on the same questions, by half-years: `make evaluate`.

    python -m tests.measure.evaluate OUT [BARS] [--since DAY] [--until DAY] [--voters]

OUT holds the files of `peers`; ours are written there too. `--until` takes away all later bars, so nothing that
happened after that day can be seen. Settings were chosen on questions asked in 2024; later ones judge them.

CRPS       percent of that of plain volatility, in units of the 180-day volatility
log score  -ln P(the one of 14 fixed cells that came true), in nats
levels     Brier score of P(close above a level) from a day on; touches: of P(a level is reached). Where a file has
           only quantiles, P(touch) is twice P(close beyond) (reflection principle, Andre 1887)
within     share of outcomes in the central 50, 80, 90 and 98%, in percent

All but plain volatility's own scores and the shares are differences from it; negative is better. After each figure
follow the half-widths of its 95% intervals, clustered by calendar week and by 28 days of the instant of asking.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from service.forecasting.densities.density import CalendarFit, Density, density, mixture_sizes, signed
from service.forecasting.densities.fitting import fit_calendars
from service.forecasting.densities.grid import HourGrid, hour_grid
from service.forecasting.densities.models import VarianceTrack, variance_tracks
from service.forecasting.densities.season import hours_between
from service.forecasting.price_record.committed import pinball
from service.market.assets import calendar_of
from service.market.instants import DAY, HOUR, iso
from service.scores.intervals import t_quantile, weeks_of
from service.scores.proper import brier
from tests.measure.peers import PEERS, PLAIN
from tests.measure.price_questions import BARS, COLUMNS, QUANTILES, ask, months, read, read_bars, write

Array = NDArray[np.float64]
Clusters = NDArray[np.int64]

# Days of asking, and what its outcomes were used for.
PERIODS = (
    ("2024-H2", "2024-07-01", "2025-01-01", "chose the settings"),
    ("2025-H1", "2025-01-01", "2025-07-01", "chose nothing"),
    ("2025-H2", "2025-07-01", "2026-01-01", "chose nothing"),
    ("2025", "2025-01-01", "2026-01-01", "chose nothing"),
    ("all months", "2000-01-01", "2100-01-01", "those of 2024 chose the settings"),
)
CELLS = np.array([-2.5, -1.8, -1.3, -0.9, -0.55, -0.25, 0, 0.25, 0.55, 0.9, 1.3, 1.8, 2.5])
SPREAD = 0.002  # of the probability, evenly over all cells, so that no score is infinite
WITHIN = {50: 24, 80: 9, 90: 4, 98: 0}  # the place of the lower quantile
BLOCK_S = 28 * DAY
LEAST_CLUSTERS = 4  # with fewer there is no interval
POOL = "pool"


def scores_of(questions: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The scores of a forecaster's `table` on each decided question; NaN on those that it was not asked."""
    scale, returns = questions["scale"].to_numpy(), questions["returned"].to_numpy() / questions["scale"].to_numpy()
    quantiles = table[COLUMNS].to_numpy() / scale[:, None]
    below = cdf(quantiles, questions[["level", "touch"]].to_numpy() / scale[:, None])
    tails = np.where(questions["touch"] > 0, 1 - below[:, 1], below[:, 1])
    above, touch = table.get("above", 1 - below[:, 0]), table.get("touch", np.minimum(2 * tails, 1))
    crps = 2 * pinball(quantiles, returns).mean(axis=1)
    shares = {
        f"within {share}%": 100.0 * ((returns >= quantiles[:, low]) & (returns <= quantiles[:, 98 - low]))
        for share, low in WITHIN.items()
    }
    return pd.DataFrame(
        {
            "CRPS": crps,
            **{f"CRPS, {hours} h": np.where(questions["horizon_h"] == hours, crps, np.nan) for hours in (1, 6)},
            "log score": log_score(quantiles, returns),
            "levels": brier(above, questions["closed"]),
            "touches": brier(touch, questions["touched"]),
            **shares,
        },
        index=questions.index,
    )


def cdf(quantiles: Array, values: Array) -> Array:
    """P(at most each of `values`, shape (n, m)) of laws with `quantiles` at QUANTILES, shape (n, 99).

    It is straight between quantiles and exponential beyond the 5th and the 95th, through the 1st and the 99th.
    """
    knots = quantiles + np.arange(99) * 1e-12
    middle = np.array([np.interp(row, knot, QUANTILES) for row, knot in zip(values, knots, strict=True)])
    first, low, high, last = (quantiles[:, [place]] for place in (0, 4, 94, 98))
    middle = np.where(values > high, 1 - _tail(values - high, last - high), middle)
    return np.where(values < low, _tail(low - values, low - first), middle)


def _tail(tail: Array, reach: Array) -> Array:
    """0.05 at a distance of 0 beyond the edge, 0.01 at `reach`."""
    return 0.05 * np.exp(-np.log(5) * np.maximum(tail, 0) / np.maximum(reach, 1e-9))


def log_score(quantiles: Array, outcome: Array) -> Array:
    """-ln of the probability of the cell that came true, in nats, shape (n,)."""
    shares = np.diff(cdf(quantiles, np.tile(CELLS, (len(outcome), 1))), axis=1, prepend=0, append=1)
    hit = np.maximum(shares[np.arange(len(outcome)), np.searchsorted(CELLS, outcome)], 0)
    return -np.log((1 - SPREAD) * hit + SPREAD / (len(CELLS) + 1))


def half_width(terms: Array, clusters: Clusters) -> float:
    """Of the 95% interval of the mean of `terms` (n,), which depend on each other within clusters (Cochran 1977)."""
    _, places = np.unique(clusters, return_inverse=True)
    sums = np.bincount(places, terms - terms.mean())
    if len(sums) < LEAST_CLUSTERS:
        return float("nan")
    return t_quantile(len(sums) - 1) * float(np.sqrt(len(sums) / (len(sums) - 1) * sums @ sums)) / len(terms)


def figure(metric: str, values: Array, plain: Array, asked_at: Clusters) -> str:
    """A mean with its half-widths: of `own` where it is a share, else of its difference from `plain`, shape (n,)."""
    if metric.startswith("within"):
        return _with_half_widths(values, asked_at, "", 1)
    if not metric.startswith("CRPS"):
        return _with_half_widths(values - plain, asked_at, "+", 4)
    ratio = values.mean() / plain.mean()  # a ratio of means, linearised at the means
    return _with_half_widths(100 * (ratio - 1 + (values - ratio * plain) / plain.mean()), asked_at, "+", 2)


def _with_half_widths(terms: Array, asked_at: Clusters, sign: str, digits: int) -> str:
    halves = (half_width(terms, clusters) for clusters in (weeks_of(asked_at), (asked_at - asked_at.min()) // BLOCK_S))
    return f"{terms.mean():{sign}.{digits}f}" + "".join(f" ±{half:.{digits}f}" for half in halves)


def show(questions: pd.DataFrame, scores: Mapping[str, pd.DataFrame]) -> None:
    """Print the table, a part for each period that adds questions."""
    counts: set[int] = set()
    for name, begins, ends, role in PERIODS:
        chosen = questions["asked_at"].between(second_of(begins), second_of(ends), inclusive="left")
        if int(chosen.sum()) in {0, *counts}:
            continue
        counts.add(int(chosen.sum()))
        asked_at = questions["asked_at"][chosen].to_numpy()
        days = " to ".join(iso(int(instant))[:10] for instant in (asked_at.min(), asked_at.max()))
        print(f"\n{name}: {role}; {len(asked_at):,} questions asked from {days}")
        print(f"{'':12}" + "".join(f"{forecaster:>24}" for forecaster in scores))
        for metric in scores[PLAIN]:
            cells = _cells(
                {forecaster: table[metric][chosen].to_numpy() for forecaster, table in scores.items()}, metric, asked_at
            )
            print(f"{metric:12}" + "".join(f"{cell:>24}" for cell in cells))


def _cells(values: Mapping[str, Array], metric: str, asked_at: Clusters) -> Iterator[str]:
    is_asked = np.isfinite(values[PLAIN])
    for forecaster, scores in values.items():
        if forecaster == PLAIN and not metric.startswith("within"):
            yield f"{scores[is_asked].mean():.4f}"
        else:
            yield figure(metric, scores[is_asked], values[PLAIN][is_asked], asked_at[is_asked])


def second_of(day: str) -> int:
    """The unix second at which a day begins, `YYYY-MM-DD`."""
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


def main(arguments: Sequence[str] | None = None) -> None:
    """Write our files, read those of the peers, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="folder of the files")
    parser.add_argument("bars", type=Path, nargs="?", default=BARS, help="hourly CSV files, one an asset")
    parser.add_argument("--since", type=second_of, default=0, metavar="DAY", help="first day of asking")
    parser.add_argument("--until", type=second_of, default=2**40, metavar="DAY", help="the bars end before it")
    parser.add_argument("--voters", action="store_true", help="each voter instead of the peers")
    options = parser.parse_args(arguments)
    grid = hour_grid({asset: bars.until(options.until) for asset, bars in read_bars(options.bars).items()})
    ours = write_ours(options.out, grid, with_voters=options.voters)
    questions = ask(grid)
    questions = questions[(questions["asked_at"] >= options.since) & questions["returned"].notna()]
    names = [PLAIN, *ours] if options.voters else [*PEERS, *ours]
    show(questions, {name: scores_of(questions, read(options.out, name, questions)) for name in names})


class Answer(NamedTuple):
    """Log returns at QUANTILES, shape (99,); P(close above the level); P(the other level is touched)."""

    returns: Array
    above: float
    touch: float


def write_ours(folder: Path, grid: HourGrid, with_voters: bool = True) -> list[str]:
    """Write a file for the pool and, if wanted, one for each voter; their names."""
    questions, answers = ask(grid), forecast(grid)
    names = list(answers) if with_voters else [POOL]
    for name in names:
        returns, above, touch = (np.array(part) for part in zip(*answers[name], strict=True))
        write(folder, name, questions, returns, above=above, touch=touch)
    return names


def forecast(grid: HourGrid) -> dict[str, list[Answer]]:
    """The answers of the pool and of each voter to all questions, in their order."""
    questions, tracks = ask(grid), variance_tracks(grid)
    answers = pd.Series(index=questions.index, dtype=object)
    for rows in months(grid):
        fits = fit_calendars(grid, tracks, int(rows[0]))
        for question in questions[questions["asked_at"].isin(grid.origin + rows * HOUR)].itertuples():
            state = tracks[question.asset], (question.asked_at - grid.origin) // HOUR
            answers[question.Index] = answer(fits[calendar_of(question.asset)], *state, question)
    return {name: [row[name] for row in answers] for name in answers[0]}


def answer(fit: CalendarFit, track: VarianceTrack, row: int, question: tuple) -> dict[str, Answer]:
    """What the pool and each voter answer to a row of the table of questions, which is asked at the end of hour `row`.

    This function alone knows how the service forecasts.
    """
    until = question.asked_at + question.horizon_h * HOUR
    seasonal_hours = hours_between(fit.season, question.asset, question.asked_at, until)
    terms = {name: values[row] for name, values in track.terms.items()}
    densities = {
        name: density(model, track.level[row], terms, question.horizon_h, seasonal_hours)
        for name, model in fit.models.items()
    }
    voters = {name: _of(own, question) for name, own in densities.items()}
    above, touch = (float(np.mean([getattr(voter, name) for voter in voters.values()])) for name in ("above", "touch"))
    return {POOL: Answer(_mixture(list(densities.values())), above, touch), **voters}


def _mixture(densities: list[Density]) -> Array:
    sigmas = np.array([[own.sigma] for own in densities])
    if not sigmas.all():
        return np.zeros(len(QUANTILES))
    return signed(QUANTILES, mixture_sizes(sigmas, [own.close for own in densities], np.abs(2 * QUANTILES - 1))[0])


def _of(own: Density, question: tuple) -> Answer:
    return Answer(own.quantiles(QUANTILES), own.above(question.level), own.touch(question.touch) if own.sigma else 0.0)


if __name__ == "__main__":
    main()
