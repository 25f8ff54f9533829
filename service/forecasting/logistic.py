"""Logistic regression with an offset under normal priors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.forecasting.law import probability_of

Array = NDArray[np.float64]


def most_probable(
    design: Array, offset: Array, happened: Array, worth: Array, deviations: Array, means: Array | float = 0.0
) -> Array:
    """Coefficients of a logistic model with an offset under independent normal priors.

    Newton's method on a convex function, no coefficient moving by more than 1 in a step.

    Parameters
    ----------
    design : ndarray of shape (n, k)
    offset, happened, worth : ndarray of shape (n,)
        Log-odds to start from, outcomes 0 or 1, weight of each row.
    deviations, means : ndarray of shape (k,)
        The priors.
    """
    precision = 1 / np.square(deviations)
    found = np.zeros(design.shape[1]) + means
    for _ in range(100):
        p = probability_of(offset + design @ found)
        slope = design.T @ (worth * (p - happened)) + precision * (found - means)
        curvature = (design * (worth * p * (1 - p))[:, None]).T @ design + np.diag(precision)
        step = np.linalg.solve(curvature, slope)
        found = found - step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-9:
            break
    return found
