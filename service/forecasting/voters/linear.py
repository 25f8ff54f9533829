"""A damped ridge residual on the log-odds of plain volatility: the arithmetic of the six seats and `logit`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.forecasting.voters.inputs import INPUTS

Array = NDArray[np.float64]

LONGEST_H = 168.0  # the longest horizon that is learnt from; beyond it every residual fades
MOST_SCORE = 4.0  # standardised inputs are cut here
MOST_LEAN, MOST_WIDTH, MOST_TAIL = 0.5, 0.8, 0.4  # within these bounds no curve rises with the level


@dataclass(frozen=True)
class LinearFit:
    """Coefficients of one voter, in log-odds.

    An input's score is (value - center) / scale. `width`, `metal` (added for metals) and `tail` are the shape of the
    distribution whatever the inputs are (times z, z and z cubed); `coefficients` are the effects of a unit of each
    score. The fit used `questions`, worth `independent` ones.
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
        """The fit whose `asdict` this is, after JSON has made lists of its tuples."""
        names = ("inputs", "centers", "scales", "coefficients")
        return replace(LinearFit(**plain), **{name: tuple(plain[name]) for name in names})


def fade(hours: Array | float) -> Array:
    """The share of a residual that is left at a horizon of so many open hours: 1 up to a week, then sqrt(168 / h)."""
    return np.sqrt(np.minimum(1.0, LONGEST_H / np.maximum(hours, 1.0)))


def damping(z: Array | float) -> Array:
    """The share of a residual that is left at distance `z`: exp(-z^2 / 4), so far levels keep to volatility."""
    return np.exp(-np.square(z) / 4)


@cache
def is_lean(inputs: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which of the inputs separate up from down, shape (inputs,)."""
    return np.array([INPUTS[name].action == "lean" for name in inputs], dtype=bool)


def scores(fit: LinearFit, values: Array) -> Array:
    """Standardised inputs, cut at 4; `values` has shape (n, inputs)."""
    return np.clip((values - np.array(fit.centers)) / np.array(fit.scales), -MOST_SCORE, MOST_SCORE)


def residual(fit: LinearFit, metal: Array | float, z: Array | float, hours: Array | float, scored: Array) -> Array:
    """The log-odds that the fit adds to those of volatility.

    Parameters
    ----------
    fit : LinearFit
        The coefficients.
    metal, z, hours : ndarray of shape (n,), or float
        1 for metals and 0 for coins; distance of the level in standard deviations; open hours until the deadline.
    scored : ndarray of shape (n, inputs)
        Standardised inputs.

    Returns
    -------
    ndarray of shape (n,)
        fade(hours) exp(-z^2/4) [lean + z (width + tail z^2)], each part held within bounds under which the odds of a
        higher level are never higher.
    """
    terms = scored * np.array(fit.coefficients)
    leaning = is_lean(fit.inputs)
    lean = np.clip(terms[:, leaning].sum(axis=1), -MOST_LEAN, MOST_LEAN)
    width = np.clip(fit.width + fit.metal * metal + terms[:, ~leaning].sum(axis=1), -MOST_WIDTH, MOST_WIDTH)
    tail = min(MOST_TAIL, max(-MOST_TAIL, fit.tail))
    return fade(hours) * damping(z) * (lean + z * (width + tail * np.square(z)))


def design(inputs: tuple[str, ...], metal: Array, z: Array, hours: Array, scored: Array) -> Array:
    """The same residual as a matrix (n, 3 + inputs), to be multiplied by (width, metal, tail, coefficients)."""
    damped = fade(hours) * damping(z)
    per_input = np.where(is_lean(inputs), damped[:, None], (damped * z)[:, None])
    return np.column_stack([damped * z, damped * z * metal, damped * z**3, per_input * scored])
