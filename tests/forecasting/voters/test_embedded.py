"""The nine voters with their embedded engines: what they need, what they answer, and a coin outside the seven."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Context, Knowledge, build_all
from service.forecasting.voters.embedded import SEATS, voters
from service.forecasting.voters.forecast_inputs import build_inputs, density_of
from service.forecasting.voters.price_forecasts import of_question
from service.forecasting.voters.prompts.writing import write
from service.market.bars import Bars
from service.market.instants import HOUR, utc
from service.questions.question import Question
from tests.forecasting.made import EVERY_KIND, NOW, panel_of
from tests.forecasting.voters.prompts.shown import NONCE, evidence

NINE = {voter.name: voter for voter in voters()}
SATURDAY = 1_745_625_600  # 2025-04-26T00:00:00Z


@pytest.fixture(params=NINE, scope="module")
def voter(request):
    return NINE[request.param]


@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
def test_every_voter_answers_every_kind(voter, asking, knowledge, comparator, fields):
    """With a probability, and no view of the direction: a rise is as likely as a fall."""
    question = asking(comparator, **fields)
    forecast = voter.forecast(question, build_inputs(question, NOW, knowledge))
    assert 0 <= forecast.p <= 1
    assert forecast.p_up == pytest.approx(0.5, abs=1e-9)
    assert "sigma" in forecast.reasoning


def test_the_reason_names_sizes_and_distances(asking, knowledge):
    question = asking("close_above", at=1.02)
    inputs = build_inputs(question, NOW, knowledge)
    sigma = density_of("garch", inputs.state, knowledge.fits).sigma
    reasoning = NINE["garch"].forecast(question, inputs).reasoning
    assert reasoning.startswith(f"From a GARCH process: one sigma until the deadline is {100 * sigma:.1f}% for btc")
    assert "is +2.0% away, " in reasoning


def test_before_the_first_fit_all_nine_use_plain_volatility(voter, asking, contexts):
    question = asking("close_above", at=1.02)
    inputs = build_inputs(question, NOW, Knowledge(contexts))
    forecast = voter.forecast(question, inputs)
    assert forecast.p == inputs.state.plain.above(inputs.state.distance(question.level))
    assert forecast.reasoning.startswith("From plain volatility: ")


def test_a_closed_market_keeps_its_price(voter, asking, hourly, fits):
    """Asked on a Saturday with a deadline on Sunday at noon; the direction is that of no price at all."""
    contexts = build_all(hourly, SATURDAY)
    closed = replace(
        asking("up", "gold", 36.0), deadline=utc(SATURDAY + 36 * HOUR), spot=contexts["gold"].spot, horizon_hours=36.0
    )
    inputs = build_inputs(closed, SATURDAY, Knowledge(contexts, fits))
    rise = voter.forecast(closed, inputs)
    assert (rise.p, rise.p_up) == (0.0, 0.5)
    inside = replace(closed, comparator="between", level=closed.spot * 0.99, upper_level=closed.spot * 1.01)
    assert voter.forecast(inside, inputs).p == 1.0
    assert "is closed until the deadline" in voter.forecast(inside, inputs).reasoning


def test_a_source_that_trades_while_its_market_is_closed_is_uncertain(voter, asking, hourly, fits):
    """A token of gold at the weekend: its price moves, and the question is settled by it."""
    contexts = build_all(hourly, SATURDAY)
    now, spot = SATURDAY + 2 * HOUR, contexts["gold"].spot
    contexts["gold"] = contexts["gold"].at_price(spot, now)
    until = utc(SATURDAY + 30 * HOUR)
    question = replace(asking("up", "gold", 28.0), deadline=until, spot=spot, horizon_hours=28.0)
    inputs = build_inputs(question, now, Knowledge(contexts, fits))
    assert voter.forecast(question, inputs).p == 0.5
    assert "is closed" not in voter.forecast(question, inputs).reasoning
    ranged = replace(question, comparator="range", level_pct=1.0)
    with pytest.raises(Abstention, match="the market of gold is closed until the deadline"):
        voter.forecast(ranged, build_inputs(ranged, now, Knowledge(contexts, fits)))


def reason(voter, question, now, contexts, fits) -> str:
    with pytest.raises(Abstention) as caught:
        voter.forecast(question, build_inputs(question, now, Knowledge(contexts, fits)))
    return caught.value.reason


def test_without_fresh_bars_every_voter_abstains(voter, asking, contexts, fits):
    assert reason(voter, asking("up"), NOW, {}, fits) == "no bars of btc are stored"
    late = NOW + 31 * HOUR
    assert reason(voter, asking("up", hours=200), late, contexts, fits) == "the last bar of btc is 31 open hours old"
    young = {**contexts, "btc": replace(contexts["btc"], history_days=13.0)}
    assert reason(voter, asking("up"), NOW, young, fits) == "needs 14 days of hourly bars of btc, 13 are stored"


def test_two_assets_without_common_hours_cannot_be_compared(voter, asking, contexts, fits):
    apart = replace(contexts["btc"], correlations={"gold": None})
    question = asking("relative", other_asset="gold")
    assert reason(voter, question, NOW, {**contexts, "btc": apart}, fits) == "too few hours in which both assets traded"


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
