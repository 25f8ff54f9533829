"""The exported trees say what scikit-learn says."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from service.forecasting.forest import TREE_INPUTS, log_odds, mirror
from service.forecasting.law import normal_log_odds_of
from service.forecasting.trees import Trees, export


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    generator = np.random.default_rng(3)
    values = generator.normal(size=(3000, 5))
    values[generator.random(values.shape) < 0.1] = np.nan
    return values


@pytest.fixture(scope="module")
def model(rows) -> HistGradientBoostingClassifier:
    chance = np.random.default_rng(4).random(len(rows))
    happened = chance < 1 / (1 + np.exp(-np.nan_to_num(rows[:, 0]) + np.isnan(rows[:, 1])))
    return HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=9, random_state=0).fit(rows, happened)


def test_every_probability_equals_that_of_scikit_learn(model, rows):
    """To 1e-12, on rows it has seen and on others, with missing values and without."""
    trees = export(model)
    others = np.random.default_rng(5).normal(scale=3, size=(2000, 5))
    for each in (rows, others):
        ours = 1 / (1 + np.exp(-trees.raw(each)))
        np.testing.assert_allclose(ours, model.predict_proba(each)[:, 1], rtol=0, atol=1e-12)


def test_a_split_of_the_missing_from_the_rest_is_exported():
    values = np.repeat([[1.0], [np.nan]], 200, axis=0)
    model = HistGradientBoostingClassifier(max_iter=3).fit(values, np.isnan(values[:, 0]))
    trees = export(model)
    assert np.isfinite(trees.threshold).all()
    np.testing.assert_allclose(trees.raw(values), model.decision_function(values), atol=1e-12)


def test_trees_survive_json_without_loss(model, rows):
    trees = export(model)
    again = Trees.from_plain(json.loads(json.dumps(trees.to_plain(), allow_nan=False)))
    np.testing.assert_array_equal(again.raw(rows), trees.raw(rows))


def test_the_forest_of_a_mirrored_history_says_the_contrary(fits):
    """Up and down exchanged, in the question and in every leaning input, gives exactly 1 - p."""
    generator = np.random.default_rng(6)
    values, z = generator.normal(size=(200, len(TREE_INPUTS))), generator.uniform(-3, 3, 200)
    hours = generator.uniform(1, 400, 200)
    forth = log_odds(fits.forest, z, hours, values)
    back = log_odds(fits.forest, -z, hours, mirror(values))
    np.testing.assert_allclose(forth, -back, atol=1e-12)


def test_the_forest_never_finds_a_higher_level_more_likely(fits):
    generator = np.random.default_rng(7)
    z = np.linspace(-6, 6, 301)
    for _ in range(20):
        values = np.tile(generator.normal(size=len(TREE_INPUTS)), (len(z), 1))
        assert (np.diff(log_odds(fits.forest, z, np.full(len(z), 48.0), values)) <= 1e-12).all()


def test_a_weight_of_nothing_leaves_the_base_rate(fits):
    z, values = np.array([-1.0, 0.0, 2.5]), np.zeros((3, len(TREE_INPUTS)))
    silent = replace(fits.forest, weight=0.0)
    np.testing.assert_array_equal(log_odds(silent, z, np.full(3, 24.0), values), normal_log_odds_of(z))
