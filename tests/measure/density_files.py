"""Our forecasts as files: those of the pool and of each voter, walked forward on the questions of `price_questions`.

At the start of each month everything is fitted to what was known then; nothing later is used. A scorer of densities can
read the files; `make evaluate` writes them into OUT.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from service.forecasting.densities.density import Density, density
from service.forecasting.densities.features import VarianceTrack, variance_tracks
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.fitting import fit_calendars
from service.forecasting.densities.grid import HourGrid
from service.forecasting.densities.season import hours_between
from service.forecasting.voters.distribution import probability
from service.market.assets import calendar_of
from service.market.instants import HOUR
from tests.measure.price_questions import QUANTILES, ask, months, write

Array = NDArray[np.float64]

POOL = "pool"


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
    return {name: [each[name] for each in answers] for name in answers[0]}


def answer(fit: CalendarFit, track: VarianceTrack, row: int, question: tuple) -> dict[str, Answer]:
    """What the pool and each voter answer to a row of the table of questions, which is asked at the end of hour `row`.

    This function alone knows how the service forecasts.
    """
    until = question.asked_at + question.horizon_h * HOUR
    seasonal_hours = hours_between(fit.season, question.asset, question.asked_at, until)
    features = {name: values[row] for name, values in track.features.items()}
    voters = {
        name: _of(density(view, track.level[row], features, question.horizon_h, seasonal_hours), question)
        for name, view in fit.views.items()
    }
    pool = Answer(*(np.mean(part, axis=0) for part in zip(*voters.values(), strict=True)))
    return {POOL: pool, **voters}


def _of(law: Density, question: tuple) -> Answer:
    if not law.sigma:
        return Answer(np.zeros(len(QUANTILES)), float(question.level < 0), 0.0)
    above = probability(law.log_odds_above(question.level))
    return Answer(law.quantiles(QUANTILES), above, law.touch(question.touch))
