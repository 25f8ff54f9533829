"""Maximum a posteriori coefficients, against numbers by hand and an independent minimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from service.forecasting.voters.logistic import fit_map


def test_three_of_four_by_hand():
    """Prior N(0, 1): b solves 4 (sigmoid(b) - 3/4) + b = 0; by bisection .505240."""
    happened = np.array([1.0, 1.0, 1.0, 0.0])
    coefficients = fit_map(np.ones((4, 1)), np.zeros(4), happened, np.ones(4), np.ones(1))
    assert coefficients == pytest.approx([0.505240], abs=1e-6)


def test_it_is_the_minimum_that_scipy_finds():
    generator = np.random.default_rng(12)
    design, offset = generator.normal(size=(300, 3)), generator.normal(size=300)
    happened, worth = (generator.random(300) < 0.4).astype(float), generator.random(300)
    means, deviations = np.array([0.5, 0.0, -0.5]), np.array([0.3, 1.0, 2.0])

    def cost(coefficients):
        odds = offset + design @ coefficients
        fit = worth @ (np.logaddexp(0, odds) - happened * odds)
        return fit + np.sum(((coefficients - means) / deviations) ** 2) / 2

    expected = minimize(cost, np.zeros(3), tol=1e-12).x
    assert fit_map(design, offset, happened, worth, deviations, means) == pytest.approx(expected, abs=1e-5)


def test_it_converges_where_newton_alone_would_overshoot():
    """Certain offsets that were all wrong: the slope is steep and the curvature close to zero."""
    coefficients = fit_map(np.ones((50, 1)), np.full(50, 12.0), np.zeros(50), np.ones(50), np.array([100.0]))
    assert 50 / (1 + np.exp(-(12 + coefficients[0]))) + coefficients[0] / 100**2 == pytest.approx(0, abs=1e-8)
