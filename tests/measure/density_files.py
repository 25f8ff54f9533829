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

from service.forecasting.densities.density import Density, density, mixture_sizes, signed
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.densities.fitting import fit_calendars
from service.forecasting.densities.grid import HourGrid
from service.forecasting.densities.models import VarianceTrack, variance_tracks
from service.forecasting.densities.season import hours_between
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
    terms = {name: values[row] for name, values in track.terms.items()}
    densities = {
        name: density(model, track.level[row], terms, question.horizon_h, seasonal_hours)
        for name, model in fit.models.items()
    }
    voters = {name: _of(own, question) for name, own in densities.items()}
    above, touch = (float(np.mean([getattr(own, name) for own in voters.values()])) for name in ("above", "touch"))
    return {POOL: Answer(_mixture(list(densities.values())), above, touch), **voters}


def _mixture(densities: list[Density]) -> Array:
    sigmas = np.array([[own.sigma] for own in densities])
    if not sigmas.all():
        return np.zeros(len(QUANTILES))
    return signed(QUANTILES, mixture_sizes(sigmas, [own.close for own in densities], np.abs(2 * QUANTILES - 1))[0])


def _of(own: Density, question: tuple) -> Answer:
    return Answer(own.quantiles(QUANTILES), own.above(question.level), own.touch(question.touch) if own.sigma else 0.0)
