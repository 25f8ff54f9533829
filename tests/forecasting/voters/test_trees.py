"""The exported trees say what scikit-learn says."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from service.forecasting.voters.trees import Trees, export


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
