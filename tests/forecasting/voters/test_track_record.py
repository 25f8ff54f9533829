"""The pool of the votes, the weights of the voters and the evidence behind them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.voters.ballots import EMBEDDED, Ballot, Forecast
from service.forecasting.voters.context import PastQuestion, similar
from service.forecasting.voters.panel import pool
from service.forecasting.voters.track_record import (
    BandRecord,
    Resolved,
    ResolvedVote,
    Standing,
    TrackRecord,
    band_of,
    build,
    measure,
)
from service.market.instants import DAY

NOTHING = BandRecord()
MODEL = "provider:model"
PAST = PastQuestion("touch_above", negated=False, horizon_hours=72.0, base=0.30, is_yes=True)
OTHERS = {
    "another comparator": replace(PAST, comparator="touch_below"),
    "its opposite": replace(PAST, negated=True),
    "a base rate 11 points away": replace(PAST, base=0.41),
    "a horizon over three times as long": replace(PAST, horizon_hours=217.0),
    "a horizon under a third": replace(PAST, horizon_hours=23.9),
}


def ballots(*probabilities: float) -> list[Ballot]:
    return [Ballot(f"v{place}", EMBEDDED, Forecast(p, "because")) for place, p in enumerate(probabilities)]


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9))
def test_the_pool_lies_between_its_voters(probabilities):
    result = pool(ballots(*probabilities), NOTHING)
    assert min(probabilities) - 1e-12 <= result.p <= max(probabilities) + 1e-12
    assert (result.p, set(result.weights)) == (pytest.approx(np.mean(probabilities)), {1.0}), "equal votes: their mean"


def weighed(votes: list[tuple[float, float]]) -> BandRecord:
    """A record with the weights that come second."""
    return BandRecord(tuple(Standing(f"v{place}", EMBEDDED, 9, 2, weight) for place, (_, weight) in enumerate(votes)))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.25, 3)), min_size=1, max_size=9))
def test_exclusive_answers_add_up(votes):
    """Whatever the weights: an event and its opposite, and the parts of an event."""
    record, chances = weighed(votes), [p for p, _ in votes]
    forth, back = pool(ballots(*chances), record).p, pool(ballots(*[1 - p for p in chances]), record).p
    assert forth + back == pytest.approx(1, abs=1e-12)
    third, rest = (pool(ballots(*[share * p for p in chances]), record).p for share in (1 / 3, 2 / 3))
    assert third + rest == pytest.approx(forth, abs=1e-12)


@pytest.mark.parametrize(("voter", "engine"), [("v0", "openai:other"), ("elsewhere", "openai:x")])
def test_another_engine_begins_with_an_average_weight(voter, engine):
    record = BandRecord((Standing(voter, engine, 60, 20, 2.5),))
    vote = Ballot("v0", "openai:x", Forecast(0.9, "because"))
    assert pool([vote, *ballots(0.5)], record).weights == (1.0, 1.0)


def test_the_views_of_the_price_are_pooled_alike():
    """(2 * .7 + .5) / 3 = .6333; a vote without a view does not count."""
    record = BandRecord((Standing("a", "openai:x", 60, 20, 2.0),))
    views = [("a", "openai:x", 0.7), ("b", EMBEDDED, 0.5), ("c", EMBEDDED, None)]
    votes = [Ballot(voter, engine, Forecast(0.9, "because", p_up=view)) for voter, engine, view in views]
    assert (pool(votes, record).p_up, pool(votes[2:], record).p_up) == (pytest.approx(1.9 / 3), None)


def of_model(voter: str, p: float) -> Ballot:
    return Ballot(voter, MODEL, Forecast(p, "because", prompt=f"{voter}/1"))


BRAINS = [Ballot(voter, EMBEDDED, Forecast(p, "because")) for voter, p in (("vol", 0.5), ("garch", 0.52), ("sv", 0.49))]
MODELS = [of_model(voter, p) for voter, p in (("momentum", 0.6), ("trend", 0.65), ("regime", 0.7))]


def test_an_outlying_model_has_a_third_of_its_weight():
    """The others' log-odds 0, .08, -.04 and 0 deviate by .02 in the median; ln 99 is 4.6. 2.34 / (4 + 1 / 3) = .54."""
    result = pool([*BRAINS, of_model("trend", 0.5), of_model("news", 0.99)], NOTHING)
    assert result.outliers == ("news",)
    assert result.weights == pytest.approx((1, 1, 1, 1, 1 / 3))
    assert result.p == pytest.approx(0.54)


@pytest.mark.parametrize(
    "ballots",
    [
        pytest.param([*BRAINS, of_model("trend", 0.5), of_model("news", 0.69)], id="within 20 points of the base rate"),
        pytest.param([*BRAINS, *MODELS, of_model("news", 0.72)], id="near enough to the others"),
        pytest.param([*BRAINS[1:], of_model("trend", 0.5), of_model("news", 0.99)], id="without a base rate"),
        pytest.param([*BRAINS, Ballot("news", EMBEDDED, Forecast(0.99, "because"))], id="an engine of ours"),
    ],
)
def test_a_mere_difference_is_no_outlier(ballots):
    assert pool(ballots, NOTHING).outliers == ()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.25, 3)), min_size=1, max_size=9))
def test_without_a_voter_the_others_are_pooled(votes):
    """Without the only one the pool is even."""
    record, cast = weighed(votes), ballots(*[p for p, _ in votes])
    rests = [[other for other in cast if other is not left_out] for left_out in cast]
    assert pool(cast, record).without == pytest.approx([pool(rest, record).p if rest else 0.5 for rest in rests])


def resolved(outcome: bool, *votes: tuple[str, str, float], band: str = "week", day: int = 0) -> Resolved:
    return Resolved(band, day * DAY, (day + 1) * DAY, outcome, tuple(ResolvedVote(*vote) for vote in votes))


def test_the_evidence_stands_beside_the_weight():
    """Ten weeks in which the model says 90% and is right, the pool .7: the gain is .09 - .01."""
    rows = [resolved(True, ("vol", EMBEDDED, 0.5), ("news", MODEL, 0.9), day=7 * week) for week in range(10)]
    standing = build(rows, 0).of_band("week").find("news", MODEL)
    assert (standing.n, standing.weeks) == (10, 10)
    assert standing.weight > 1.5
    assert 0 < standing.gain <= 0.09 - 0.01


def test_horizons_and_engines_have_records_of_their_own():
    """Who did not vote is not counted."""
    record = build([resolved(True, ("a", MODEL, 0.6), band=band) for band in ("day", "topic")], 100)
    assert set(record.bands) == {"day", "topic"}
    assert record.of_band("longer").weight_of("a", MODEL) == 1.0
    assert record.as_of == 100
    questions = [resolved(True, ("news", EMBEDDED, 0.9)), resolved(True, ("news", MODEL, 0.2))]
    standings = build(questions, 0).of_band("week").standings
    assert [(standing.engine, standing.n) for standing in standings] == [(EMBEDDED, 1), (MODEL, 1)]
    first = resolved(True, ("vol", EMBEDDED, 0.25), ("trend", EMBEDDED, 0.5))
    standings = measure([first, resolved(False, ("trend", EMBEDDED, 0.75))]).standings
    assert [(standing.voter, standing.n) for standing in standings] == [("trend", 2), ("vol", 1)]


def test_a_record_survives_json_without_loss():
    """One of an earlier version is empty: it had classes of questions instead of bands of horizons."""
    rows = [resolved(day % 3 > 0, ("vol", EMBEDDED, 0.6), ("news", MODEL, 0.4), day=day) for day in range(40)]
    record = build(rows, 1000)
    assert TrackRecord.from_plain(json.loads(json.dumps(record.to_plain(), allow_nan=False))) == record
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
    copies = [Resolved.from_plain(json.loads(json.dumps(question.to_plain()))) for question in by_day]
    assert build(copies, 7) == build(questions, 7)
    assert build([], 7) == TrackRecord(7)


@pytest.mark.parametrize(
    ("comparator", "hours", "band"),
    [
        *(("up", 0.25, "day"), ("touch_above", 24.001, "day"), ("range", 25.0, "week"), ("close_below", 168.0, "week")),
        *(("between", 169.0, "longer"), ("topic", 3.0, "topic")),
    ],
)
def test_a_question_belongs_to_the_band_of_its_horizon(query, comparator, hours, band):
    """Whatever its kind, except for what no price decides."""
    assert band_of(query(comparator, hours=hours)) == band


def test_the_rate_counts_questions_that_came_true(query):
    """Seven of ten, with base rates and horizons at the ends of what counts as similar; fewer than ten give no rate."""
    matches = [replace(PAST, base=base, horizon_hours=hours) for base in (0.21, 0.39) for hours in (24.0, 216.0)]
    past, question = [*matches, *[PAST] * 3, *[replace(PAST, is_yes=False)] * 3], query("touch_above", at=1.03)
    assert sorted(similar(question, 0.30, past)) == [False] * 3 + [True] * 7
    assert (similar(question, 0.30, [PAST] * 9), similar(question, 0.30, [PAST] * 10)) == ([], [True] * 10)


@pytest.mark.parametrize("past", OTHERS.values(), ids=OTHERS)
def test_a_question_that_differs_does_not_count(query, past):
    assert similar(query("touch_above", at=1.03), 0.30, [PAST] * 9 + [past]) == []
