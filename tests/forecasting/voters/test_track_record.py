"""The stacked weight of each voter and the calibration of the pool."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from service.forecasting.voters.consensus import combine
from service.forecasting.voters.resolved import Resolved, ResolvedColumns, ResolvedVote, columns_of
from service.forecasting.voters.track_record import (
    TrackRecord,
    build,
    build_from,
    effective_voters,
    pooled_log_odds,
    stack,
)
from service.market.instants import DAY


def resolved(happened: bool, *votes: tuple[str, float], comparator="close_above", day: int = 0, engine="embedded"):
    return Resolved(
        comparator=comparator,
        asked_at=day * DAY,
        resolved_at=(day + 1) * DAY,
        happened=happened,
        votes=tuple(ResolvedVote(name, engine, p) for name, p in votes),
    )


def test_direction_and_events_are_kept_apart():
    record = build([resolved(True, ("vol", 0.6), comparator="up"), resolved(True, ("trend", 0.9))], 100)
    assert [skill.voter for skill in record.of("down").standings] == ["vol"]
    assert [skill.voter for skill in record.of("between").standings] == ["trend"]
    assert record.as_of == 100


def test_another_engine_in_a_seat_has_a_record_of_its_own():
    questions = [resolved(True, ("news", 0.9)), resolved(True, ("news", 0.2), engine="openai:x")]
    standings = build(questions, 0).event.standings
    assert [(skill.engine, skill.n) for skill in standings] == [("embedded", 1), ("openai:x", 1)]


def test_an_empty_record_changes_nothing():
    record = build([], 5)
    assert record.event == TrackRecord().event
    assert record.event.calibration.stretch == 1
    assert record.event.calibration.effective_voters is None


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
    few, enough = (build(many(n), 0).event.calibration for n in (30, 60))
    assert (few.stretch, few.effective_voters) == (1, None)
    assert few.n_eff < 30
    assert enough.n_eff >= 30
    assert enough.stretch != 1


def test_a_timid_pool_is_stretched_within_the_prior():
    calibration = build(many(200), 0).event.calibration
    assert 1.1 < calibration.stretch < 1.6
    assert 1 < calibration.effective_voters < 1.05, "three voters that differ little"


def test_dependent_questions_stretch_the_pool_less():
    """200 questions prove more than 50 that are each asked four times in a week."""
    apart = many(200)
    repeated = [
        replace(apart[4 * place], resolved_at=(7 * place + day) * DAY) for place in range(50) for day in range(4)
    ]
    once, again = build(apart, 0).event.calibration, build(repeated, 0).event.calibration
    assert again.n_eff == pytest.approx(50, rel=0.1)
    assert again.n_eff < once.n_eff
    assert 1 < again.stretch < once.stretch


def test_a_class_is_stretched_by_its_own_questions():
    record = build(many(200, "up"), 0)
    assert record.direction.calibration.stretch > 1.1
    assert record.event.calibration.stretch == 1


def test_even_odds_stay_even():
    """All outcomes are YES, and the pool of votes of 50% still says 50%: the wording decides what YES is."""
    even = [replace(question, happened=True, votes=_even(question)) for question in many(200)]
    record = build(even, 0).event
    assert combine(np.array([0.5, 0.5]), np.ones(2), record.calibration) == pytest.approx(0.5)


def _even(question: Resolved) -> tuple[ResolvedVote, ...]:
    return tuple(replace(vote, p=0.5) for vote in question.votes)


def test_weights_are_the_maximum_a_posteriori():
    """The same minimum by an independent optimiser, each question counted half; one voter abstains now and then."""
    generator = np.random.default_rng(10)
    odds = generator.normal(0, 1, (90, 3))
    happened = (generator.random(90) < 1 / (1 + np.exp(-1.5 * odds[:, 0]))).astype(float)
    odds[::4, 2] = np.nan
    p = 1 / (1 + np.exp(-odds))
    mean = np.nanmean(p, axis=1)
    apart = np.where(np.isfinite(p), (p - mean[:, None]) / (mean * (1 - mean))[:, None], 0.0)

    def cost(b):
        x = b[0] * np.log(mean / (1 - mean)) + apart @ b[1:]
        likelihood = 0.5 * np.sum(np.logaddexp(0, x) - happened * x)
        return likelihood + ((b[0] - 1) / 0.15) ** 2 / 2 + np.sum((b[1:] / 0.2) ** 2) / 2

    best = minimize(cost, np.array([1.0, 0, 0, 0]), tol=1e-12).x
    voters = np.isfinite(odds).sum() / 90
    stretch, weights = stack(p, happened, 0.5)
    assert stretch == pytest.approx(best[0], abs=1e-5)
    assert weights == pytest.approx(1 + voters * best[1:] / best[0], abs=1e-4)


def test_the_better_voter_weighs_more():
    """`a` knows the odds, `b` adds noise of its own; who says the same as another weighs the same."""
    generator = np.random.default_rng(14)
    rows = []
    for day in range(300):
        odds = generator.normal(0, 1.5)
        noisy = odds + generator.normal(0, 1.0)
        happened = bool(generator.random() < 1 / (1 + np.exp(-odds)))
        sharp, blurred = (float(1 / (1 + np.exp(-x))) for x in (odds, noisy))
        rows.append(resolved(happened, ("a", sharp), ("b", blurred), ("c", blurred), day=day))
    a, b, c = (skill.weight for skill in build(rows, 0).event.standings)
    assert a > 1.5
    assert b == pytest.approx(c)
    assert a + b + c == pytest.approx(3)
    few = [skill.weight for skill in build(rows[:60], 0).event.standings]
    assert 1 < few[0] < a, "less is known"


def test_a_pool_of_its_weights_would_have_scored_better():
    """By the log score, over equal weights with the same calibration."""
    rows = many(200)
    odds = np.array([[np.log(vote.p / (1 - vote.p)) for vote in row.votes] for row in rows])
    odds[:, 2] += np.random.default_rng(15).normal(0, 1, len(rows))
    p = 1 / (1 + np.exp(-odds))
    happened = np.array([float(row.happened) for row in rows])
    stretch, weights = stack(p, happened, 1.0)

    def score(weights):
        pooled = stretch * pooled_log_odds(p, weights)
        return np.mean(np.logaddexp(0, pooled) - happened * pooled)

    assert score(np.tile(weights, (200, 1))) < score(np.ones((200, 3)))


def test_pooled_log_odds_by_hand():
    """(2 * .8 + .5) / 3 = .7, of odds 7/3; a pool is at most 99.9% sure; an absent voter does not count."""
    assert pooled_log_odds(np.array([0.8, 0.5]), np.array([2.0, 1.0])) == pytest.approx(np.log(7 / 3))
    assert pooled_log_odds(np.array([1.0, np.nan]), np.array([1.0, 5.0])) == pytest.approx(np.log(999))


def test_effective_voters_are_the_participation_ratio():
    """The squared sum of the eigenvalues of the residuals' covariance over the sum of their squares."""
    generator = np.random.default_rng(11)
    happened = (generator.random(400) < 0.5).astype(float)
    p = np.clip(0.5 + generator.normal(0, 0.3, (400, 3)), 0, 1)
    values = np.linalg.eigvalsh(np.cov(happened - p.T))
    assert effective_voters(p, happened) == pytest.approx(values.sum() ** 2 / np.square(values).sum())


def test_identical_voters_are_worth_one():
    generator = np.random.default_rng(12)
    happened = (generator.random(40) < 0.5).astype(float)
    assert effective_voters(np.tile(generator.random((40, 1)), 9), happened) == pytest.approx(1)


def test_effective_voters_need_thirty_common_questions():
    """Only voters of the last question count, on questions on which all of them voted."""
    generator = np.random.default_rng(13)
    happened, p = (generator.random(40) < 0.5).astype(float), generator.random((40, 3))
    p[:11, 0] = np.nan
    assert effective_voters(p, happened) is None
    p[-1, 0] = np.nan
    assert effective_voters(p, happened) == pytest.approx(effective_voters(p[:, 1:], happened))


def test_the_newest_voters_are_counted():
    """Questions may come in any order; the engine of the last one asked counts."""
    rows = [resolved(day % 2 == 0, ("a", 0.3 + 0.01 * (day % 9)), ("b", 0.6), day=day) for day in range(80)]
    new = [replace(row, votes=row.votes[:1], asked_at=row.asked_at + 1) for row in rows[-1:]]
    assert build(new + rows, 0).event.calibration.effective_voters == pytest.approx(1)


def test_a_record_survives_json_without_loss():
    record = build(many(40) + many(12, "up"), 1000)
    assert TrackRecord.from_plain(json.loads(json.dumps(record.to_plain(), allow_nan=False))) == record


def test_a_record_of_an_earlier_version_has_no_topics():
    plain = TrackRecord(7).to_plain()
    del plain["topic"]
    assert TrackRecord.from_plain(plain) == TrackRecord(7)


def test_a_record_from_stored_days_is_the_same_to_the_bit():
    """Days that went through JSON give what all questions at once give, with engines that come and go."""
    questions = many(120) + many(40, "up")
    questions += [resolved(True, ("a", 0.9), ("new", 0.61), day=day) for day in range(130, 140)]
    days = sorted({question.resolved_at // DAY for question in questions})
    parts = [columns_of([question for question in questions if question.resolved_at // DAY == day]) for day in days]
    stored = [ResolvedColumns.from_plain(json.loads(json.dumps(part.to_plain()))) for part in parts]
    by_day = sorted(questions, key=lambda question: question.resolved_at // DAY)
    assert build_from(stored, 7) == build(by_day, 7)
    assert build_from([], 7) == build([], 7)
