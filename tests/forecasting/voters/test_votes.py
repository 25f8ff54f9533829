"""Published numbers add up and follow from each other."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from service.forecasting.voters.ballots import Ballot, Forecast, PanelResult
from service.forecasting.voters.consensus import pool
from service.forecasting.voters.track_record import ClassRecord
from service.forecasting.voters.votes import Answer, direction_of, margin_of, publish, strength_of, understood, vote
from service.questions.question import Question
from tests.forecasting.made import meaning_of

QUESTION = Question(
    text="Will bitcoin close above 100k on 1 March?",
    asset="btc",
    comparator="close_above",
    deadline=datetime(2025, 3, 1, 23, 59, 59, tzinfo=UTC),
    horizon_hours=72.0,
    spot=96000.0,
    polarity="bull",
    level=100000.0,
)
PROBABILITY = st.floats(0.005, 0.995)


def result_of(*probabilities: float, question: Question = QUESTION) -> PanelResult:
    ballots = tuple(
        Ballot(f"v{place}", "embedded", Forecast(p, "because"), 1.23456) for place, p in enumerate(probabilities)
    )
    return PanelResult(question, 1_740_600_000, 1_740_596_400, ballots, {"x": "late"}, pool(ballots, ClassRecord()))


def published(*probabilities: float, **fields) -> Answer:
    result = result_of(*probabilities, question=replace(QUESTION, **fields))
    return publish(result, meaning_of(result.question), id="a1", world="replay")


@given(st.lists(PROBABILITY, min_size=1, max_size=9), st.sampled_from(["bull", "bear"]))
def test_bull_and_bear_add_up_to_100_and_follow_from_p_yes(probabilities, polarity):
    answer = published(*probabilities, polarity=polarity)
    consensus = answer.consensus
    assert round(consensus.bull_probability + consensus.bear_probability, 10) == 100
    yes = consensus.bull_probability if polarity == "bull" else consensus.bear_probability
    assert yes == pytest.approx(100 * answer.p_yes)
    assert round(consensus.bull_probability, 1) == consensus.bull_probability


@given(st.floats(0.01, 0.99))
def test_conviction_and_direction_follow_from_the_published_number(p):
    answer = published(p)
    shown = answer.votes["v0"]
    assert 0 <= shown.conviction <= 100
    assert shown.conviction == pytest.approx(2 * abs(100 * shown.p_yes - 50))
    assert (shown.direction == "NEUTRAL") == (shown.conviction < 6)


def test_neutral_is_within_three_points_of_even():
    assert [direction_of(bull) for bull in (47.0, 47.1, 50.0, 52.9, 53.0)] == [
        "BEARISH",
        "NEUTRAL",
        "NEUTRAL",
        "NEUTRAL",
        "BULLISH",
    ]


def test_yes_to_a_bearish_question_is_bearish():
    """ "Stays below 100k": 70% yes is 30% bull."""
    answer = published(0.7, comparator="close_below", polarity="bear")
    assert answer.p_yes == 0.7
    assert answer.consensus.bull_probability == 30.0
    assert answer.consensus.direction == "BEARISH"


@pytest.mark.parametrize(
    ("bull", "agreement", "voters", "strength"),
    [
        (57.4, 100, 9, "WEAK"),  # margin 14.8
        (57.5, 100, 9, "MODERATE"),  # margin 15
        (30.1, 100, 9, "MODERATE"),  # margin 39.8
        (30.0, 100, 9, "STRONG"),  # margin 40
        (30.0, 59.9, 9, "MODERATE"),
        (30.0, 60, 9, "STRONG"),
        (30.0, 100, 4, "MODERATE"),
        (57.5, 59.9, 4, "WEAK"),
        (57.4, 100, 4, "WEAK"),
        (10.0, 49.9, 9, "DIVIDED"),
        (50.0, 100, 9, "WEAK"),
    ],
)
def test_strength_follows_margin_agreement_and_number(bull, agreement, voters, strength):
    assert strength_of(bull, agreement, voters) == strength


def test_the_margin_is_zero_at_even_odds_and_100_at_certainty():
    assert [margin_of(bull) for bull in (50.0, 0.0, 100.0, 61.2)] == [0, 100, 100, 22.4]


def test_agreement_is_the_share_that_takes_the_side_of_the_consensus():
    """Five at 80%, four at 45%: bullish, and 5 of 9 agree."""
    consensus = published(*[0.8] * 5, *[0.45] * 4).consensus
    assert (consensus.direction, consensus.agreement_pct, consensus.oracles_count) == ("BULLISH", 55.6, 9)
    assert consensus.strength == "WEAK"


def test_opposite_camps_are_divided():
    assert published(0.95, 0.95, 0.2, 0.2, 0.2).consensus.strength == "DIVIDED"


@pytest.mark.parametrize("polarity", ["bull", "bear"])
def test_a_pivotal_voter_decides_the_direction(polarity):
    """.9, .45 and .5 pool to .66; the .9 away the others are NEUTRAL, another away they are not."""
    assert published(0.9, 0.45, 0.5, polarity=polarity).consensus.pivotal == ("v0",)


def test_no_voter_is_pivotal_where_all_agree():
    assert published(*[0.8] * 9).consensus.pivotal == ()


def test_a_voter_that_holds_the_others_back_is_pivotal():
    """Without the .4 the others are BULLISH; with it the consensus is NEUTRAL."""
    consensus = published(0.55, 0.55, 0.4).consensus
    assert (consensus.direction, consensus.pivotal) == ("NEUTRAL", ("v2",))


def test_the_only_voter_is_pivotal_unless_it_is_neutral():
    assert published(0.8).consensus.pivotal == ("v0",)
    assert published(0.5).consensus.pivotal == ()


def test_a_question_without_a_criterion_has_no_p_yes():
    answer = published(0.6, comparator="open", level=None)
    assert answer.p_yes is None
    assert answer.votes["v0"].p_yes is None
    assert answer.consensus.bull_probability == 60.0


def test_the_answer_has_the_fields_of_the_contract():
    answer = published(0.6, 0.7)
    assert list(asdict(answer)) == [
        "answer",
        "p_yes",
        "id",
        "question",
        "understood",
        "asked_at",
        "as_of",
        "world",
        "consensus",
        "votes",
        "abstained",
        "price_forecast",
        "cached",
    ]
    assert answer.abstained == {"x": "late"}
    assert answer.understood.level == 100000.0
    assert answer.as_of < answer.asked_at
    assert answer.votes["v1"].latency_ms == 1.2


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.614, "Yes: 61%"),
        (0.16, "No: 84%"),
        (0.5, "Yes: 50%"),
        (0.495, "No: 50.5%"),
        (0.9912, "Yes: 99.1%"),
        (0.0, "No: 99.9%"),
    ],
)
def test_the_answer_in_words_is_the_likelier_side(p, words):
    """Whole percent, one decimal above 99% and below 51%; never certain."""
    assert published(p).answer == words


def test_the_horizon_is_published_in_hundredths_of_an_hour():
    """Before, a day less a second was 23.999722222222225 hours."""
    meaning = understood(replace(QUESTION, horizon_hours=24 - 1 / 3600))
    assert meaning.horizon_hours == 24.0


def test_the_dataclasses_are_the_json():
    """Pydantic writes and reads the answer without a mapping layer, times in UTC with Z."""
    answer = published(0.6, 0.7)
    adapter = TypeAdapter(Answer)
    written = adapter.dump_json(answer)
    assert json.loads(written)["asked_at"] == "2025-02-26T20:00:00Z"
    assert adapter.validate_json(written) == answer


def test_a_streamed_vote_is_the_published_one():
    """Except for its weight, which is 1 until the consensus is known."""
    result = result_of(0.7)
    assert vote(QUESTION, result.ballots[0]) == publish(result, meaning_of(QUESTION), id="a", world="live").votes["v0"]


@given(st.lists(PROBABILITY, min_size=1, max_size=9))
def test_a_question_without_a_side_is_neutral(probabilities):
    """Bull and bear are even whatever P(YES) is, which stays beside them."""
    answer = published(*probabilities, comparator="move", polarity="none", level=None, level_pct=3.0)
    assert (answer.consensus.direction, answer.consensus.bull_probability) == ("NEUTRAL", 50.0)
    assert {vote.conviction for vote in answer.votes.values()} == {0.0}
    assert answer.p_yes is not None
    assert answer.consensus.pivotal == ()
