"""The nine voters with their embedded engines, and the price forecasts that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.densities.season import WEEK, Season
from service.forecasting.voters.ballots import Abstention, reasons_of
from service.forecasting.voters.context import Context, Knowledge, build_all
from service.forecasting.voters.forecast_inputs import build_inputs, density_of
from service.forecasting.voters.panel import SEATS, VOL, VOTERS
from service.forecasting.voters.price_forecasts import (
    HORIZONS,
    PERCENTS,
    ForecastDocument,
    by_name,
    describe,
    forecast_document,
    levels_document,
    of_question,
    pooled_sigma,
    up_in_a_day,
)
from service.forecasting.voters.prompts.writing import write
from service.market.assets import calendar_of
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, iso, utc
from service.questions.question import Question
from tests.forecasting.made import EVERY_KIND, NOW, panel_of
from tests.forecasting.markets import PLAIN_HEADER
from tests.forecasting.voters.prompts.shown import NONCE, evidence

NINE = {voter.name: voter for voter in VOTERS}
SATURDAY = 1_745_625_600  # 2025-04-26T00:00:00Z


@pytest.fixture(params=NINE, scope="module")
def voter(request):
    return NINE[request.param]


@pytest.mark.parametrize(("comparator", "fields"), EVERY_KIND)
def test_every_voter_answers_every_kind(voter, query, knowledge, comparator, fields):
    """With a probability, and no view of the direction: a rise is as likely as a fall."""
    question = query(comparator, **fields)
    forecast = voter.forecast(question, build_inputs(question, NOW, knowledge))
    assert 0 <= forecast.p <= 1
    assert forecast.p_up == pytest.approx(0.5, abs=1e-9)
    assert "sigma" in forecast.reasoning
    assert reasons_of(forecast.reasoning)
    assert [asset for asset in question.assets if asset not in forecast.reasoning] == []


def test_the_reason_names_sizes_and_distances(query, knowledge):
    question = query("close_above", at=1.02)
    inputs = build_inputs(question, NOW, knowledge)
    sigma = density_of("garch", inputs.state, knowledge.fits).sigma
    reasoning = NINE["garch"].forecast(question, inputs).reasoning
    assert reasoning.startswith(f"From a GARCH process: one sigma until the deadline is {100 * sigma:.1f}% for btc")
    assert "is +2.0% away, " in reasoning


def test_before_the_first_fit_all_nine_use_plain_volatility(voter, query, contexts):
    question = query("close_above", at=1.02)
    inputs = build_inputs(question, NOW, Knowledge(contexts))
    forecast = voter.forecast(question, inputs)
    assert forecast.p == inputs.state.plain.above(inputs.state.distance(question.level))
    assert forecast.reasoning.startswith("From plain volatility: ")


def test_a_market_without_open_hours_keeps_its_price(voter, query, hourly, fits):
    """Asked on a Saturday with a deadline on Sunday at noon; the direction is that of no price at all."""
    contexts = build_all(hourly, SATURDAY)
    spot = contexts["gold"].spot
    question = replace(query("up", "gold", 36.0), deadline=utc(SATURDAY + 36 * HOUR), spot=spot)
    inputs = build_inputs(question, SATURDAY, Knowledge(contexts, fits))
    rise = voter.forecast(question, inputs)
    assert (rise.p, rise.p_up) == (0.0, 0.5)
    inside = voter.forecast(replace(question, comparator="between", level=0.99 * spot, upper_level=1.01 * spot), inputs)
    assert inside.p == 1.0
    assert "is closed until the deadline" in inside.reasoning


def test_a_source_that_trades_while_its_market_is_closed_is_uncertain(voter, query, hourly, fits):
    """A token of gold at the weekend: its price moves, and the question is settled by it."""
    contexts = build_all(hourly, SATURDAY)
    now, spot = SATURDAY + 2 * HOUR, contexts["gold"].spot
    contexts["gold"] = contexts["gold"].at_price(spot, now)
    question = replace(query("up", "gold", 28.0), deadline=utc(SATURDAY + 30 * HOUR), spot=spot)
    forecast = voter.forecast(question, build_inputs(question, now, Knowledge(contexts, fits)))
    assert forecast.p == 0.5
    assert "is closed" not in forecast.reasoning
    range_question = replace(question, comparator="range", level_pct=1.0)
    with pytest.raises(Abstention, match="the market of gold is closed until the deadline"):
        voter.forecast(range_question, build_inputs(range_question, now, Knowledge(contexts, fits)))


def test_without_fresh_bars_every_voter_abstains(voter, query, contexts, fits):
    """Nor can two assets without common hours be compared."""
    rise, comparison = query("up", hours=200), query("relative", other_asset="gold")
    short_history, no_overlap = (
        {**contexts, "btc": replace(contexts["btc"], **fields)}
        for fields in ({"history_days": 13.0}, {"correlations": {"gold": None}})
    )
    for question, now, knowledge, reason in (
        (rise, NOW, {}, "no bars of btc are stored"),
        (rise, NOW + 31 * HOUR, contexts, "the last bar of btc is 31 open hours old"),
        (rise, NOW, short_history, "needs 14 days of hourly bars of btc, 13 are stored"),
        (comparison, NOW, no_overlap, "too few hours in which both assets traded"),
    ):
        with pytest.raises(Abstention, match=f"^{reason}$"):
            voter.forecast(question, build_inputs(question, now, Knowledge(knowledge, fits)))


@pytest.fixture(scope="module")
def coin(hourly: Mapping[str, Bars]) -> Bars:
    """The hours of ether with every log return twice as large, at a hundredth of a cent."""
    ether = hourly["eth"]
    names = ("open", "high", "low", "close")
    return replace(ether, **{name: 1e-4 * (getattr(ether, name) / ether.close[0]) ** 2 for name in names})


@pytest.fixture(scope="module")
def coin_knowledge(hourly: Mapping[str, Bars], coin: Bars, knowledge: Knowledge) -> Knowledge:
    """The knowledge of the seven with the context of the coin."""
    state = build_all({**hourly, "pepe": coin}, NOW)["pepe"]
    return replace(knowledge, contexts={**knowledge.contexts, "pepe": state})


def _about_coin(query: Callable[..., Question], contexts: Mapping[str, Context], **fields) -> Question:
    return replace(query("open", "eth"), asset="pepe", spot=contexts["pepe"].spot, **fields)


def test_a_coin_has_the_width_of_its_own_variance(query, coin_knowledge):
    """All voters forecast it. Moves twice as large as those of ether give twice its standard deviation."""
    level = 1.1 * coin_knowledge.contexts["pepe"].spot
    question = _about_coin(query, coin_knowledge.contexts, comparator="touch_above", level=level)
    assert len(panel_of().ask(question, NOW, coin_knowledge).ballots) == 9
    ether = of_question(query("open", "eth"), NOW, coin_knowledge)
    coin = of_question(_about_coin(query, coin_knowledge.contexts), NOW, coin_knowledge)
    assert coin.sigma_pct == pytest.approx(2 * ether.sigma_pct, rel=0.05)
    assert np.all(np.diff(list(coin.quantiles.values())) > 0)


@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("seat", [seat.name for seat in SEATS])
def test_a_prompt_can_be_about_a_coin(query, hourly, coin, coin_knowledge, seat, is_masked):
    """The coin comes first in the table of all moves; masked, no name of it is shown."""
    exhibit = evidence({**hourly, "pepe": coin}, coin_knowledge.contexts)
    inputs = build_inputs(_about_coin(query, coin_knowledge.contexts), NOW, replace(coin_knowledge, evidence=exhibit))
    question = _about_coin(query, coin_knowledge.contexts, comparator="up")
    text = str(write(seat, question, inputs, NONCE, is_masked=is_masked))
    assert ("PEPE" in text) != is_masked
    if seat == "breadth" and not is_masked:
        assert text.index("pepe (coin)") < text.index("btc (coin)")


@pytest.fixture(scope="module")
def forecasts(knowledge) -> dict[str, ForecastDocument]:
    return describe(knowledge, NOW, PLAIN_HEADER)


def test_quantiles_rise_and_the_median_is_the_price(forecasts):
    """A longer horizon is wider."""
    for forecast in forecasts.values():
        for horizon in forecast.horizons:
            for quantiles in (horizon.quantiles, *(view.quantiles for view in horizon.voters.values())):
                assert [*quantiles.values()] == sorted(quantiles.values())
                assert quantiles["50"] == pytest.approx(forecast.price, rel=1e-6)
    widths = [horizon.quantiles["95"] - horizon.quantiles["5"] for horizon in forecasts["btc"].horizons]
    assert widths == sorted(widths)


def test_a_voter_answers_what_its_quantiles_say(forecasts, knowledge, query):
    """The base rate asked whether the price will be above its own 90% quantile in a day says about 10%."""
    forecast = forecasts["btc"]
    (day,) = (horizon for horizon in forecast.horizons if horizon.horizon == "24h")
    question = replace(query("close_above", hours=24), spot=forecast.price, level=day.voters["vol"].quantiles["90"])
    assert VOL.forecast(question, build_inputs(question, NOW, knowledge)).p == pytest.approx(0.1, abs=1e-5)


def test_a_market_that_stays_closed_keeps_its_price(knowledge):
    """Gold on a Saturday: an hour has no open minute."""
    gold = replace(knowledge.contexts["gold"], as_of=SATURDAY - 3 * HOUR)
    calendar = replace(knowledge.fits.calendars["always"], season=Season((0.0,) * WEEK))
    fits = replace(knowledge.fits, calendars={calendar_of("gold"): calendar})
    forecast = describe(replace(knowledge, contexts={"gold": gold}, fits=fits), SATURDAY, PLAIN_HEADER)["gold"]
    first = forecast.horizons[0]
    assert (forecast.price_as_of, first.until) == (iso(SATURDAY - 3 * HOUR), iso(SATURDAY + HOUR))
    assert (first.open_hours, first.sigma_pct) == (0, 0)
    assert list(first.quantiles.values()) == pytest.approx([forecast.price] * len(PERCENTS), rel=1e-6)


def test_without_fitted_models_there_is_no_forecast(query, knowledge):
    """Before the first fit, with a context of the version before, or from old bars, from which voters abstain."""
    base = replace(knowledge, fits=None)
    blind = {asset: replace(context, level=None) for asset, context in knowledge.contexts.items()}
    assert describe(base, NOW, PLAIN_HEADER) == {}
    assert describe(replace(knowledge, contexts=blind), NOW, PLAIN_HEADER) == {}
    assert "btc" not in describe(knowledge, NOW + 2 * DAY, PLAIN_HEADER)
    assert pooled_sigma(base, "btc", NOW, NOW + DAY) is None
    assert of_question(query("open"), NOW, base) is of_question(query("up"), NOW, knowledge) is None


def test_a_price_question_has_the_published_forecast(query, knowledge, forecasts):
    """The same quantiles as the document of its asset at the same horizon, and the same sigma, in percent there."""
    (horizon,) = [entry for entry in forecasts["btc"].horizons if entry.horizon == "3d"]
    assert replace(of_question(query("open"), NOW, knowledge), horizon="3d") == horizon
    assert pooled_sigma(knowledge, "btc", NOW, NOW + 3 * DAY) == pytest.approx(horizon.sigma_pct / 100, abs=1e-5)


@pytest.mark.parametrize("hours", [5, 24 * 22, 24 * 300])
def test_quantiles_at_an_instant_agree_with_levels(knowledge, hours):
    """The price is above the quantile `25` with a probability of 75%, also months ahead."""
    until = NOW + hours * HOUR
    (horizon,) = forecast_document(knowledge, "btc", NOW, {"then": hours * HOUR}, PLAIN_HEADER).horizons
    levels = levels_document(knowledge, "btc", NOW, until, horizon.quantiles.values(), PLAIN_HEADER).levels
    assert horizon.until == iso(until)
    assert [level.p_above for level in levels] == pytest.approx([1 - percent / 100 for percent in PERCENTS], abs=1e-3)


def test_each_horizon_is_published_alone_as_well(forecasts, contexts):
    """One document with all of them, and one for each. The question of a day is whether the price rises."""
    documents = by_name({"btc": forecasts["btc"]})
    assert list(documents) == ["forecasts/btc", *(f"forecasts/btc/{horizon}" for horizon in HORIZONS)]
    assert documents["forecasts/btc"] == forecasts["btc"]
    assert documents["forecasts/btc/24h"] == replace(forecasts["btc"], horizons=forecasts["btc"].horizons[2:3])
    question = up_in_a_day("btc", contexts["btc"].spot, NOW)
    assert (question.asset, question.comparator, question.deadline) == ("btc", "up", utc(NOW + DAY))
    assert (question.horizon_hours, question.spot, question.polarity) == (24.0, contexts["btc"].spot, "bull")
