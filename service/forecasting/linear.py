"""A damped ridge residual on the log-odds of plain volatility: what the six seats and `logit` are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting.inputs import INPUTS
from service.forecasting.law import normal_log_odds_of

Array = NDArray[np.float64]

LONGEST_H = 168.0  # the longest horizon that is learnt from; beyond it every residual fades
MOST_SCORE = 4.0  # standardised inputs are cut here
MOST_LEAN, MOST_WIDTH, MOST_TAIL = 0.5, 0.8, 0.4  # with these no curve can rise with the level


@dataclass(frozen=True)
class LinearFit:
    """Coefficients of one voter, in log-odds.

    An input's score is (value - center) / scale. `width`, `metal` (added for metals) and `tail` are the shape of
    the law whatever the inputs say (times z, z and z cubed), `coefficients` what a unit of each score adds.
    `questions` were learnt from, worth `independent` ones.
    """

    inputs: tuple[str, ...]
    centers: tuple[float, ...]
    scales: tuple[float, ...]
    coefficients: tuple[float, ...]
    width: float
    metal: float
    tail: float
    questions: int
    independent: float

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> LinearFit:
        """The fit whose `asdict` this is, after a journey through JSON."""
        return LinearFit(**{name: tuple(value) if isinstance(value, list) else value for name, value in plain.items()})


def fade(hours) -> Array:
    """How much of a residual is left at a horizon of so many open hours: 1 up to a week, then its square root."""
    return np.sqrt(np.minimum(1.0, LONGEST_H / np.maximum(hours, 1.0)))


def damping(z) -> Array:
    """How much of a residual is left at distance `z`: far levels stay with volatility."""
    return np.exp(-np.square(z) / 4)


def is_lean(inputs: Sequence[str]) -> NDArray[np.bool_]:
    """Which of the inputs tell up from down."""
    return np.array([INPUTS[name].action == "lean" for name in inputs], dtype=bool)


def scores(fit: LinearFit, values: Array) -> Array:
    """Standardised inputs, cut at 4; `values` has shape (n, inputs)."""
    return np.clip((values - np.array(fit.centers)) / np.array(fit.scales), -MOST_SCORE, MOST_SCORE)


def residual(fit: LinearFit, metal: Array, z: Array, hours: Array, scored: Array) -> Array:
    """What the fit adds to the log-odds of volatility.

    Parameters
    ----------
    metal, z, hours : ndarray of shape (n,), or float
        1 for metals and 0 for coins, distance of the level in standard deviations, open hours until the deadline.
    scored : ndarray of shape (n, inputs)
        Standardised inputs.

    fade(hours) exp(-z^2/4) [lean + z (width + tail z^2)], each part held within bounds under which the odds
    of a higher level can never be higher.
    """
    terms = scored * np.array(fit.coefficients)
    leaning = is_lean(fit.inputs)
    lean = np.clip(terms[:, leaning].sum(axis=1), -MOST_LEAN, MOST_LEAN)
    width = np.clip(fit.width + fit.metal * metal + terms[:, ~leaning].sum(axis=1), -MOST_WIDTH, MOST_WIDTH)
    tail = min(MOST_TAIL, max(-MOST_TAIL, fit.tail))
    return fade(hours) * damping(z) * (lean + z * (width + tail * np.square(z)))


def log_odds(fit: LinearFit, metal: Array, z: Array, hours: Array, values: Array) -> Array:
    """Log-odds of closing above levels at distances `z`, shape (n,); `values` are raw inputs (n, inputs)."""
    return normal_log_odds_of(z) + residual(fit, metal, z, hours, scores(fit, values))


def design(inputs: Sequence[str], metal: Array, z: Array, hours: Array, scored: Array) -> Array:
    """The same residual as a matrix (n, 3 + inputs), to be multiplied by (width, metal, tail, coefficients)."""
    damped = fade(hours) * damping(z)
    per_input = np.where(is_lean(inputs), damped[:, None], (damped * z)[:, None])
    return np.column_stack([damped * z, damped * z * metal, damped * z**3, per_input * scored])
