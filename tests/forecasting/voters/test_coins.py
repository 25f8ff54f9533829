"""A coin outside the seven is forecast by the same engine: at its own variance, and by every voter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.voters.context import Context, Knowledge, build_all
from service.forecasting.voters.embedded import SEATS
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.price_forecasts import of_question
from service.forecasting.voters.prompts.writing import write
from service.market.bars import Bars
from service.questions.question import Question
from tests.forecasting.made import NOW, panel_of
from tests.forecasting.voters.prompts.shown import NONCE, evidence

STRETCH = 2.0  # how much further the coin moves than ether


@pytest.fixture(scope="module")
def coin(hourly: Mapping[str, Bars]) -> Bars:
    """The hours of ether with every log return twice as large, at a hundredth of a cent."""
    ether = hourly["eth"]
    names = ("open", "high", "low", "close")
    prices = {name: 1e-4 * (getattr(ether, name) / ether.close[0]) ** STRETCH for name in names}
    return replace(ether, **prices)


@pytest.fixture(scope="module")
def informed(hourly: Mapping[str, Bars], coin: Bars, knowledge: Knowledge) -> Knowledge:
    """The knowledge of the seven with the context of the coin."""
    state = build_all({**hourly, "doge": coin}, NOW)["doge"]
    return replace(knowledge, contexts={**knowledge.contexts, "doge": state})


def _about_coin(asking: Callable[..., Question], contexts: Mapping[str, Context], **fields) -> Question:
    return replace(asking("open", "eth"), asset="doge", spot=contexts["doge"].spot, **fields)


def test_every_voter_forecasts_a_coin(asking, informed):
    spot = informed.contexts["doge"].spot
    question = _about_coin(asking, informed.contexts, comparator="touch_above", level=1.1 * spot)
    result = panel_of().ask(question, NOW, informed)
    assert len(result.ballots) == 9, result.abstained


def test_a_coin_has_the_width_of_its_own_variance(asking, informed):
    """Moves twice as large as those of ether give log returns with twice its standard deviation."""
    ether = of_question(asking("open", "eth"), NOW, informed)
    coin = of_question(_about_coin(asking, informed.contexts), NOW, informed)
    assert coin.sigma_pct == pytest.approx(STRETCH * ether.sigma_pct, rel=0.05)
    assert np.all(np.diff(list(coin.quantiles.values())) > 0)


@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("seat", [seat.name for seat in SEATS])
def test_a_prompt_can_be_about_a_coin(asking, hourly, coin, informed, seat, is_masked):
    """The coin comes first in the table of all moves; masked, no name of it is shown."""
    shown = evidence({**hourly, "doge": coin}, informed.contexts)
    inputs = build_inputs(_about_coin(asking, informed.contexts), NOW, replace(informed, evidence=shown))
    question = _about_coin(asking, informed.contexts, comparator="up")
    text = str(write(seat, question, inputs, NONCE, is_masked=is_masked))
    assert ("DOGE" in text) != is_masked
    if seat == "breadth" and not is_masked:
        assert text.index("doge (coin)") < text.index("btc (coin)")
