"""The call of apex: the layers fused, weighed by what they were worth, and the votes on a challenge."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import NoVoters
from service.forecasting.apex.call import (
    FIXED_THRESHOLDS,
    SWARM_ENGINE,
    Call,
    NetView,
    Thresholds,
    apex_vote,
    commit_challenge,
    fuse,
    swarm_vote,
    thresholds_of,
)
from service.forecasting.apex.layers import ENGINE, LAYERS
from service.forecasting.predictions import Commitment
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.panel import VOTERS, pool
from service.forecasting.voters.track_record import BandRecord, Standing, TrackRecord
from tests.forecasting.made import BRAINS, FITTED_TIME, NOW, SEATS, call_of, inputs_of, market_of, panel_of, proven

NOTHING = BandRecord()
LOUD = {"seats": dict.fromkeys(SEATS, 0.95), "brains": dict.fromkeys(BRAINS, 0.95), "odds_p": 0.99}
LOUD |= {"news_score": 1.0, "news_n": 9, "swarm": NetView(9, 0, 0)}
KINDS = [
    *(("up", {}), ("close_above", {"at": 1.01}), ("touch_below", {"at": 0.97})),
    *(("between", {"at": 0.99, "upper_at": 1.02}), ("relative", {"other_asset": "eth"})),
]


def votes_of(call: Call) -> dict[str, tuple[float | None, float]]:
    return {layer.name: (layer.p, layer.weight) for layer in call.layers}


def test_a_call_lists_all_layers_silent_ones_with_reasons():
    call = fuse(inputs_of(), NOTHING)
    assert [layer.name for layer in call.layers] == list(LAYERS)
    silent = {layer.name: layer.silent for layer in call.layers if layer.silent}
    assert set(silent) == {"oracles", "brains", "news", "market", "swarm"}
    assert silent["news"] == "No headlines."
    assert all((layer.p is None) == (layer.weight == 0) == (layer.silent is not None) for layer in call.layers)


def test_a_call_by_hand():
    """Three even layers, oracles at .8, the market, at half weight, at .9, volatility at Phi(-.0122) = .49511.

    With a record it is the mean by its weights, and without votes it is even.
    """
    call = fuse(inputs_of(seats={"trend": 0.8}, odds_p=0.9, swarm=NetView(5, 5, 0)), NOTHING)
    assert call.p_up == pytest.approx((3 * 0.5 + 0.8 + 0.9 / 2 + 0.49511) / 5.5, abs=1e-5)
    assert call.agreement == pytest.approx(1.5 / 5.5)
    assert call.confidence == pytest.approx((2 * call.p_up - 1) * 1.5 / 5.5)
    record = proven(60, oracles=1.6, news=0.8)
    call = fuse(inputs_of(seats={"trend": 0.8}, swarm=NetView(7, 3, 0), news_score=-0.3, news_n=4), record)
    votes = {name: vote for name, vote in votes_of(call).items() if vote[0] is not None}
    weights = dict.fromkeys(votes, 1.0) | {"oracles": 1.6, "news": 0.8}
    assert {name: weight for name, (_, weight) in votes.items()} == weights
    p, weights = zip(*votes.values(), strict=True)
    assert call.p_up == pytest.approx(np.average(p, weights=weights))
    call = fuse(inputs_of(seats={}, brains={}, asset="gold", at=1_735_948_800), NOTHING)
    assert all(layer.silent for layer in call.layers if layer.name != "regime")
    assert (call.p_up, call.confidence) == (0.5, 0)


@pytest.mark.parametrize(("n", "trust"), [(0, 0.5), (30, 0.5), (50, 0.5), (150, 0.75), (950, 0.95)])
def test_the_weight_of_the_outside_market_grows(n: int, trust: float):
    """It is n / (n + 50) of a full weight, at least one half."""
    call = fuse(inputs_of(odds_p=0.6), proven(n))
    assert votes_of(call)["market"][1] == pytest.approx(trust)
    assert {weight for name, (_, weight) in votes_of(call).items() if weight and name != "market"} == {1.0}


@given(
    st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6),
    st.one_of(st.none(), st.floats(0, 1)),
    st.one_of(st.none(), st.builds(NetView, *[st.integers(0, 99)] * 3)),
    st.floats(-1, 1),
)
def test_a_call_lies_between_its_layers_and_confidence_in_0_1(seats, odds, swarm, mood):
    by_seat = dict(zip(SEATS, seats, strict=True))
    call = fuse(inputs_of(seats=by_seat, odds_p=odds, swarm=swarm, news_score=mood, news_n=3), NOTHING)
    votes = [layer.p for layer in call.layers if layer.p is not None]
    assert min(votes) - 1e-9 <= call.p_up <= max(votes) + 1e-9
    assert 0 <= call.confidence <= call.agreement <= 1


def test_the_special_mode_needs_all_three_conditions():
    """More than .15 from even, three quarters of the weight on one side, and thirty resolved calls of every layer."""
    call = fuse(inputs_of(**LOUD), proven(30), replace(FIXED_THRESHOLDS, agreement=0.5))
    conditions = "distance_exceeds_threshold agreement_reaches_threshold every_voting_layer_has_30_calls"
    assert call.p_up > 0.65
    assert call.conditions == dict.fromkeys(conditions.split(), True)
    assert call.special


@pytest.mark.parametrize(
    ("thresholds", "record", "fails"),
    [
        (Thresholds(distance=0.45, agreement=0.0), proven(30), "distance_exceeds_threshold"),
        (Thresholds(distance=0.1, agreement=1.0), proven(30), "agreement_reaches_threshold"),
        (Thresholds(agreement=0.0), proven(29), "every_voting_layer_has_30_calls"),
        (Thresholds(agreement=0.0), BandRecord(proven(30).standings[:-1]), "every_voting_layer_has_30_calls"),
        (Thresholds(agreement=0.0), proven(30, engine="apex/0"), "every_voting_layer_has_30_calls"),
    ],
)
def test_the_special_mode_is_off_where_a_condition_fails(thresholds, record, fails):
    call = fuse(inputs_of(**LOUD), record, thresholds)
    assert [name for name, holds in call.conditions.items() if not holds] == [fails]
    assert not call.special


def test_a_silent_layer_needs_no_calls():
    """News, market and swarm are silent, so their missing calls do not matter."""
    standings = (row for row in proven(30).standings if row.voter not in ("news", "market", "swarm"))
    assert fuse(inputs_of(), BandRecord(tuple(standings))).conditions["every_voting_layer_has_30_calls"]


def test_thresholds_are_quantiles_of_earlier_calls():
    """Of 101 calls .000 to .100 from even 95% are at most .095; of agreements 0 to 1 half are at most .5."""
    past = [replace(call_of(NOW, 0.5 + (-1) ** at * at / 1000), agreement=at / 100) for at in range(101)]
    thresholds = thresholds_of(past)
    assert (thresholds.distance, thresholds.agreement) == pytest.approx((0.095, 0.5))
    assert (thresholds.past_calls, thresholds.fixed) == (101, False)
    assert thresholds_of([call_of(NOW, 0.5)] * 59) == Thresholds(0.15, 0.75, 59, fixed=True), "fewer than sixty"
    assert thresholds_of([call_of(NOW, 0.5)] * 60) == Thresholds(0.0, 1.0, 60, fixed=False)


def test_an_in_sample_layer_is_shown_and_has_no_weight():
    """January 2025 is in the months on which `breadth` and `regime` were fitted."""
    inside, outside = (fuse(inputs_of(at=at, odds_p=0.7), NOTHING) for at in (FITTED_TIME, NOW))
    for name in ("breadth", "regime"):
        assert votes_of(inside)[name][0] == votes_of(outside)[name][0] is not None
        assert (votes_of(inside)[name][1], votes_of(outside)[name][1]) == (0, 1)
    assert votes_of(inside)["market"] == votes_of(outside)["market"]
    assert inside.p_up > outside.p_up, "two even layers fewer"


def test_a_call_survives_json_without_loss():
    call = fuse(inputs_of(odds_p=0.6, swarm=NetView(3, 2, 5)), proven(), backfilled=True)
    assert call.backfilled
    assert Call.from_plain(json.loads(json.dumps(call.to_plain(), allow_nan=False))) == call


@pytest.fixture
def cast(contexts, fits):
    """Casts the votes on a challenge that asks a question."""

    def commit_it(question, *, p_up=0.6, record=TrackRecord(), members=None, quorum=5) -> Commitment:  # noqa: B008
        call = call_of(NOW, p_up, contexts["btc"].spot, oracles=p_up)
        challenge, panel = market_of(question, category="challenge"), panel_of(members, quorum)
        knowledge = Knowledge(contexts, fits, record)
        return commit_challenge(challenge, NOW, knowledge, panel, net=NetView(30, 10, 10), call=call)

    return commit_it


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
@pytest.mark.parametrize("weights", [{}, {"week": 1.9, "day": 0.2}], ids=["unproven", "proven"])
def test_the_pool_is_that_of_the_nine_and_the_swarm(comparator, fields, weights, query, cast):
    """Computed again from the committed votes by the rule of the pool; the swarm has a record of the horizon."""
    standings = {band: Standing("swarm", SWARM_ENGINE, 200, 20, weight) for band, weight in weights.items()}
    record = TrackRecord(NOW, {band: BandRecord((standing,)) for band, standing in standings.items()})
    commitment = cast(query(comparator, **fields), record=record)
    ten = [vote for vote in commitment.votes if vote.voter != "apex"]
    assert [ballot.voter for ballot in ten] == [*(voter.name for voter in VOTERS), "swarm"]
    consensus = pool(ten, record.of_band("week"))
    assert (commitment.p, commitment.p_up) == (consensus.p, consensus.p_up)
    assert tuple(vote.weight for vote in commitment.votes[:-1]) == consensus.weights
    assert consensus.weights == (*[1.0] * 9, weights.get("week", 1.0))


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
def test_apex_votes_last_and_weighs_nothing(comparator, fields, query, cast, contexts, knowledge):
    """Its vote, the lean of its call on the question, changes nothing else of the commitment."""
    question = query(comparator, **fields)
    bold, timid = (cast(question, p_up=p) for p in (0.9, 0.52))
    assert (bold.votes[-1].voter, bold.votes[-1].engine, bold.votes[-1].weight) == ("apex", ENGINE, 0.0)
    call = call_of(NOW, 0.9, contexts["btc"].spot, oracles=0.9)
    vote = apex_vote(question, build_inputs(question, NOW, knowledge), call)
    assert bold.votes[-1].forecast == vote.forecast
    assert bold.votes[-1].p != timid.votes[-1].p
    assert replace(bold, votes=bold.votes[:-1]) == replace(timid, votes=timid.votes[:-1])


def test_the_nine_vote_as_on_any_market(query, cast, knowledge):
    """Votes, abstentions and the seal of what was shown are those of a market with the same question."""
    question = query("close_above", at=1.01)
    nine = commitment_of(panel_of().ask(question, NOW, knowledge), knowledge)
    commitment = cast(question)
    assert [vote.forecast for vote in commitment.votes[:9]] == [vote.forecast for vote in nine.votes]
    assert replace(commitment, p=nine.p, p_up=nine.p_up, votes=nine.votes) == nine


def test_the_swarm_and_apex_do_not_count_for_the_quorum(query, cast):
    with pytest.raises(NoVoters):
        cast(query("up"), members=VOTERS[:2], quorum=3)
    commitment = cast(query("up"), members=VOTERS[:2], quorum=2)
    assert [vote.voter for vote in commitment.votes] == ["momentum", "reversion", "swarm", "apex"]


@pytest.mark.parametrize(
    ("counts", "net"), [((50, 0, 0), 1), ((0, 50, 0), -1), ((0, 0, 50), 0), ((30, 10, 10), 0.4), ((0, 0, 0), 0)]
)
def test_all_long_is_a_lean_of_a_fifth_in_log_odds(query, knowledge, counts, net):
    """Net is long less short over all. On the direction, volatility alone gives 50%: the log-odds are the lean."""
    question = query("up")
    ballot = swarm_vote(question, build_inputs(question, NOW, knowledge), NetView(*counts))
    assert (ballot.voter, ballot.engine) == ("swarm", SWARM_ENGINE)
    assert log(ballot.p / (1 - ballot.p)) == pytest.approx(0.2 * net, abs=1e-9)


def test_the_reason_counts_the_strategies_and_adds_up(query, knowledge):
    """A lean of 0.2 x 0.4 in log-odds moves 50% to 52.0%."""
    question = query("up")
    reason = swarm_vote(question, build_inputs(question, NOW, knowledge), NetView(30, 10, 10)).forecast.reasoning
    assert reason.startswith("Volatility alone implies 50.0%. Of 50 strategies 30 are long btc, 10 short and 10 flat")
    assert reason.endswith(" (net +0.40): +2.0 pp. Forecast: 52.0%.")


@pytest.mark.parametrize(("comparator", "p"), [("up", 0.6), ("down", 0.4)])
def test_on_a_direction_it_votes_its_call(query, contexts, knowledge, comparator, p):
    """Volatility alone gives 50%, so the probability of a higher price is that of the call."""
    question = query(comparator)
    call = call_of(NOW, 0.6, contexts["btc"].spot, oracles=0.6)
    ballot = apex_vote(question, build_inputs(question, NOW, knowledge), call)
    assert (ballot.voter, ballot.p) == ("apex", pytest.approx(p, abs=1e-6))
    assert ballot.forecast.p_up == pytest.approx(0.6, abs=1e-6)
    assert "layers) gives 60.0% to a higher price in a day" in ballot.forecast.reasoning
