"""Published markets and challenges follow from what was committed, and their numbers add up."""

from __future__ import annotations

import csv
import json
from dataclasses import fields, replace
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from service.forecasting.predictions import Opinion, Settlement
from service.forecasting.predictions.documents import (
    PredictionsDocument,
    evidence_bars,
    list_all,
    predictions_document,
    user_votes,
)
from service.forecasting.predictions.market_fields import COLUMNS, ListedPrediction, MarketCommitment, markets_table
from service.forecasting.voters.ballots import EMBEDDED
from service.market.instants import HOUR, iso
from tests.forecasting.made import flat_bars
from tests.forecasting.markets import (
    ENDS,
    MARKET,
    MONDAY,
    NOW,
    ODDS,
    PLAIN_HEADER,
    POSITION,
    PRICE,
    QUESTION,
    committed,
    listed,
    settled,
)


def challenged(*, now: int = NOW, answers_topics: bool = False, **changes: Any) -> ListedPrediction:
    """MARKET as a challenge with other fields, as it is published."""
    challenge = replace(MARKET, category="challenge", number=4, **changes)
    prices = {challenge.question.asset: PRICE}
    (row,) = list_all([challenge], tallies={}, prices=prices, opinions={}, now=now, answers_topics=answers_topics)
    return row


class TestAMarket:
    def test_a_vote_is_shown_as_it_was_cast(self):
        """How sure it is of 70% yes does not depend on its view of the price: conviction 40."""
        vote = listed().ai_votes["v0"]
        assert (vote.p_yes, vote.direction, vote.conviction) == (0.7, "NEUTRAL", 40.0)
        assert (vote.weight, vote.engine, vote.reasoning) == (1.235, EMBEDDED, "because")
        assert vote.voted_at == "2026-11-28T00:00:00Z"
        assert listed().abstained == {"news": "no headlines"}
        assert listed(salt="5a17").commitment == MarketCommitment(**vars(POSITION), salt="5a17")
        assert listed().divergence_pts == 13.28, "61.4% against 48.12%"
        names = """id question asset category status created_at deadline closes_at understood ai_votes abstained ai
        user_votes market_odds divergence_pts context resolution commitment features backfilled ai_now odds_now score
        bet number apex votes_pending"""
        assert [field.name for field in fields(ListedPrediction)] == names.split()

    @pytest.mark.parametrize("polarity", ["bull", "bear"])
    @pytest.mark.parametrize(
        ("p_up", "direction", "bull"),
        [(0.53, "BULLISH", 53.0), (0.4701, "BEARISH", 47.0), (0.5, "NEUTRAL", 50.0), (None, "NEUTRAL", 50.0)],
    )
    def test_the_direction_is_the_view_of_the_price(self, polarity, p_up, direction, bull):
        """Whatever YES means; votes of earlier versions have no view."""
        question = replace(QUESTION, polarity=polarity)
        market = listed(question=question, commitment=committed(0.7, p_up=p_up))
        assert (market.ai.direction, market.ai.bull_probability, market.ai.p_yes) == (direction, bull, 0.614)
        assert (market.ai_votes["v0"].direction, market.ai.answer) == (direction, "More likely than not: 61%")

    @given(st.lists(st.floats(0.005, 0.995), max_size=9))
    def test_votes_are_counted_after_rounding(self, votes):
        """A vote that is published as 50% is neither."""
        market = listed(commitment=committed(*votes))
        probabilities = [vote.p_yes for vote in market.ai_votes.values()]
        assert market.ai.yes == sum(p > 0.5 for p in probabilities)
        assert market.ai.no == sum(p < 0.5 for p in probabilities)

    def test_odds_are_rounded_and_say_whether_they_are_simulated(self):
        odds = listed().market_odds
        assert (odds.p_yes, odds.bid, odds.ask, odds.volume_usd) == (0.4812, 0.47, 0.49, 12_345.68)
        assert odds.simulated
        quote = replace(ODDS, source="polymarket", bid=None, volume_usd=None)
        odds = listed(odds=quote).market_odds
        assert (odds.simulated, odds.bid, odds.volume_usd) == (False, None, None)

    def test_what_is_unknown_is_null(self):
        """A question without a criterion shows no votes: on the Fed, voters that looked at bitcoin say nothing."""
        market = listed(commitment=None, odds=None, price=None, ledger_position=None)
        assert (market.ai, market.market_odds, market.divergence_pts, market.context) == (None, None, None, None)
        assert (market.ai_votes, market.abstained, market.commitment) == ({}, {}, None)
        assert listed(odds=None).divergence_pts is None
        assert listed(commitment=None).divergence_pts is None
        question = replace(QUESTION, comparator="open", level=None)
        market = listed(question=question, resolver="hand")
        assert (market.ai, market.ai_votes, market.abstained) == (None, {}, {})
        assert (market.market_odds, market.divergence_pts, market.context.distance_pct) == (None, None, None)

    def test_the_opinions_of_now_stand_beside_the_votes(self):
        market = listed(ai_now=Opinion(NOW, 0.94321), odds_now=Opinion(NOW, 0.91238, 0.9, None))
        assert vars(market.ai_now) == {"p_yes": 0.943, "as_of": "2026-11-28T01:00:00Z"}
        assert vars(market.odds_now) == {"p_yes": 0.9124, "bid": 0.9, "ask": None, "as_of": "2026-11-28T01:00:00Z"}
        assert market.ai.p_yes == 0.614

    def test_a_settled_market_has_a_score_and_no_opinion_of_now(self):
        """(1 - .61449)^2 = .14862 and (1 - .48123456)^2 = .26912; ln .61449 = -.48696."""
        market = listed(settlement=Settlement("yes", ENDS, "seen", "bars"), ai_now=Opinion(NOW, 0.9))
        assert (market.ai_now, market.context) == (None, None)
        score = market.score
        assert (score.brier_ai, score.brier_market, score.difference) == (0.14862, 0.26912, -0.1205)
        assert score.log_ai == 0.48696
        assert listed().score is listed(settlement=Settlement("void", ENDS, "seen", "bars")).score is None


class TestAChallenge:
    def test_it_has_ten_voters_and_apex_beside_them(self):
        """Its author is not published."""
        nine = [0.6] * 9
        challenge = challenged(commitment=committed(*nine, swarm=0.4, apex=0.3))
        assert len(challenge.ai_votes) == 10
        assert "swarm" in challenge.ai_votes
        assert "apex" not in challenge.ai_votes
        assert (challenge.apex.p_yes, challenge.ai.yes, challenge.ai.no) == (0.3, 9, 1)
        assert challenged().number == 4
        challenge = challenged(author="the-callers-secret-id")
        assert b"secret" not in TypeAdapter(ListedPrediction).dump_json(challenge)

    def test_votes_are_pending_until_they_are_cast(self):
        """Those on a topic only for models."""
        assert challenged(commitment=None).votes_pending
        assert not challenged().votes_pending
        assert not challenged(commitment=None, now=ENDS).votes_pending
        void = Settlement("void", NOW, "it cannot be determined", "hand")
        assert not challenged(commitment=None, settlement=void).votes_pending
        assert challenged().apex is None
        topic = {"commitment": None, "resolver": "hand", "question": replace(QUESTION, comparator="topic", level=None)}
        assert challenged(**topic, answers_topics=True).votes_pending
        assert not challenged(**topic).votes_pending
        assert challenged(**topic).ai is None

    def test_what_prices_cannot_decide_shows_no_votes(self):
        question = replace(QUESTION, comparator="open", level=None)
        challenge = challenged(question=question, resolver="hand", commitment=committed(0.6, swarm=0.4, apex=0.3))
        assert (challenge.ai, challenge.apex, challenge.ai_votes, challenge.votes_pending) == (None, None, {}, False)
        assert (challenge.resolution.source, challenged().resolution.source) == ("hand", "bars")
        assert not challenged(question=question, resolver="hand", commitment=None).votes_pending


def test_the_list_of_markets_survives_json():
    document = predictions_document([listed(), listed(commitment=None)], PLAIN_HEADER)
    adapter = TypeAdapter(PredictionsDocument)
    text = adapter.dump_json(document)
    assert adapter.validate_json(text) == document
    plain = json.loads(text)
    assert (plain["schema"], plain["count"], plain["world"]) == ("predictions/1", 2, "simulated")
    assert plain["markets"][0]["understood"]["deadline"] == plain["markets"][0]["deadline"]


class TestItsPriceAndTime:
    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, 8.9109),  # 55,000 / 50,500
            ({"comparator": "up", "level": None}, -0.9901),  # 50,000 / 50,500
            ({"comparator": "down", "level": None}, -0.9901),
            ({"comparator": "close_below", "level": 40_000.0}, -20.7921),
            ({"comparator": "between", "level": 49_000.0, "upper_level": 52_000.0}, None),
            ({"comparator": "relative", "level": None, "other_asset": "eth"}, None),
        ],
    )
    def test_the_distance_is_from_the_price_to_the_level(self, changes, expected):
        assert listed(question=replace(QUESTION, **changes)).context.distance_pct == expected

    def test_it_has_the_published_price_and_the_hours_left(self):
        context = listed().context
        assert (context.price, context.change_24h_pct, context.as_of) == (50_500.0, 1.25, "2026-11-28T01:00:00Z")
        assert (context.hours_left, listed(now=ENDS + HOUR).context.hours_left) == (71.0, 0)

    @pytest.mark.parametrize(
        ("now", "outcome", "status"),
        [(ENDS - 1, None, "open"), (ENDS, None, "closed"), (NOW, "yes", "resolved"), (ENDS + 9, "void", "void")],
    )
    def test_it_is_open_then_closed_then_resolved(self, now, outcome, status):
        settlement = outcome and Settlement(outcome, now, "seen", "bars")
        assert listed(now=now, settlement=settlement).status == status


def test_a_resolution_holds_the_rule_and_later_its_evidence():
    resolution = listed().resolution
    assert (resolution.rule, resolution.source) == ("YES if so.", "bars")
    assert (resolution.outcome, resolution.resolved_at, resolution.evidence) == (None, None, None)
    resolution = listed(settlement=Settlement("yes", ENDS, "btc high 55100", "bars (simulated)")).resolution
    assert (resolution.source, resolution.outcome) == ("bars (simulated)", "yes")
    assert (resolution.evidence, resolution.resolved_at) == ("btc high 55100", "2026-11-30T23:59:59Z")


def test_user_votes_add_up():
    assert vars(user_votes(2, 1)) == {"yes": 2, "no": 1, "total": 3, "yes_pct": 66.7}
    assert user_votes(0, 0).yes_pct is None
    assert listed(tally=(3, 1)).user_votes.yes_pct == 75.0


def test_the_bars_begin_with_the_one_before_the_opening():
    """And end with the settlement, 24 hours later; without a bar before they begin at the opening."""
    evidence = evidence_bars(settled("m"), "btc", flat_bars(MONDAY - 5 * HOUR, range(40)))
    assert (evidence.asset, evidence.step_s, len(evidence.bars)) == ("btc", HOUR, 25)
    assert (evidence.bars[0].close, evidence.bars[-1].close) == (4.0, 28.0)
    market = replace(settled("m"), created_at=MONDAY)
    evidence = evidence_bars(market, "btc", flat_bars(MONDAY, range(3)))
    assert [bar.time for bar in evidence.bars] == [iso(MONDAY + hour * HOUR) for hour in range(3)]


def lines(*markets) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(markets_table(markets, "simulated").to_csv().decode(), newline="")))


def test_a_market_is_a_line_under_the_names():
    """What it lacks is empty, and without markets the names stand alone."""
    (line,) = lines(listed(tally=(3, 1)))
    assert tuple(line) == tuple(COLUMNS)
    fields = {"id": "daily-x", "asset": "btc", "comparator": "touch_above", "level": "55000.0", "world": "simulated"}
    fields |= {"user_yes": "3", "user_no": "1", "bid": "0.47", "ledger_seq": "17"}
    fields |= dict.fromkeys(("backfilled", "simulated"), "true")
    assert {name: line[name] for name in fields} == fields
    assert markets_table([], "live").to_csv().decode() == ",".join(COLUMNS) + "\r\n"
    (line,) = lines(listed(odds=None, commitment=None))
    assert {line[name] for name in ("p_ai", "p_market", "bid", "divergence_pts", "outcome", "bet_side")} == {""}
