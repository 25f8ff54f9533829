"""The learnt residual is bounded so that no curve rises with the level."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.voters import linear
from service.forecasting.voters.distribution import normal_log_odds_of
from service.forecasting.voters.linear import LinearFit

ANY = st.floats(-20, 20)


def fit(
    lean: float = 0.0, by_ratio: float = 0.0, width: float = 0.0, metal: float = 0.0, tail: float = 0.0
) -> LinearFit:
    return LinearFit(
        inputs=("move_24h", "vol_ratio_180d"),
        centers=(0.0, -0.1),
        scales=(1.0, 0.5),
        coefficients=(lean, by_ratio),
        width=width,
        metal=metal,
        tail=tail,
        questions=1,
        independent=1.0,
    )


@given(
    learnt=st.builds(fit, ANY, ANY, ANY, ANY, ANY),
    values=st.tuples(ANY, ANY),
    metal=st.booleans(),
    hours=st.floats(0.1, 9000),
)
def test_no_fit_makes_a_higher_level_more_likely(learnt, values, metal, hours):
    z = np.linspace(-8, 8, 641)
    scored = linear.scores(learnt, np.tile(values, (len(z), 1)))
    odds = normal_log_odds_of(z) + linear.residual(learnt, float(metal), z, hours, scored)
    assert (np.diff(odds) <= 1e-9).all()


def test_a_residual_by_hand():
    """Lean .1 * 2, width .3 + .2 (metal) + .1 * 1, tail .05; z = 1: e^-.25 (.2 + .6 + .05) = .661981."""
    scored = np.array([[2.0, 1.0]])
    residual = linear.residual(fit(0.1, 0.1, 0.3, 0.2, 0.05), 1.0, 1.0, 24.0, scored)
    assert residual == pytest.approx([0.85 * math.exp(-0.25)])


def test_a_residual_fades_beyond_a_week():
    residuals = [linear.residual(fit(0.1), 0.0, 0.0, hours, np.array([[1.0, 0.0]]))[0] for hours in (1, 168, 4 * 168)]
    assert residuals == pytest.approx([0.1, 0.1, 0.05])


def test_scores_are_cut_at_four_deviations():
    assert linear.scores(fit(), np.array([[100.0, -0.1]])).tolist() == [[4.0, 0.0]]


@given(lean=st.floats(-0.1, 0.1), width=st.floats(-0.5, 0.5), z=st.floats(-3, 3), score=st.floats(-4, 4))
def test_the_design_is_the_residual_before_its_bounds(lean, width, z, score):
    learnt = fit(lean, 0.02, width, 0.1, 0.1)
    scored = np.array([[score, score]])
    row = linear.design(learnt.inputs, np.ones(1), np.array([z]), np.array([200.0]), scored)
    assert (row @ [learnt.width, learnt.metal, learnt.tail, *learnt.coefficients])[0] == pytest.approx(
        linear.residual(learnt, 1.0, z, 200.0, scored)[0], abs=1e-12
    )


def test_a_fit_survives_json_without_loss():
    learnt = fit(0.1, 0.2, 0.3, 0.4, 0.5)
    assert LinearFit.from_plain(json.loads(json.dumps(asdict(learnt)))) == learnt
