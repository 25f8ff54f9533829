"""The residual of the trees: symmetric, never rising faster than the base falls, and counted in part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from service.forecasting.voters.distribution import normal_log_odds_of
from service.forecasting.voters.forest import TREE_INPUTS, ForestFit, mirror, near, residual

NEAR = np.vectorize(near)


def log_odds(fit: ForestFit, z: np.ndarray, hours: np.ndarray, values: np.ndarray) -> np.ndarray:
    """On the base of plain volatility."""
    return normal_log_odds_of(z) + residual(fit, NEAR(z), hours, values, normal_log_odds_of(NEAR(z)))


def test_a_mirrored_history_gives_the_complement(fits):
    """Up and down exchanged, in the question and in every lean, gives 1 - p."""
    generator = np.random.default_rng(6)
    values, z = generator.normal(size=(200, len(TREE_INPUTS))), generator.uniform(-3, 3, 200)
    hours = generator.uniform(1, 400, 200)
    forth = log_odds(fits.forest, z, hours, values)
    back = log_odds(fits.forest, -z, hours, mirror(values))
    np.testing.assert_allclose(forth, -back, atol=1e-12)


def test_a_higher_level_is_never_more_likely(fits):
    """The trees fall with the level by their constraint, and they count in part beside a base that falls."""
    generator = np.random.default_rng(7)
    z = np.linspace(-6, 6, 301)
    for _ in range(20):
        values = np.tile(generator.normal(size=len(TREE_INPUTS)), (len(z), 1))
        assert (np.diff(log_odds(fits.forest, z, np.full(len(z), 48.0), values)) <= 1e-12).all()


def test_a_weight_of_zero_leaves_the_base(fits):
    z, values = np.array([-1.0, 0.0, 1.5]), np.zeros((3, len(TREE_INPUTS)))
    silent = replace(fits.forest, weight=0.0)
    assert residual(silent, z, np.full(3, 24.0), values, normal_log_odds_of(z)).tolist() == [0.0] * 3
