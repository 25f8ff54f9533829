"""The consensus of the voters, number by number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.voters.ballots import EMBEDDED, Ballot, Forecast
from service.forecasting.voters.consensus import pool
from service.forecasting.voters.track_record import BandRecord, Standing

NOTHING = BandRecord()
PROBABILITIES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9)


def ballots(*probabilities: float) -> list[Ballot]:
    return [Ballot(f"v{place}", EMBEDDED, Forecast(p, "because")) for place, p in enumerate(probabilities)]


def test_equal_votes_pool_to_their_mean():
    pooled = pool(ballots(0.8, 0.5), NOTHING)
    assert pooled.p == pytest.approx(0.65)
    assert pooled.weights == (1.0, 1.0)


@given(PROBABILITIES)
def test_the_pool_lies_between_its_voters(probabilities):
    p = pool(ballots(*probabilities), NOTHING).p
    assert min(probabilities) - 1e-12 <= p <= max(probabilities) + 1e-12


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.25, 3)), min_size=1, max_size=9))
def test_exclusive_answers_add_up(votes):
    """Whatever the weights: an event and its opposite, and the parts of an event."""
    record = BandRecord(tuple(Standing(f"v{place}", EMBEDDED, 9, 2, weight) for place, (_, weight) in enumerate(votes)))
    whole = [p for p, _ in votes]
    forth, back = pool(ballots(*whole), record).p, pool(ballots(*[1 - p for p in whole]), record).p
    assert forth + back == pytest.approx(1, abs=1e-12)
    third, rest = (pool(ballots(*[share * p for p in whole]), record).p for share in (1 / 3, 2 / 3))
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
    assert pool(votes, record).p_up == pytest.approx(1.9 / 3)
    assert pool(votes[2:], record).p_up is None


def of_model(voter: str, p: float) -> Ballot:
    """The vote of a language model."""
    return Ballot(voter, "provider:model", Forecast(p, "because", prompt=f"{voter}/1"))


CALM = [Ballot(voter, EMBEDDED, Forecast(p, "because")) for voter, p in (("vol", 0.5), ("garch", 0.52), ("sv", 0.49))]
DIVIDED = [of_model("momentum", 0.6), of_model("trend", 0.65), of_model("regime", 0.7)]


def test_an_outlying_model_has_a_third_of_its_weight():
    """The others' log-odds are 0, .08, -.04 and 0: they deviate by .02 in the median, and ln 99 is 4.6.

    The mean: (.5 + .52 + .49 + .5 + .99 / 3) / (4 + 1 / 3) = .54.
    """
    pooled = pool([*CALM, of_model("trend", 0.5), of_model("news", 0.99)], NOTHING)
    assert pooled.outliers == ("news",)
    assert pooled.weights == pytest.approx((1, 1, 1, 1, 1 / 3))
    assert pooled.p == pytest.approx(0.54)


@pytest.mark.parametrize(
    "ballots",
    [
        pytest.param([*CALM, of_model("trend", 0.5), of_model("news", 0.69)], id="within 20 points of the base rate"),
        pytest.param([*CALM, *DIVIDED, of_model("news", 0.72)], id="near enough to the others"),
        pytest.param([*CALM[1:], of_model("trend", 0.5), of_model("news", 0.99)], id="without a base rate"),
        pytest.param([*CALM, Ballot("news", EMBEDDED, Forecast(0.99, "because"))], id="an engine of ours"),
    ],
)
def test_a_mere_difference_is_no_outlier(ballots):
    assert pool(ballots, NOTHING).outliers == ()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.25, 3)), min_size=2, max_size=9))
def test_without_a_voter_the_others_are_pooled(votes):
    record = BandRecord(tuple(Standing(f"v{place}", EMBEDDED, 9, 2, weight) for place, (_, weight) in enumerate(votes)))
    cast = ballots(*[p for p, _ in votes])
    rests = [[other for other in cast if other is not left_out] for left_out in cast]
    assert pool(cast, record).without == pytest.approx([pool(rest, record).p for rest in rests])


def test_without_the_only_voter_the_pool_is_even():
    assert pool(ballots(0.8), NOTHING).without == (0.5,)
