"""The weights: equal for embedded engines, moved by evidence alone for language models."""

from __future__ import annotations

import json

import numpy as np
import pytest

from service.forecasting.voters.ballots import EMBEDDED
from service.forecasting.voters.resolved import Band, Resolved, ResolvedColumns, ResolvedVote, columns_of
from service.forecasting.voters.track_record import HEAVIEST, LIGHTEST, TrackRecord, aggregate, build, build_from
from service.market.instants import DAY

MODEL = "provider:model"
WEEK_S = 7 * DAY


def resolved(happened: bool, *votes: tuple[str, str, float], band: Band = "week", day: int = 0) -> Resolved:
    cast = tuple(ResolvedVote(*vote) for vote in votes)
    return Resolved(band, day * DAY, (day + 1) * DAY, happened, cast)


def probability(odds: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-odds))


# What a planted model says of the true log-odds and of what the embedded engines see of them.
PLANTED = {
    "better": lambda truth, seen, noise: probability(truth),
    "worse": lambda truth, seen, noise: probability(seen + 1.5 * noise),
    "copy": lambda truth, seen, noise: probability(seen),
    "undecided": lambda truth, seen, noise: np.full(len(truth), 0.5),
}


def weights_of(*models: str, weeks: int, seed: int = 1) -> list[float]:
    """The weights of planted models beside eight embedded engines, after weeks of 20 questions."""
    generator = np.random.default_rng(seed)
    n = 20 * weeks
    truth = generator.normal(0, 1.2, n)
    seen = truth + generator.normal(0, 1.0, n)
    happened = (generator.random(n) < probability(truth)).astype(float)
    votes = [probability(seen + generator.normal(0, 0.1, n)) for _ in range(8)]
    votes += [PLANTED[model](truth, seen, np.random.default_rng(seed + 100).normal(size=n)) for model in models]
    engines = [
        *[(f"v{place}", EMBEDDED) for place in range(8)],
        *[(f"m{place}", MODEL) for place in range(len(models))],
    ]
    weights, _ = aggregate(engines, np.column_stack(votes), happened, np.repeat(np.arange(weeks), 20))
    assert weights[:8].tolist() == [1] * 8, "no embedded engine moves"
    return weights[8:].tolist()


def test_a_better_model_gains_and_a_worse_one_loses():
    """After half a year, within bounds; a model that always says 50% loses as well."""
    (better,), (worse,), (undecided,) = (weights_of(name, weeks=26) for name in ("better", "worse", "undecided"))
    assert 1.5 < better <= HEAVIEST
    assert LIGHTEST <= worse < 0.6
    assert undecided < 0.8


def test_a_copy_of_the_others_stays_where_it_is():
    """It lacks what they lack: over ten worlds its weight is near 1, with little to gain or to lose."""
    weights = [weights_of("copy", weeks=26, seed=seed)[0] for seed in range(10)]
    assert np.median(weights) == pytest.approx(1, abs=0.35)


def test_a_model_and_its_copy_share_the_gain():
    """Both move alike, and each less than the model alone."""
    (alone,) = weights_of("better", weeks=8)
    first, second = weights_of("better", "better", weeks=8)
    assert first == pytest.approx(second)
    assert 1 < first < alone


def test_weights_move_slowly_at_first():
    """Not before there is evidence: a week moves the weight of a better model less than a third."""
    (week,), (half_a_year,) = weights_of("better", weeks=1), weights_of("better", weeks=26)
    assert week == pytest.approx(1, abs=0.33)
    assert half_a_year > 1.5


def test_the_questions_of_a_week_count_once():
    """The same answers to the same outcomes, in one week or in ten: dependent ones prove less."""
    p, happened = np.tile([[0.5, 0.9]], (40, 1)), np.ones(40)
    engines = [("vol", EMBEDDED), ("news", MODEL)]
    once, apart = (aggregate(engines, p, happened, weeks)[0][1] for weeks in (np.zeros(40), np.arange(40) // 4))
    assert 1 < once < apart


def test_a_model_that_was_silent_neither_gains_nor_loses():
    p = np.array([[0.5, np.nan], [0.6, np.nan]])
    weights, pool = aggregate([("vol", EMBEDDED), ("news", MODEL)], p, np.array([1.0, 0.0]), np.array([0, 1]))
    assert (weights.tolist(), pool.tolist()) == ([1, 1], [0.5, 0.6])


def test_a_weight_by_hand():
    """One question: m = .7, gain .09 - .01 = .08; prior 4 * .02^2 = .0016.

    eta = .5 / sqrt(.0016 + .0064) = 5.590170; exp(5.590170 * .08 - 5.590170^2 * .0064) = 1.2805.
    """
    engines = [("vol", EMBEDDED), ("news", MODEL)]
    weights, pool = aggregate(engines, np.array([[0.5, 0.9]]), np.array([1.0]), np.array([0]))
    assert pool.tolist() == [0.7]
    assert weights[1] == pytest.approx(np.exp(5.590170 * 0.08 - 5.590170**2 * 0.0064), rel=1e-6)


def test_the_evidence_stands_beside_the_weight():
    """Ten weeks in which the model says 90% and is right, the pool .7: the gain is .09 - .01."""
    rows = [resolved(True, ("vol", EMBEDDED, 0.5), ("news", MODEL, 0.9), day=7 * week) for week in range(10)]
    standing = build(rows, 0).of_band("week").find("news", MODEL)
    assert (standing.n, standing.weeks) == (10, 10)
    assert standing.weight > 1.5
    assert 0 < standing.gain <= 0.09 - 0.01


def test_horizons_have_records_of_their_own():
    record = build([resolved(True, ("a", MODEL, 0.6), band=band) for band in ("day", "topic")], 100)
    assert set(record.bands) == {"day", "topic"}
    assert record.of_band("longer").weight_of("a", MODEL) == 1.0
    assert record.as_of == 100


def test_another_engine_in_a_seat_has_a_record_of_its_own():
    questions = [resolved(True, ("news", EMBEDDED, 0.9)), resolved(True, ("news", MODEL, 0.2))]
    standings = build(questions, 0).of_band("week").standings
    assert [(each.engine, each.n) for each in standings] == [(EMBEDDED, 1), (MODEL, 1)]


def test_a_record_survives_json_without_loss():
    rows = [resolved(day % 3 > 0, ("vol", EMBEDDED, 0.6), ("news", MODEL, 0.4), day=day) for day in range(40)]
    record = build(rows, 1000)
    assert TrackRecord.from_plain(json.loads(json.dumps(record.to_plain(), allow_nan=False))) == record


def test_a_record_of_an_earlier_version_is_empty():
    """It had classes of questions instead of bands of horizons."""
    earlier = {"as_of": 7, "direction": {"calibration": {}, "standings": []}, "event": {}}
    assert TrackRecord.from_plain(earlier) == TrackRecord(7)


def test_a_record_from_stored_days_is_the_same_to_the_bit():
    """Days that went through JSON give what all questions at once give, with engines that come and go."""
    generator = np.random.default_rng(3)
    questions = [
        resolved(generator.random() < 0.5, ("a", EMBEDDED, 0.4), ("b", MODEL, generator.random()), day=day)
        for day in range(120)
    ]
    questions += [resolved(True, ("a", EMBEDDED, 0.9), ("new", MODEL, 0.61), day=day) for day in range(130, 140)]
    days = sorted({question.resolved_at // DAY for question in questions})
    parts = [columns_of([question for question in questions if question.resolved_at // DAY == day]) for day in days]
    stored = [ResolvedColumns.from_plain(json.loads(json.dumps(part.to_plain()))) for part in parts]
    assert build_from(stored, 7) == build(questions, 7)
    assert build_from([], 7) == build([], 7) == TrackRecord(7)
