"""The record of the voters: weights, and the evidence behind them, by horizons."""

from __future__ import annotations

import json

import numpy as np
import pytest

from service.forecasting.voters.ballots import EMBEDDED
from service.forecasting.voters.track_record import (
    Band,
    Resolved,
    ResolvedVote,
    TrackRecord,
    band_of,
    build,
    measure,
)
from service.market.instants import DAY

MODEL = "provider:model"


def resolved(happened: bool, *votes: tuple[str, str, float], band: Band = "week", day: int = 0) -> Resolved:
    cast = tuple(ResolvedVote(*vote) for vote in votes)
    return Resolved(band, day * DAY, (day + 1) * DAY, happened, cast)


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
    by_day = [question for day in days for question in questions if question.resolved_at // DAY == day]
    stored = [Resolved.from_plain(json.loads(json.dumps(question.to_plain()))) for question in by_day]
    assert build(stored, 7) == build(questions, 7)
    assert build([], 7) == TrackRecord(7)


@pytest.mark.parametrize(
    ("comparator", "hours", "band"),
    [
        ("up", 0.25, "day"),
        ("touch_above", 24.001, "day"),
        ("range", 25.0, "week"),
        ("close_below", 168.0, "week"),
        ("between", 169.0, "longer"),
        ("topic", 3.0, "topic"),
    ],
)
def test_a_question_belongs_to_the_band_of_its_horizon(asking, comparator, hours, band):
    """Whatever its kind, except for what no price decides."""
    assert band_of(asking(comparator, hours=hours)) == band


def test_who_did_not_vote_is_not_counted():
    rows = [
        resolved(True, ("vol", EMBEDDED, 0.25), ("trend", EMBEDDED, 0.5)),
        resolved(False, ("trend", EMBEDDED, 0.75)),
    ]
    assert [(each.voter, each.n) for each in measure(rows).standings] == [("trend", 2), ("vol", 1)]
