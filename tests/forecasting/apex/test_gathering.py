"""The inputs of a call's layers: every voter on the same question at the same instant, and the outside market."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.apex.gathering import odds_of_up, poll_layers
from service.forecasting.apex.layers import LayerInputs
from service.forecasting.predictions import Prediction
from service.forecasting.voters.ballots import EMBEDDED, Abstention, Forecast
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.embedded import VOL, voters
from service.forecasting.voters.next_day import up_in_a_day
from service.forecasting.voters.track_record import BandRecord, Standing, TrackRecord
from service.market.instants import DAY, HOUR
from tests.forecasting.made import NOW, panel_of
from tests.forecasting.markets import waiting

SKILLED = TrackRecord(NOW, {"day": BandRecord((Standing("garch", EMBEDDED, 200, 20, 1.8),))})


@dataclass(frozen=True)
class Silent:
    """A voter that never votes."""

    name: str = "trend"
    kind: str = "seat"
    engine: str = "test:1"

    def forecast(self, question, inputs) -> Forecast:
        raise Abstention("nothing to say")


@pytest.fixture
def polled(contexts, fits):
    """Polls the layers' inputs for bitcoin at NOW."""

    def poll(*, members=None, at: int = NOW, **fields) -> LayerInputs:
        outside = {"news": (0.3, 4), "odds_p": 0.55, "swarm": -0.2} | fields
        return poll_layers("btc", at, Knowledge(contexts, fits, SKILLED), panel_of(members), **outside)

    return poll


def test_seats_and_brains_vote_as_on_the_oracle(polled, contexts, fits):
    result = panel_of().ask(up_in_a_day("btc", contexts["btc"].spot, NOW), NOW, Knowledge(contexts, fits, SKILLED))
    inputs = polled()
    assert list(inputs.brains) == ["vol", "garch", "sv"]
    assert list(inputs.seats) == ["momentum", "reversion", "breadth", "regime", "trend", "news"]
    assert {**inputs.seats, **inputs.brains} == {ballot.voter: ballot.p for ballot in result.ballots}


def test_weights_are_those_of_the_record_of_a_day(polled):
    assert polled().weights == {voter.name: 1.8 if voter.name == "garch" else 1.0 for voter in voters()}


def test_an_abstention_is_left_out(polled):
    inputs = polled(members=[Silent(), VOL])
    assert (inputs.seats, list(inputs.brains), list(inputs.weights)) == ({}, ["vol"], ["vol"])


def test_with_stale_bars_there_are_no_votes(polled, contexts):
    """As when the last bar is older than a day and a half of trading."""
    inputs = polled(at=NOW + 2 * DAY)
    assert (inputs.seats, inputs.brains, inputs.weights) == ({}, {}, {})
    assert inputs.context == contexts["btc"]


def test_outside_inputs_are_passed_on(polled):
    inputs = polled()
    assert (inputs.news_score, inputs.news_n, inputs.odds_p, inputs.swarm) == (0.3, 4, 0.55, -0.2)


def test_without_stories_there_is_no_score(polled):
    inputs = polled(news=(0.0, 0))
    assert (inputs.news_score, inputs.news_n) == (None, 0)


def priced(id: str = "one", p: float = 0.6, *, age_h: float = 0, ends_h: float = 24, **fields) -> Prediction:
    """A market of bitcoin's rise that was priced so many hours before NOW and ends so many hours after it."""
    opened = int(NOW - age_h * HOUR)
    return waiting(id, opened=opened, hours=ends_h + age_h, odds=(None, p, None), **fields)


def test_the_newest_price_of_a_rise_is_taken():
    markets = [priced(p=0.3, age_h=20), priced(p=0.6, age_h=4), priced(p=0.4, age_h=9)]
    assert odds_of_up("btc", NOW, markets) == 0.6


def test_of_two_prices_the_earlier_deadline_is_taken():
    """Of two priced at the same instant; their order does not matter."""
    markets = [priced("weekly", p=0.3, ends_h=160), priced("daily", p=0.6, ends_h=30)]
    assert odds_of_up("btc", NOW, markets) == odds_of_up("btc", NOW, markets[::-1]) == 0.6


@pytest.mark.parametrize(
    "other",
    [
        priced(age_h=25),
        priced(age_h=-1),
        priced(ends_h=0),
        priced(asset="eth"),
        priced(comparator="down"),
        priced(comparator="close_above"),
        replace(priced(), odds=None),
    ],
    ids=["older than a day", "of the future", "decided", "another asset", "a fall", "a level", "unpriced"],
)
def test_no_other_price_counts(other):
    assert odds_of_up("btc", NOW, [other]) is None
    assert odds_of_up("btc", NOW, [other, priced(p=0.52, age_h=23.9)]) == 0.52


def test_a_negated_market_gives_no_price_of_a_rise():
    market = priced()
    negated = replace(market, question=replace(market.question, negated=True))
    assert odds_of_up("btc", NOW, [negated]) is None


@given(st.permutations([priced(f"m{n}", 0.3 + n / 50, age_h=n % 3, ends_h=10 + n) for n in range(6)]))
def test_the_order_of_the_markets_changes_nothing(markets):
    assert odds_of_up("btc", NOW, markets) == 0.3
