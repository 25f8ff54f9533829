"""Price forecasts: ordered, centred on the price, wider with time, and the same as what the voters answer."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from service.forecasting.densities.season import WEEK, Season
from service.forecasting.voters.embedded import VOL
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.price_forecasts import (
    HORIZONS,
    PERCENTS,
    ForecastDocument,
    Horizon,
    by_name,
    describe,
    of_question,
    pooled_sigma,
    up_in_a_day,
)
from service.market.assets import calendar_of
from service.market.headers import header
from service.market.instants import DAY, HOUR, iso, utc
from tests.forecasting.made import NOW

HEADER = header(NOW, NOW, step=HOUR, world="simulated", sources={"btc": "made for a test"})


def described(knowledge, now: int = NOW) -> dict[str, ForecastDocument]:
    return describe(knowledge, now, HEADER)


@pytest.fixture(scope="module")
def forecasts(knowledge) -> dict[str, ForecastDocument]:
    return described(knowledge)


def test_quantiles_rise_and_the_median_is_the_price(forecasts):
    for forecast in forecasts.values():
        for horizon in forecast.horizons:
            for quantiles in (horizon.quantiles, *(view.quantiles for view in horizon.voters.values())):
                prices = list(quantiles.values())
                assert prices == sorted(prices)
                assert quantiles["50"] == pytest.approx(forecast.price, rel=1e-6)


def test_a_longer_horizon_is_wider(forecasts):
    widths = [horizon.quantiles["95"] - horizon.quantiles["5"] for horizon in forecasts["btc"].horizons]
    assert widths == sorted(widths)


def test_a_voter_answers_what_its_quantiles_say(forecasts, knowledge, asking):
    """The base rate asked whether the price will be above its own 90% quantile in a day says about 10%."""
    forecast = forecasts["btc"]
    hours = HORIZONS["24h"] // HOUR
    (day,) = (horizon for horizon in forecast.horizons if horizon.horizon == "24h")
    question = replace(asking("close_above", hours=hours), spot=forecast.price, level=day.voters["vol"].quantiles["90"])
    assert VOL.forecast(question, build_inputs(question, NOW, knowledge)).p == pytest.approx(0.1, abs=1e-5)


def test_a_market_that_stays_closed_keeps_its_price(knowledge):
    """Gold on a Saturday: an hour has no open minute."""
    saturday = 1_745_625_600  # 2025-04-26T00:00:00Z
    gold = replace(knowledge.contexts["gold"], as_of=saturday - 3 * HOUR)
    closed = replace(knowledge.fits.calendars["always"], season=Season((0.0,) * WEEK))
    fits = replace(knowledge.fits, calendars={calendar_of("gold"): closed})
    forecast = described(replace(knowledge, contexts={"gold": gold}, fits=fits), saturday)["gold"]
    first = forecast.horizons[0]
    assert (forecast.price_as_of, first.until) == (iso(saturday - 3 * HOUR), iso(saturday + HOUR))
    assert (first.open_hours, first.sigma_pct) == (0, 0)
    assert list(first.quantiles.values()) == pytest.approx([forecast.price] * len(PERCENTS), rel=1e-6)


def test_without_fitted_models_there_is_no_forecast(knowledge):
    """Before the first fit, or with a context of the version before."""
    assert described(replace(knowledge, fits=None)) == {}
    assert "btc" not in described(knowledge, NOW + 2 * DAY), "nor one from old bars, from which voters abstain"
    blind = {asset: replace(context, level=None) for asset, context in knowledge.contexts.items()}
    assert described(replace(knowledge, contexts=blind)) == {}


def test_the_pooled_sigma_is_the_published_one(forecasts, knowledge):
    """In percent; None where no models are fitted."""
    (week,) = (horizon for horizon in forecasts["btc"].horizons if horizon.horizon == "7d")
    assert pooled_sigma(knowledge, "btc", NOW, NOW + 7 * DAY) == pytest.approx(week.sigma_pct / 100, abs=1e-5)
    assert pooled_sigma(replace(knowledge, fits=None), "btc", NOW, NOW + DAY) is None


def test_a_price_question_has_the_published_forecast(asking, knowledge, forecasts):
    """The same quantiles as the document of its asset at the same horizon."""
    (published,) = [each for each in forecasts["btc"].horizons if each.horizon == "3d"]
    assert replace(of_question(asking("open"), NOW, knowledge), horizon="3d") == published


def test_other_questions_have_no_price_forecast(asking, knowledge):
    """Neither has one asked before the models are fitted."""
    assert of_question(asking("up"), NOW, knowledge) is None
    assert of_question(asking("open"), NOW, replace(knowledge, fits=None)) is None


def test_each_horizon_is_published_alone_as_well(forecasts):
    """One document with all of them, and one for each."""
    published = by_name({"btc": forecasts["btc"]})
    assert list(published) == ["forecasts/btc", *(f"forecasts/btc/{horizon}" for horizon in HORIZONS)]
    assert published["forecasts/btc"] == forecasts["btc"]
    assert published["forecasts/btc/24h"] == replace(forecasts["btc"], horizons=forecasts["btc"].horizons[2:3])
    assert get_args(Horizon) == tuple(HORIZONS)


def test_the_question_is_whether_the_price_rises_in_a_day(contexts):
    question = up_in_a_day("btc", contexts["btc"].spot, NOW)
    assert (question.asset, question.comparator, question.deadline) == ("btc", "up", utc(NOW + DAY))
    assert (question.horizon_hours, question.spot, question.polarity) == (24.0, contexts["btc"].spot, "bull")
