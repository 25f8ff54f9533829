"""What is published of markets and challenges follows from what was committed, and adds up."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from service.forecasting.predictions import Commitment, CommittedVote, Made, Odds, PredictionMarket, Settlement
from service.forecasting.predictions.documents import (
    ChallengesDocument,
    ListedChallenge,
    ListedMarket,
    PredictionsDocument,
    challenges_document,
    list_challenge,
    list_market,
    predictions_document,
    user_votes,
)
from service.forecasting.predictions.parts import CommitmentTold
from service.forecasting.questions import Question
from service.market.instants import HOUR
from service.market.prices import Price

DEADLINE = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
ENDS = int(DEADLINE.timestamp())
OPENED = ENDS + 1 - 72 * HOUR
NOW = OPENED + HOUR
QUESTION = Question(
    text="Will Bitcoin reach 55,000 USD by 30 November 2026?",
    asset="btc",
    comparator="touch_above",
    deadline=DEADLINE,
    horizon_hours=72.0,
    spot=50_000.0,
    polarity="bull",
    level=55_000.0,
    canonical="Will Bitcoin (btc) trade at or above 55,000 USD at any time until 2026-11-30 23:59 UTC?",
)
MARKET = PredictionMarket("daily-x", "daily", QUESTION, "YES if so.", "bars", OPENED, ENDS, ENDS, backfilled=True)
ODDS = Odds("simulated", "sim-daily-x", None, 0.48123456, 0.47, 0.49, 12_345.678, OPENED)
PRICE = Price("btc", "Bitcoin", 50_500.0, 1.25, 51_000.0, 49_000.0, True, "2026-11-28T01:00:00Z", "simulated")
SEAL = CommitmentTold(17, "ab" * 32)


def committed(*votes: float, p: float = 0.61449, **others: float) -> Commitment:
    cast = {f"v{place}": each for place, each in enumerate(votes)} | others
    return Commitment(
        voted_at=OPENED,
        as_of=OPENED,
        p=p,
        votes=tuple(CommittedVote(name, "embedded", each, 1.23456, "because") for name, each in cast.items()),
        abstained={"news": "no headlines"},
        features="cd" * 32,
        fitted_at=None,
    )


def told(market: PredictionMarket = MARKET, now: int = NOW, **known) -> ListedMarket:
    return list_market(market, **known_of(known), now=now)


def challenged(market: PredictionMarket = MARKET, now: int = NOW, **known) -> ListedChallenge:
    return list_challenge(replace(market, category="challenge"), number=4, **known_of(known), now=now)


def known_of(known: dict) -> dict:
    usual = {"commitment": committed(0.7, 0.6, 0.4), "odds": ODDS, "user_votes": (0, 0), "settlement": None}
    return usual | {"price": PRICE, "sealed": SEAL} | known


class TestAMarket:
    def test_it_says_what_the_contract_asks(self):
        assert [field.name for field in fields(ListedMarket)] == [
            "id",
            "question",
            "asset",
            "category",
            "status",
            "created_at",
            "deadline",
            "closes_at",
            "understood",
            "ai_votes",
            "abstained",
            "ai",
            "user_votes",
            "market_odds",
            "divergence_pts",
            "context",
            "resolution",
            "commitment",
            "backfilled",
        ]

    def test_a_vote_is_shown_as_it_was_cast(self):
        """70 % yes on a bullish question is 70 bull: conviction 40."""
        shown = told().ai_votes["v0"]
        assert (shown.p_yes, shown.direction, shown.conviction) == (0.7, "BULLISH", 40.0)
        assert (shown.weight, shown.engine, shown.reasoning) == (1.235, "embedded", "because")
        assert shown.voted_at == "2026-11-28T00:00:00Z"

    def test_yes_to_a_bearish_question_is_bearish(self):
        shown = told(replace(MARKET, question=replace(QUESTION, comparator="touch_below", polarity="bear")))
        assert shown.ai_votes["v0"].direction == "BEARISH"
        assert (shown.ai.direction, shown.ai.p_yes, shown.ai.bull_probability) == ("BEARISH", 0.614, 38.6)

    @given(st.lists(st.floats(0.005, 0.995), max_size=9))
    def test_votes_are_counted_as_a_reader_would(self, votes):
        """A vote that is published as 50 % is neither."""
        shown = told(commitment=committed(*votes))
        published = [vote.p_yes for vote in shown.ai_votes.values()]
        assert shown.ai.yes == sum(p > 0.5 for p in published)
        assert shown.ai.no == sum(p < 0.5 for p in published)

    @given(st.floats(0.005, 0.995), st.floats(0.01, 0.99))
    def test_divergence_is_the_difference_of_what_is_shown_in_points(self, p, price):
        shown = told(commitment=committed(0.6, p=p), odds=replace(ODDS, p_yes=price))
        assert shown.divergence_pts == pytest.approx(100 * (shown.ai.p_yes - shown.market_odds.p_yes), abs=1e-9)

    def test_divergence_by_hand(self):
        """61.4 % against 48.12 %: 13.28 points."""
        assert told().divergence_pts == 13.28

    def test_odds_are_rounded_and_say_whether_anybody_traded_at_them(self):
        shown = told().market_odds
        assert (shown.p_yes, shown.bid, shown.ask, shown.volume_usd) == (0.4812, 0.47, 0.49, 12_345.68)
        assert shown.simulated
        real = replace(ODDS, source="polymarket", bid=None, volume_usd=None)
        shown = told(odds=real).market_odds
        assert (shown.simulated, shown.bid, shown.volume_usd) == (False, None, None)

    def test_what_is_unknown_is_null(self):
        shown = told(commitment=None, odds=None, price=None, sealed=None)
        assert (shown.ai, shown.market_odds, shown.divergence_pts, shown.context) == (None, None, None, None)
        assert (shown.ai_votes, shown.abstained, shown.commitment) == ({}, {}, None)
        assert told(odds=None).divergence_pts is None
        assert told(commitment=None).divergence_pts is None

    def test_a_question_without_a_criterion_has_no_p_yes_anywhere(self):
        question = replace(QUESTION, comparator="open", level=None)
        shown = told(replace(MARKET, question=question, resolver="hand"))
        assert shown.ai.p_yes is None
        assert {vote.p_yes for vote in shown.ai_votes.values()} == {None}
        assert (shown.market_odds, shown.divergence_pts, shown.context.distance_pct) == (None, None, None)
        assert (shown.ai.direction, shown.ai.bull_probability) == ("BULLISH", 61.4)

    def test_abstentions_and_the_row_of_the_ledger_are_told(self):
        assert told().abstained == {"news": "no headlines"}
        assert told().commitment == SEAL


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
    def test_the_distance_is_from_the_price_now_to_the_one_level(self, changes, expected):
        assert told(replace(MARKET, question=replace(QUESTION, **changes))).context.distance_pct == expected

    def test_the_price_is_that_of_the_document_of_prices(self):
        shown = told().context
        assert (shown.price, shown.change_24h_pct, shown.as_of) == (50_500.0, 1.25, "2026-11-28T01:00:00Z")

    def test_hours_left_fall_to_nothing(self):
        assert told().context.hours_left == 71.0
        assert told(now=ENDS + HOUR).context.hours_left == 0

    @pytest.mark.parametrize(
        ("now", "outcome", "status"),
        [(ENDS - 1, None, "open"), (ENDS, None, "closed"), (NOW, "yes", "resolved"), (ENDS + 9, "void", "void")],
    )
    def test_it_is_open_until_users_can_vote_no_more_then_closed_until_it_is_resolved(self, now, outcome, status):
        settlement = outcome and Settlement(outcome, now, "seen", "bars")
        assert told(now=now, settlement=settlement).status == status


class TestItsOutcome:
    def test_before_it_is_known_who_will_say(self):
        shown = told().resolution
        assert (shown.rule, shown.source) == ("YES if so.", "bars")
        assert (shown.outcome, shown.resolved_at, shown.evidence) == (None, None, None)

    def test_afterwards_what_became_of_it_and_what_shows_it(self):
        shown = told(settlement=Settlement("yes", ENDS, "btc high 55100", "bars (simulated)")).resolution
        assert (shown.source, shown.outcome, shown.evidence) == ("bars (simulated)", "yes", "btc high 55100")
        assert shown.resolved_at == "2026-11-30T23:59:59Z"


class TestAChallenge:
    def test_it_has_ten_voters_and_apex_beside_them(self):
        nine = [0.6] * 9
        shown = challenged(commitment=committed(*nine, swarm=0.4, apex=0.3))
        assert len(shown.ai_votes) == 10
        assert "swarm" in shown.ai_votes
        assert "apex" not in shown.ai_votes
        assert shown.apex.p_yes == 0.3
        assert (shown.ai.yes, shown.ai.no) == (9, 1)

    def test_until_the_votes_are_cast_they_are_pending(self):
        assert challenged(commitment=None).votes_pending
        assert not challenged().votes_pending
        assert challenged().apex is None

    def test_once_it_is_over_no_votes_are_awaited(self):
        assert not challenged(commitment=None, now=ENDS).votes_pending
        assert not challenged(
            commitment=None, settlement=Settlement("void", NOW, "nobody can tell", "hand")
        ).votes_pending

    def test_it_says_whether_prices_or_a_hand_will_tell(self):
        assert challenged().resolved_by == "prices"
        assert challenged(replace(MARKET, resolver="hand")).resolved_by == "hand"

    def test_it_is_a_market_with_four_things_more(self):
        added = [field.name for field in fields(ListedChallenge)][len(fields(ListedMarket)) :]
        assert added == ["number", "apex", "votes_pending", "resolved_by"]
        assert challenged().number == 4

    def test_who_opened_it_is_not_told(self):
        shown = challenged(replace(MARKET, author="the-callers-secret-id"))
        assert b"secret" not in TypeAdapter(ListedChallenge).dump_json(shown)


def test_user_votes_add_up():
    assert vars(user_votes(2, 1)) == {"yes": 2, "no": 1, "total": 3, "yes_pct": 66.7}
    assert user_votes(0, 0).yes_pct is None
    assert told(user_votes=(3, 1)).user_votes.yes_pct == 75.0


class TestDocuments:
    MADE = Made("2026-11-28T01:00:05Z", "2026-11-28T01:00:00Z", "2026-11-28T01:15:00Z", "simulated", {"btc": "seed 7"})

    def test_the_list_of_markets_is_its_own_json(self):
        document = predictions_document([told(), told(commitment=None)], self.MADE)
        adapter = TypeAdapter(PredictionsDocument)
        written = adapter.dump_json(document)
        assert adapter.validate_json(written) == document
        plain = json.loads(written)
        assert list(plain) == ["schema", "timestamp", "as_of", "stale_after", "world", "sources", "count", "markets"]
        assert (plain["schema"], plain["count"], plain["world"]) == ("predictions/1", 2, "simulated")
        assert plain["markets"][0]["understood"]["deadline"] == plain["markets"][0]["deadline"]

    def test_the_list_of_challenges_is_its_own_json(self):
        document = challenges_document([challenged()], now=NOW, world="live")
        adapter = TypeAdapter(ChallengesDocument)
        written = adapter.dump_json(document)
        assert adapter.validate_json(written) == document
        assert list(json.loads(written)) == ["schema", "timestamp", "world", "count", "challenges"]
        assert (document.schema, document.timestamp) == ("challenges/1", "2026-11-28T01:00:00Z")
