"""Logistic regression with an offset under normal priors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.forecasting.voters.distribution import probability_of

Array = NDArray[np.float64]


def fit_map(
    design: Array, offset: Array, happened: Array, worth: Array, deviations: Array, means: Array | float = 0.0
) -> Array:
    """Maximum a posteriori coefficients of a logistic model with an offset under independent normal priors.

    Newton's method on a convex function; no coefficient moves by more than 1 in a step.

    Parameters
    ----------
    design : ndarray of shape (n, k)
        One row per question.
    offset, happened, worth : ndarray of shape (n,)
        Log-odds to start from, outcomes 0 or 1, weight of each row.
    deviations, means : ndarray of shape (k,)
        The priors; `means` may be one number.

    Returns
    -------
    ndarray of shape (k,)
        The prior means where n is 0.
    """
    precision = 1 / np.square(deviations)
    coefficients = np.zeros(design.shape[1]) + means
    for _ in range(100):
        p = probability_of(offset + design @ coefficients)
        slope = design.T @ (worth * (p - happened)) + precision * (coefficients - means)
        curvature = (design * (worth * p * (1 - p))[:, None]).T @ design + np.diag(precision)
        step = np.linalg.solve(curvature, slope)
        coefficients = coefficients - step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    return coefficients
