"""The simulated outside market: volatility with noise, the same for the same market and seed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.simulated_odds import quote
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.brains import VOL
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.knowledge import Knowledge
from service.questions import Question
from tests.forecasting.made import NOW

KINDS = [
    ("up", {}),
    ("down", {}),
    ("close_above", {"at": 1.01}),
    ("close_below", {"at": 0.98}),
    ("touch_above", {"at": 1.03}),
    ("touch_below", {"at": 0.97}),
    ("touch_above", {"at": 1.03, "negated": True}),
    ("between", {"at": 0.99, "upper_at": 1.02}),
    ("relative", {"other_asset": "eth"}),
]


def market(question: Question, id: str = "daily-btc-up-20250503") -> Prediction:
    deadline = int(question.deadline.timestamp())
    return Prediction(id, "daily", question, "", "bars", NOW, deadline, deadline, backfilled=False)


def log_odds(p: float) -> float:
    return math.log(p / (1 - p))


@pytest.fixture
def quoted(asking, contexts) -> Callable:
    """Quotes a kind of question under an id and a seed."""

    def quote_it(comparator: str, fields: dict, id: str = "m", seed: int = 7):
        return quote(market(asking(comparator, **fields), id), contexts, NOW, seed)

    return quote_it


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
def test_it_is_volatility_with_noise_of_018_in_log_odds(comparator, fields, quoted, asking, contexts):
    """Over 400 markets of one question the mean lies within 3 standard errors of the `vol` brain."""
    question = asking(comparator, **fields)
    fair = log_odds(VOL.forecast(question, build_inputs(question, NOW, Knowledge(contexts))).p)
    noise = np.array([log_odds(quoted(comparator, fields, f"m{number}").p_yes) - fair for number in range(400)])
    assert abs(noise.mean()) < 3 * 0.18 / 20
    assert 0.16 < noise.std() < 0.20


@given(number=st.integers(0, 10**6), seed=st.integers(0, 2**31), away=st.floats(0.5, 2.0))
def test_the_price_lies_between_bid_and_ask_within_bounds(number, seed, away, quoted_at):
    odds = quoted_at(away, f"m{number}", seed)
    assert 0.01 <= odds.bid < odds.p_yes < odds.ask <= 0.99
    assert odds.ask - odds.bid <= 0.04 + 1e-12
    assert odds.volume_usd > 0


@pytest.fixture(scope="module")
def quoted_at(asking, contexts) -> Callable:
    """Quotes whether bitcoin closes above a multiple of its price."""
    return lambda away, id, seed: quote(market(asking("close_above", at=away), id), contexts, NOW, seed)


def test_spreads_are_of_one_to_four_points(quoted):
    spreads = [each.ask - each.bid for each in (quoted("up", {}, f"m{number}") for number in range(300))]
    assert min(spreads) == pytest.approx(0.01, abs=0.001)
    assert max(spreads) == pytest.approx(0.04, abs=0.001)


def test_a_quote_depends_on_the_market_and_the_seed(quoted):
    assert quoted("up", {}) == quoted("up", {})
    assert quoted("up", {}).p_yes != quoted("up", {}, id="n").p_yes
    assert quoted("up", {}).p_yes != quoted("up", {}, seed=8).p_yes


def test_its_source_is_named_simulated(quoted):
    odds = quoted("up", {}, id="daily-btc-up-20250503")
    assert (odds.source, odds.market_id, odds.url) == ("simulated", "sim-daily-btc-up-20250503", None)
    assert odds.fetched_at == NOW


def test_an_asset_without_a_context_has_no_quote(asking):
    with pytest.raises(Abstention):
        quote(market(asking("up")), {}, NOW, 7)
