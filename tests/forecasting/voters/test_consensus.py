"""The consensus of the voters, number by number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.voters.ballots import Ballot, Forecast
from service.forecasting.voters.consensus import pool, weigh
from service.forecasting.voters.track_record import ClassRecord, PoolCalibration, VoterWeight

NOTHING = ClassRecord()


def ballots(*probabilities: float) -> list[Ballot]:
    return [Ballot(f"v{place}", "embedded", Forecast(p, "because")) for place, p in enumerate(probabilities)]


def skill(voter: str, weight: float, engine: str = "embedded") -> VoterWeight:
    return VoterWeight(voter, engine, 60, weight)


def test_equal_votes_pool_to_their_mean():
    pooled = pool(ballots(0.8, 0.5), NOTHING)
    assert pooled.p == pytest.approx(0.65)
    assert pooled.weights == (1.0, 1.0)


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=9))
def test_uncorrected_the_pool_lies_between_its_voters(probabilities):
    p = pool(ballots(*probabilities), NOTHING).p
    assert min(probabilities) - 1e-12 <= p <= max(probabilities) + 1e-12


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9))
def test_mirrored_votes_pool_to_the_complement(probabilities):
    forth = pool(ballots(*probabilities), NOTHING).p
    back = pool(ballots(*[1 - p for p in probabilities]), NOTHING).p
    assert forth + back == pytest.approx(1)
    assert 0.001 - 1e-12 <= forth <= 0.999 + 1e-12


def test_weights_by_hand():
    """Stacked weights of 1.8 and .3 and a new voter's 1 over their mean 1.0333, of which .2903 is held at .5."""
    record = ClassRecord(standings=(skill("v0", 1.8), skill("v1", 0.3)))
    weights = weigh([("v0", "embedded"), ("v1", "embedded"), ("new", "embedded")], record)
    assert weights == pytest.approx([1.8 / (3.1 / 3), 0.5, 1 / (3.1 / 3)])


def test_no_weight_leaves_its_bounds():
    """Not even those of a voter that is worth less than nothing."""
    record = ClassRecord(standings=tuple(skill(f"v{place}", 2 * place - 7) for place in range(9)))
    weights = weigh([(f"v{place}", "embedded") for place in range(9)], record)
    assert weights.min() == 0.5
    assert weights.max() == 2.0


@pytest.mark.parametrize(
    "unproven",
    [skill("v0", 1.9, engine="openai:other"), skill("elsewhere", 1.9)],
    ids=["another engine", "another voter"],
)
def test_an_unproven_engine_has_an_average_weight(unproven):
    assert weigh([("v0", "embedded"), ("v1", "embedded")], ClassRecord(standings=(unproven,))).tolist() == [1, 1]


def test_the_calibration_of_the_record_is_applied():
    """b = 1.2 on ln 4: sigmoid(1.663553) = .840714."""
    record = ClassRecord(calibration=PoolCalibration(n=90, n_eff=40, stretch=1.2))
    assert pool(ballots(0.8, 0.8), record).p == pytest.approx(0.840714, abs=1e-6)


def test_effective_voters_are_those_of_the_record():
    record = ClassRecord(calibration=PoolCalibration(effective_voters=1.8))
    assert pool(ballots(*[0.6] * 9), record).effective_voters == 1.8
    assert pool(ballots(*[0.6] * 9), NOTHING).effective_voters is None, "not measured yet"


def of_model(voter: str, p: float) -> Ballot:
    """The vote of a language model."""
    return Ballot(voter, "provider:model", Forecast(p, "because", prompt=f"{voter}/1"))


CALM = [
    Ballot(voter, "embedded", Forecast(p, "because")) for voter, p in (("vol", 0.5), ("logit", 0.52), ("forest", 0.49))
]

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
        pytest.param([*CALM, Ballot("news", "embedded", Forecast(0.99, "because"))], id="an engine of ours"),
    ],
)
def test_a_mere_difference_is_no_outlier(ballots):
    assert pool(ballots, NOTHING).outliers == ()


@pytest.mark.parametrize(
    "ballots",
    [
        pytest.param(ballots(0.8, 0.3, 0.6), id="embedded"),
        pytest.param([*CALM, *DIVIDED, of_model("news", 0.99), of_model("breadth", 0.02)], id="with outliers"),
    ],
)
def test_without_a_voter_the_others_are_pooled_anew(ballots):
    """Their weights, too, are computed among themselves."""
    differing = tuple(skill(ballot.voter, 0.6 + place / 5) for place, ballot in enumerate(ballots))
    record = ClassRecord(PoolCalibration(n=90, n_eff=40, stretch=1.2), differing)
    rests = [[other for other in ballots if other is not left_out] for left_out in ballots]
    assert pool(ballots, record).without == pytest.approx([pool(rest, record).p for rest in rests])


def test_without_the_only_voter_the_pool_is_even():
    assert pool(ballots(0.8), NOTHING).without == (0.5,)
