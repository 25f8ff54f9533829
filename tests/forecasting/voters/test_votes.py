"""Published numbers add up and follow from each other; sentences of reasons are read back as data without loss."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from service.forecasting.densities.models import MODELS
from service.forecasting.voters.ballots import EMBEDDED, Ballot, Forecast, PanelResult, Reason, reasons_of, sentence
from service.forecasting.voters.panel import PLAIN, pool
from service.forecasting.voters.track_record import BandRecord, Standing
from service.forecasting.voters.votes import (
    Answer,
    WeightEvidence,
    closures,
    direction_of,
    margin_of,
    publish,
    strength_of,
    understood,
    vote,
)
from service.questions.question import Question
from tests.forecasting.made import meaning_of

DEADLINE = datetime(2025, 3, 1, 23, 59, 59, tzinfo=UTC)
QUESTION = Question(
    "Will btc close above 100k on 1 March?", "btc", "close_above", DEADLINE, 72.0, 96_000.0, "bull", level=100_000.0
)
MOVE = "From a GARCH process: one sigma until the deadline is 6.7% for btc (by its 180 days 6.4%)."
DISTANCE = "60,000 is -20.1% away, -2.7 sigma."
CLOSURE = "The market of gold is closed until the deadline, so the price stays at 2,989.88."
TOUCH = "eth is at 4,001, so 4,000 has already been reached."
EXPECTED_MOVE = Reason("expected_move", "a GARCH process", "btc", {"sigma_pct": 6.7, "usual_sigma_pct": 6.4})


def result_of(*probabilities: float, question: Question = QUESTION, ups: Sequence[float | None] = ()) -> PanelResult:
    """A result of votes with these P(YES), and P(higher) in `ups`, 50% where none is named."""
    views = [*ups, *[0.5] * (len(probabilities) - len(ups))]
    ballots = tuple(
        Ballot(f"v{place}", EMBEDDED, Forecast(p, "because", p_up=up), 1.23456)
        for place, (p, up) in enumerate(zip(probabilities, views, strict=True))
    )
    return PanelResult(question, 1_740_600_000, 1_740_596_400, ballots, {"x": "late"}, pool(ballots, BandRecord()))


def answer_of(result: PanelResult, record: BandRecord = BandRecord()) -> Answer:  # noqa: B008
    return publish(result, meaning_of(result.question), record, id="a1", world="replay")


def published(*probabilities: float, ups: Sequence[float | None] = (), **fields) -> Answer:
    return answer_of(result_of(*probabilities, question=replace(QUESTION, **fields), ups=ups))


@pytest.mark.parametrize(
    ("asked_at", "last_bar", "deadline", "note"),
    [
        ("28T10:00", "27T19:00", "28T23:59", "after the deadline, so until then its price stays"),
        ("28T10:00", "27T19:00", "30T23:59", "opens at 2026-11-29 23:00 UTC."),
        ("28T10:00", "28T10:00", "28T23:59", None),  # a token of gold
        ("27T10:00", "27T10:00", "27T23:59", None),  # a short session
    ],
)
def test_an_answer_during_a_closure_names_the_next_opening(asked_at, last_bar, deadline, note):
    """In November 2026, with what it means for the question, unless the source trades on."""
    texts = (asked_at, last_bar, deadline)
    times = [datetime.fromisoformat(f"2026-11-{text}").replace(tzinfo=UTC) for text in texts]
    now, as_of = (int(time.timestamp()) for time in times[:2])
    question = replace(QUESTION, asset="gold", deadline=times[2])
    assert [note in text for _, text in closures(question, now, as_of)] == ([True] if note else [])
    result = replace(result_of(0.5, question=question), asked_at=now, as_of=as_of)
    assert answer_of(result).closed_until == (datetime(2026, 11, 29, 23, tzinfo=UTC) if note else None)


@given(st.lists(st.floats(0.005, 0.995), min_size=1, max_size=9))
def test_bull_and_bear_add_up_to_100_and_are_the_price_s(ups):
    """They follow from P(higher), whatever the question asks."""
    answer = published(*[0.03] * len(ups), ups=ups)
    consensus = answer.consensus
    assert round(consensus.bull_probability + consensus.bear_probability, 10) == 100
    assert consensus.bull_probability == pytest.approx(100 * sum(ups) / len(ups), abs=0.051)
    assert answer.p_yes == 0.03


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_conviction_follows_from_the_answer_and_direction_from_the_view(p, up):
    row = published(p, ups=[up]).votes["v0"]
    assert 0 <= row.conviction <= 100
    assert row.conviction == pytest.approx(2 * abs(100 * row.p_yes - 50))
    assert row.direction == direction_of(round(100 * min(0.999, max(0.001, up)), 1))


def test_where_no_price_decides_the_direction_is_that_of_yes():
    """A question without a criterion has no P(YES)."""
    consensus = published(0.8, ups=[None], comparator="topic", polarity="none", level=None).consensus
    assert (consensus.bull_probability, consensus.direction) == (80.0, "BULLISH")
    answer = published(0.6, ups=[0.6], comparator="open", level=None)
    assert answer.p_yes is answer.votes["v0"].p_yes is None
    assert answer.consensus.bull_probability == 60.0


def test_neutral_is_within_three_points_of_even():
    directions = ["BEARISH", "NEUTRAL", "NEUTRAL", "NEUTRAL", "BULLISH"]
    assert [direction_of(bull) for bull in (47.0, 47.1, 50.0, 52.9, 53.0)] == directions
    assert [margin_of(bull) for bull in (50.0, 0.0, 100.0, 61.2)] == [0, 100, 100, 22.4]


@pytest.mark.parametrize(
    ("bull", "agreement", "voters", "strength"),
    [
        *((57.4, 100, 9, "WEAK"), (57.5, 100, 9, "MODERATE")),  # margins 14.8 and 15
        *((30.1, 100, 9, "MODERATE"), (30.0, 100, 9, "STRONG")),  # margins 39.8 and 40
        *((30.0, 59.9, 9, "MODERATE"), (30.0, 60, 9, "STRONG"), (30.0, 100, 4, "MODERATE")),
        *((57.5, 59.9, 4, "WEAK"), (57.4, 100, 4, "WEAK"), (10.0, 49.9, 9, "DIVIDED"), (50.0, 100, 9, "WEAK")),
    ],
)
def test_strength_follows_margin_agreement_and_number(bull, agreement, voters, strength):
    assert strength_of(bull, agreement, voters) == strength


def test_agreement_is_the_share_that_takes_the_direction():
    """Five see a rise at 80%, four at 45%: bullish, and 5 of 9 agree. Opposite camps are divided."""
    consensus = published(*[0.5] * 9, ups=[0.8] * 5 + [0.45] * 4).consensus
    assert (consensus.direction, consensus.agreement_pct, consensus.oracles_count) == ("BULLISH", 55.6, 9)
    assert consensus.strength == "WEAK"
    assert published(*[0.5] * 5, ups=[0.95, 0.95, 0.2, 0.2, 0.2]).consensus.strength == "DIVIDED"
    assert published(0.9, ups=[None]).consensus.direction == "NEUTRAL", "votes of earlier versions have no view"


@pytest.mark.parametrize(
    ("votes", "pivotal"),
    [
        ((0.9, 0.4, 0.4), ("v0",)),  # .57; without the .9 it is .4
        ((0.8,) * 9, ()),
        ((0.45, 0.45, 0.5), ()),  # nobody is on the other side
        ((0.8,), ()),  # without it there is no answer
    ],
)
def test_a_pivotal_voter_decides_the_likelier_answer(votes, pivotal):
    assert published(*votes).consensus.pivotal == pivotal


def test_the_answer_has_the_fields_of_the_contract():
    """Pydantic writes and reads it without a mapping layer, times in UTC with Z."""
    answer = published(0.6, 0.7)
    names = "answer p_yes closed_until id question understood asked_at as_of world consensus votes abstained"
    assert list(asdict(answer)) == [*names.split(), "price_forecast", "cached"]
    assert understood(replace(QUESTION, horizon_hours=24 - 1 / 3600)).horizon_hours == 24.0
    assert (answer.abstained, answer.understood.level, answer.votes["v1"].latency_ms) == ({"x": "late"}, 100_000, 1.2)
    adapter = TypeAdapter(Answer)
    text = adapter.dump_json(answer)
    assert (json.loads(text)["asked_at"], json.loads(text)["as_of"]) == ("2025-02-26T20:00:00Z", "2025-02-26T19:00:00Z")
    assert adapter.validate_json(text) == answer


@pytest.mark.parametrize(
    ("p", "words"),
    [
        *((0.9912, "Almost certain: 99.1%"), (0.93, "Very likely: 93%"), (0.71, "Likely: 71%")),
        *(
            (0.6, "More likely than not: 60%"),
            (0.5, "About as likely as not: 50%"),
            (0.38, "Less likely than not: 38%"),
        ),
        *((0.16, "Unlikely: 16%"), (0.04, "Very unlikely: 4%"), (0.0, "Almost impossible: 0.1%")),
    ],
)
def test_the_answer_in_words_says_how_likely_yes_is(p, words):
    """Whole percent, one decimal near 0 and 100%; never certain."""
    assert published(p).answer == words


def test_a_model_shows_the_evidence_of_its_weight():
    """Embedded engines have none: their weight is 1. A streamed vote is the published one but for its weight."""
    record = BandRecord((Standing("v0", "provider:model", 40, 9, 1.7, 0.01, 0.002, 0.018),))
    engines = {"v0": "provider:model", "v1": EMBEDDED}
    ballots = tuple(Ballot(voter, engine, Forecast(0.6, "because")) for voter, engine in engines.items())
    votes = answer_of(replace(result_of(0.5), ballots=ballots, pool=pool(ballots, record)), record).votes
    assert votes["v0"].evidence == WeightEvidence(40, 9, 0.01, 0.002, 0.018)
    assert (votes["v0"].weight, votes["v1"].weight, votes["v1"].evidence) == (1.7, 1.0, None)
    assert vote(QUESTION, ballots[1]) == votes["v1"]


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (f"{MOVE} {DISTANCE}", (EXPECTED_MOVE, ("distance", None, {"level": 6e4, "level_pct": -20.1, "sigmas": -2.7}))),
        ("0.25 is +0.0% away.", [("distance", None, {"level": 0.25, "level_pct": 0})]),
        ("The correlation of hourly returns is -0.31.", [("correlation", None, {"correlation": -0.31})]),
        (CLOSURE, [("closed", "gold", {"price": 2989.88})]),
        ("bnb is already at 308.38; the level is 600.", [("reached", "bnb", {"price": 308.38, "level": 600})]),
        (TOUCH, [("reached", "eth", {"price": 4001, "level": 4000})]),
        *(("Momentum is up.", ()), (f"{MOVE} I think it will rise.", ()), ("", ())),
    ],
)
def test_sentences_say_the_same_as_their_data(text, reasons):
    """Of a language model's free text nothing is read, not even a sentence that looks like one of ours."""
    expected = [row if isinstance(row, Reason) else Reason(row[0], None, *row[1:]) for row in reasons]
    assert [*reasons_of(text)] == expected


@pytest.mark.parametrize("driver", [*(model.basis for model in MODELS.values()), PLAIN])
def test_every_driver_can_be_read_back(driver):
    text = sentence("expected_move", driver=driver, asset="btc", sigma_pct="6.7", usual_sigma_pct="6.4")
    assert [reason.driver for reason in reasons_of(text)] == [driver]
