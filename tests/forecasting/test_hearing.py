"""What the layers of a call are told is what everybody says of the same question at the same instant."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting import consensus
from service.forecasting.apex.hearing import hear, odds_of_up
from service.forecasting.apex.layers import Inputs
from service.forecasting.next_day import up_in_a_day
from service.forecasting.oracle import ask, voters
from service.forecasting.predictions import Odds, PredictionMarket
from service.forecasting.record import ClassRecord, Record, Standing
from service.market.instants import DAY, HOUR, utc
from tests.forecasting.made import NOW
from tests.forecasting.rows import waiting

SKILLED = Record(NOW, direction=ClassRecord(standings=(Standing("logit", "embedded", 200, 200, 0.2, -0.05),)))


def no_time() -> float:
    return 0.0


@pytest.fixture
def heard(contexts, fits):
    """Hears what is said of bitcoin at NOW."""

    def hear_it(*, learnt=fits, record: Record = SKILLED, known=contexts, at: int = NOW, **fields) -> Inputs:
        told = {"news": (0.3, 4), "odds_p": 0.55, "swarm": -0.2} | fields
        return hear("btc", at, known, learnt, record, voters(), timer=no_time, **told)

    return hear_it


def test_the_question_is_whether_it_will_cost_more_in_a_day(contexts):
    question = up_in_a_day(contexts["btc"], NOW)
    assert (question.asset, question.comparator, question.deadline) == ("btc", "up", utc(NOW + DAY))
    assert (question.horizon_hours, question.spot, question.polarity) == (24.0, contexts["btc"].spot, "bull")


def test_seats_and_brains_are_told_apart_and_say_what_they_say_to_the_oracle(heard, contexts, fits):
    verdict = ask(up_in_a_day(contexts["btc"], NOW), NOW, contexts, fits, voters(), SKILLED, quorum=1, timer=no_time)
    found = heard()
    assert list(found.brains) == ["vol", "logit", "forest"]
    assert list(found.seats) == ["momentum", "reversion", "breadth", "regime", "trend", "news"]
    assert {**found.seats, **found.brains} == {ballot.voter: ballot.p for ballot in verdict.ballots}


def test_voters_weigh_what_their_record_of_directions_gives_them(heard):
    """Over those that spoke; `logit`, which has been better, weighs most."""
    expected = consensus.weigh([(voter.name, voter.engine) for voter in voters()], SKILLED.direction)
    found = heard()
    assert list(found.weights.values()) == expected.tolist()
    assert max(found.weights, key=found.weights.get) == "logit"


def test_who_abstains_is_left_out_and_weighs_nothing(heard):
    found = heard(learnt=None)
    assert (found.seats, list(found.brains), list(found.weights)) == ({}, ["vol"], ["vol"])


def test_where_nobody_may_speak_there_are_no_votes(heard, contexts):
    """As when the last bar is older than a day and a half of trading."""
    found = heard(at=NOW + 2 * DAY)
    assert (found.seats, found.brains, found.weights) == ({}, {}, {})
    assert found.context == contexts["btc"]


def test_what_comes_from_outside_is_handed_on(heard):
    found = heard()
    assert (found.news_score, found.news_n, found.odds_p, found.swarm) == (0.3, 4, 0.55, -0.2)


def test_no_stories_are_no_score_rather_than_an_even_one(heard):
    found = heard(news=(0.0, 0))
    assert (found.news_score, found.news_n) == (None, 0)


def priced(
    id: str = "one", p: float = 0.6, *, age_h: float = 0, ends_h: float = 24, **fields
) -> tuple[PredictionMarket, Odds]:
    """A market of bitcoin's rise that was priced so many hours before NOW and ends so many hours after it."""
    opened = int(NOW - age_h * HOUR)
    row = waiting(id, opened=opened, hours=ends_h + age_h, odds=(None, p, None), **fields)
    return row.market, row.odds


def test_the_newest_price_of_a_rise_is_taken():
    given = [priced(p=0.3, age_h=20), priced(p=0.6, age_h=4), priced(p=0.4, age_h=9)]
    assert odds_of_up("btc", NOW, given) == 0.6


def test_of_two_priced_at_once_the_one_that_is_decided_first_is_taken():
    """It is the nearest to a day; which of them is named first plays no part."""
    given = [priced("weekly", p=0.3, ends_h=160), priced("daily", p=0.6, ends_h=30)]
    assert odds_of_up("btc", NOW, given) == odds_of_up("btc", NOW, given[::-1]) == 0.6


@pytest.mark.parametrize(
    "other",
    [
        priced(age_h=25),
        priced(age_h=-1),
        priced(ends_h=0),
        priced(asset="eth"),
        priced(comparator="down"),
        priced(comparator="close_above"),
        (priced()[0], None),
    ],
    ids=["older than a day", "of the future", "decided", "another asset", "a fall", "a level", "unpriced"],
)
def test_no_other_price_counts(other):
    assert odds_of_up("btc", NOW, [other]) is None
    assert odds_of_up("btc", NOW, [other, priced(p=0.52, age_h=23.9)]) == 0.52


def test_a_market_that_asks_for_the_contrary_gives_no_price_of_a_rise():
    market, odds = priced()
    negated = replace(market, question=replace(market.question, negated=True))
    assert odds_of_up("btc", NOW, [(negated, odds)]) is None


@given(st.permutations([priced(f"m{n}", 0.3 + n / 50, age_h=n % 3, ends_h=10 + n) for n in range(6)]))
def test_the_order_in_which_markets_are_named_changes_nothing(given):
    assert odds_of_up("btc", NOW, given) == 0.3
