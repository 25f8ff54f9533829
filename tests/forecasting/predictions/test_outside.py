"""The simulated outside market: plain volatility with noise, the same whenever it is asked."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.brains import VOL
from service.forecasting.predictions import PredictionMarket
from service.forecasting.predictions.outside import quote
from service.forecasting.questions import Question
from service.forecasting.situation import situate
from service.forecasting.votes import Abstention
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


def market(question: Question, id: str = "daily-btc-up-20250503") -> PredictionMarket:
    deadline = int(question.deadline.timestamp())
    return PredictionMarket(id, "daily", question, "", "bars", NOW, deadline, deadline, backfilled=False)


def log_odds(p: float) -> float:
    return math.log(p / (1 - p))


@pytest.fixture
def quoted(asking, contexts) -> Callable:
    """Quotes a kind of question under an id and a seed."""

    def quote_it(comparator: str, fields: dict, id: str = "m", seed: int = 7):
        return quote(market(asking(comparator, **fields), id), contexts, NOW, seed)

    return quote_it


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
def test_it_is_plain_volatility_with_a_noise_of_eighteen_hundredths_in_log_odds(
    comparator, fields, quoted, asking, contexts
):
    """Over 400 markets of one question the mean lies within 3 standard errors of what the `vol` brain says."""
    question = asking(comparator, **fields)
    fair = log_odds(VOL.forecast(question, situate(question, NOW, contexts, None)).p)
    noise = np.array([log_odds(quoted(comparator, fields, f"m{number}").p_yes) - fair for number in range(400)])
    assert abs(noise.mean()) < 3 * 0.18 / 20
    assert 0.16 < noise.std() < 0.20


@given(number=st.integers(0, 10**6), seed=st.integers(0, 2**31), away=st.floats(0.5, 2.0))
def test_the_price_lies_between_bid_and_ask_and_all_between_one_and_99_points(number, seed, away, quoted_at):
    found = quoted_at(away, f"m{number}", seed)
    assert 0.01 <= found.bid < found.p_yes < found.ask <= 0.99
    assert found.ask - found.bid <= 0.04 + 1e-12
    assert found.volume_usd > 0


@pytest.fixture(scope="module")
def quoted_at(asking, contexts) -> Callable:
    """Quotes whether bitcoin closes above a multiple of its price."""
    return lambda away, id, seed: quote(market(asking("close_above", at=away), id), contexts, NOW, seed)


def test_spreads_are_of_one_to_four_points(quoted):
    spreads = [found.ask - found.bid for found in (quoted("up", {}, f"m{number}") for number in range(300))]
    assert min(spreads) == pytest.approx(0.01, abs=0.001)
    assert max(spreads) == pytest.approx(0.04, abs=0.001)


def test_the_same_market_has_the_same_quote_and_another_one_another(quoted):
    assert quoted("up", {}) == quoted("up", {})
    assert quoted("up", {}).p_yes != quoted("up", {}, id="n").p_yes
    assert quoted("up", {}).p_yes != quoted("up", {}, seed=8).p_yes


def test_it_says_that_it_is_simulated(quoted):
    found = quoted("up", {}, id="daily-btc-up-20250503")
    assert (found.source, found.market_id, found.url) == ("simulated", "sim-daily-btc-up-20250503", None)
    assert found.fetched_at == NOW


def test_what_nothing_is_known_of_has_no_price(asking):
    with pytest.raises(Abstention):
        quote(market(asking("up")), {}, NOW, 7)
