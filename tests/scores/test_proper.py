"""Proper scores, each against a number computed by hand or by another library."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from service.scores import proper
from service.scores.intervals import Dependence, clustered_mean

SECOND = np.array([False, True])  # of two voters the second one moves


def test_losses_by_hand():
    """.8 on a yes and .3 on a no: Brier (.04 + .09) / 2 = .065.

    ln 1/.8 = .223144 for .8 on a yes; a certain no that was a yes costs ln 100 = 4.605170, as one of 1%.
    """
    assert proper.brier(np.array([0.8, 0.3]), np.array([1, 0])).mean() == pytest.approx(0.065)
    assert proper.log_score(np.array([0.8, 0.0]), np.array([1, 1])) == pytest.approx([0.223144, 4.605170], abs=1e-6)


def test_the_spread_of_a_skill_is_that_of_the_ratio():
    """The jackknife over 40 single values, an independent estimate, agrees within two percent."""
    dice = np.random.default_rng(6)
    outcomes = (dice.random(40) < 0.4).astype(float)
    p, reference = np.clip(outcomes * 0.3 + dice.uniform(0.1, 0.6, 40), 0, 1), np.full(40, 0.4)
    columns = (p, reference, outcomes)
    left_out = [proper.skill_terms(*(np.delete(column, place) for column in columns)).mean() for place in range(40)]
    jackknife = np.sqrt(39 / 40 * np.square(left_out - np.mean(left_out)).sum())
    mean = clustered_mean(proper.skill_terms(*columns), np.arange(40), Dependence(0.0))
    assert mean.deviation / np.sqrt(mean.n_eff) == pytest.approx(jackknife, rel=0.02)


def test_skill_is_the_removed_share_of_the_reference_error():
    """Brier .04 and .01 against .25 and .09: 1 - .05 / .34 = .852941; without an error of the reference there is none.

    The terms are it plus (.147059 x .25 - .04) / .17 and (.147059 x .09 - .01) / .17.
    """
    terms = proper.skill_terms(np.array([0.8, 0.1]), np.array([0.5, 0.3]), np.array([1.0, 0.0]))
    assert terms.mean() == pytest.approx(0.852941, abs=1e-6)
    assert terms == pytest.approx([0.852941 - 0.019031, 0.852941 + 0.019031], abs=1e-6)
    outcomes = np.array([1.0, 0.0])
    assert np.isnan(proper.skill_terms(np.array([0.8, 0.2]), outcomes, outcomes)).all()


def test_the_base_rate_counts_what_had_resolved_when_asked():
    """Asked at 0, 10 and 25, resolved at 10, 20 and 30: none, the first yes, then a yes and a no had resolved."""
    base_rate = proper.base_rate_known(np.array([1.0, 0.0, 1.0]), np.array([0, 10, 25]), np.array([10, 20, 30]))
    assert base_rate == pytest.approx([15 / 30, 16 / 31, 16 / 32])


def test_reliability_by_hand():
    """.2 no, .4 yes, .6 no, .8 yes: isotonic 0, .5, .5, 1, so recalibrated Brier .125; equal forecasts count alike.

    Brier (.04 + .36 + .36 + .04) / 4 = .2, uncertainty .25: miscalibration .075, discrimination .125.
    """
    parts = proper.reliability(np.array([0.6, 0.2, 0.8, 0.4]), np.array([0, 0, 1, 1]))
    assert parts.frequencies == pytest.approx([0, 0.5, 0.5, 1])
    values = (parts.brier, parts.miscalibration, parts.discrimination, parts.uncertainty)
    assert values == pytest.approx((0.2, 0.075, 0.125, 0.25))
    assert proper.reliability(np.full(4, 0.3), np.array([1, 0, 0, 0])).frequencies == pytest.approx([0.25] * 4)


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=40))
def test_reliability_adds_up_and_never_falls(forecasts):
    parts = proper.reliability(np.array([p for p, _ in forecasts]), np.array([float(yes) for _, yes in forecasts]))
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(parts.brier)
    assert (np.diff(parts.frequencies) >= -1e-12).all()
    assert min(parts.miscalibration, parts.discrimination) >= -1e-12


def weights_of(*models: str, weeks: int, seed: int = 1) -> list[float]:
    """The weights of planted models beside eight embedded engines that see a signal, after weeks of 20 questions."""
    generator = np.random.default_rng(seed)
    n = 20 * weeks
    truth = generator.normal(0, 1.2, n)  # log-odds
    signal = truth + generator.normal(0, 1.0, n)
    outcomes = (generator.random(n) < expit(truth)).astype(float)
    noise = np.random.default_rng(seed + 100).normal(size=n)
    odds = {"better": truth, "worse": signal + 1.5 * noise, "copy": signal, "undecided": np.zeros(n)}
    votes = [signal + generator.normal(0, 0.1, n) for _ in range(8)] + [odds[model] for model in models]
    moves = np.arange(8 + len(models)) >= 8
    weights, _ = proper.aggregate(moves, expit(np.column_stack(votes)), outcomes, np.repeat(np.arange(weeks), 20))
    assert weights[:8].tolist() == [1] * 8, "no embedded engine moves"
    return weights[8:].tolist()


def test_a_better_model_gains_and_a_worse_one_loses():
    """After half a year, within bounds; one that always says 50% loses as well. A week moves less than a third.

    A model and its copy share the gain: both move alike, and each less than the model alone.
    """
    gain, loss, half = (weights_of(name, weeks=26)[0] for name in ("better", "worse", "undecided"))
    assert 1.5 < gain <= proper.HEAVIEST
    assert proper.LIGHTEST <= loss < 0.6
    assert half < 0.8
    assert weights_of("better", weeks=1) == pytest.approx([1], abs=0.33)
    first, second = weights_of("better", "better", weeks=8)
    assert first == pytest.approx(second)
    assert 1 < first < weights_of("better", weeks=8)[0]


def test_a_copy_of_the_others_stays_where_it_is():
    """It lacks what they lack: over ten worlds its weight is near 1, with little to gain or to lose."""
    weights = [weights_of("copy", weeks=26, seed=seed)[0] for seed in range(10)]
    assert np.median(weights) == pytest.approx(1, abs=0.35)


def test_the_questions_of_a_week_count_once():
    """The same answers to the same outcomes, in one week or in ten: dependent ones prove less."""
    p, outcomes = np.tile([[0.5, 0.9]], (40, 1)), np.ones(40)
    weights = [proper.aggregate(SECOND, p, outcomes, weeks)[0][1] for weeks in (np.zeros(40), np.arange(40) // 4)]
    assert 1 < weights[0] < weights[1]


def test_a_weight_by_hand():
    """One question: m = .7, gain .09 - .01 = .08; prior 4 * .02^2 = .0016. One that was silent neither gains nor loses.

    eta = .5 / sqrt(.0016 + .0064) = 5.590170; exp(5.590170 * .08 - 5.590170^2 * .0064) = 1.2805.
    """
    weights, pool = proper.aggregate(SECOND, np.array([[0.5, 0.9]]), np.array([1.0]), np.array([0]))
    assert pool.tolist() == [0.7]
    assert weights[1] == pytest.approx(np.exp(5.590170 * 0.08 - 5.590170**2 * 0.0064), rel=1e-6)
    p = np.array([[0.5, np.nan], [0.6, np.nan]])
    weights, pool = proper.aggregate(SECOND, p, np.array([1.0, 0.0]), np.array([0, 1]))
    assert (weights.tolist(), pool.tolist()) == ([1, 1], [0.5, 0.6])
