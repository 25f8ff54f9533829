"""The skill of each voter by hand, and the calibration of the pool."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from service.forecasting.voters.track_record import (
    Resolved,
    ResolvedVote,
    TrackRecord,
    build,
    class_of,
    error_correlation,
    fit_pool,
    pooled_log_odds,
)


def resolved(happened: bool, *votes: tuple[str, float], comparator="close_above", day: int = 0, engine="embedded"):
    return Resolved(
        comparator=comparator,
        asked_at=day * 86400,
        horizon_hours=24.0,
        happened=happened,
        votes=tuple(ResolvedVote(name, engine, p, 1.0) for name, p in votes),
    )


def test_direction_and_events_are_kept_apart():
    assert [class_of(each) for each in ("up", "down", "relative", "open")] == ["direction"] * 4
    assert {class_of(each) for each in ("close_above", "touch_below", "between")} == {"event"}
    record = build([resolved(True, ("vol", 0.6), comparator="up"), resolved(True, ("vol", 0.9))], 100)
    assert [skill.brier for skill in record.of("down").standings] == pytest.approx([0.16])
    assert [skill.brier for skill in record.of("between").standings] == pytest.approx([0.01])


def test_a_skill_by_hand():
    """Yes at .9 and .5, no at .4 and .2: Brier (.01 + .16)/2 = .085 and (.25 + .04)/2 = .145.

    Against the mean of each question, (.01 - .13) and (.16 - .10): difference (-.12 + .06)/2 = -.03.
    """
    record = build([resolved(True, ("a", 0.9), ("b", 0.5)), resolved(False, ("a", 0.4), ("b", 0.2), day=1)], 7)
    first, second = record.event.standings
    assert (first.voter, first.n, first.brier, first.difference) == ("a", 2, pytest.approx(0.085), pytest.approx(-0.03))
    assert (second.voter, second.n, second.brier, second.difference) == (
        "b",
        2,
        pytest.approx(0.145),
        pytest.approx(0.03),
    )
    assert first.n_eff == 2
    assert record.as_of == 7


def test_a_voter_is_compared_only_where_it_voted():
    record = build([resolved(True, ("a", 0.9), ("b", 0.5)), resolved(False, ("a", 0.4), day=1)], 0)
    assert {skill.voter: skill.n for skill in record.event.standings} == {"a": 2, "b": 1}
    assert record.event.standings[0].difference == pytest.approx((0.01 - 0.13 + 0) / 2)


def test_another_engine_in_a_seat_has_a_record_of_its_own():
    questions = [resolved(True, ("news", 0.9)), resolved(True, ("news", 0.2), engine="openai:x")]
    standings = build(questions, 0).event.standings
    assert [(skill.engine, skill.n) for skill in standings] == [("embedded", 1), ("openai:x", 1)]


def test_hourly_questions_about_a_day_are_worth_a_24th():
    questions = [resolved(True, ("a", 0.5)) for _ in range(48)]
    hourly = [Resolved(q.comparator, place * 3600, 24.0, True, q.votes) for place, q in enumerate(questions)]
    assert build(hourly, 0).event.standings[0].n_eff == pytest.approx(2.0)


def test_an_empty_record_changes_nothing():
    record = build([], 5)
    assert record.event == TrackRecord().event
    assert (record.event.calibration.shift, record.event.calibration.stretch) == (0, 1)
    assert record.event.calibration.correlation == 0.89


def many(n: int, comparator: str = "close_above") -> list[Resolved]:
    """Voters that are right but twice too timid in log-odds, a day apart."""
    generator = np.random.default_rng(9)
    questions = []
    for day in range(n):
        odds = generator.normal(0, 1.5)
        happened = generator.random() < 1 / (1 + np.exp(-2 * odds))
        noisy = [(name, float(1 / (1 + np.exp(-odds - generator.normal(0, 0.1))))) for name in "abc"]
        questions.append(resolved(bool(happened), *noisy, comparator=comparator, day=day))
    return questions


def test_calibration_needs_thirty_independent_questions():
    assert build(many(29), 0).event.calibration.stretch == 1
    assert build(many(30), 0).event.calibration.stretch != 1


def test_a_timid_pool_is_stretched_within_the_prior():
    calibration = build(many(200), 0).event.calibration
    assert 1.1 < calibration.stretch < 1.6
    assert calibration.shift != 0
    assert calibration.correlation > 0.9


def test_overlapping_questions_stretch_the_pool_less():
    """200 questions a day apart prove more than the same answers to 200 that overlap, worth 33."""
    apart = many(200)
    overlapping = [replace(question, horizon_hours=144.0) for question in apart]
    assert build(overlapping, 0).event.calibration.n_eff == pytest.approx(200 / 6)
    assert 1 < build(overlapping, 0).event.calibration.stretch < build(apart, 0).event.calibration.stretch


def test_direction_never_gets_a_shift():
    calibration = build(many(200, "up"), 0).direction.calibration
    assert calibration.shift == 0
    assert calibration.stretch > 1.1


@pytest.mark.parametrize("has_shift", [True, False])
def test_the_calibration_is_the_maximum_a_posteriori(has_shift):
    """The same minimum by an independent optimiser: b ~ N(1, .15^2), a ~ N(0, .25^2)."""
    generator = np.random.default_rng(10)
    x = generator.normal(0, 1, 80)
    happened = (generator.random(80) < 0.6).astype(float)

    def cost(coefficients):
        odds = coefficients[0] * has_shift + coefficients[1] * x
        likelihood = 0.5 * np.sum(np.logaddexp(0, odds) - happened * odds)
        return likelihood + (coefficients[0] / 0.25) ** 2 / 2 + ((coefficients[1] - 1) / 0.15) ** 2 / 2

    expected = minimize(cost, [0.0, 1.0], tol=1e-12).x
    assert fit_pool(x, happened, 0.5, has_shift=has_shift) == pytest.approx(tuple(expected), abs=1e-5)


def test_pooled_log_odds_by_hand():
    """(2 ln 4 + 1 ln 1) / 3 = .924196; certainty counts as 99%; an absent voter does not count."""
    assert pooled_log_odds(np.array([0.8, 0.5]), np.array([2.0, 1.0])) == pytest.approx(0.924196, abs=1e-6)
    assert pooled_log_odds(np.array([1.0, np.nan]), np.array([1.0, 5.0])) == pytest.approx(np.log(99))


def test_the_correlation_of_errors_is_the_mean_over_pairs():
    generator = np.random.default_rng(11)
    happened = (generator.random(400) < 0.5).astype(float)
    p = np.clip(0.5 + generator.normal(0, 0.1, (400, 3)), 0, 1)
    errors = happened[:, None] - p
    expected = np.corrcoef(errors.T)[np.triu_indices(3, 1)].mean()
    assert error_correlation(p, happened) == pytest.approx(expected)
    assert error_correlation(p[:20], happened[:20]) == 0.89


def test_a_record_survives_json_without_loss():
    record = build(many(40) + many(12, "up"), 1000)
    assert TrackRecord.from_plain(json.loads(json.dumps(record.to_plain(), allow_nan=False))) == record
