"""The news seat uses headlines where it was fitted to them, the calendar otherwise, and says which."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.voters import context, training
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.forecast_inputs import ForecastInputs, build_inputs
from service.forecasting.voters.input_history import survey
from service.forecasting.voters.inputs import HEADLINES
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.news_track import NewsTrack
from service.forecasting.voters.prompts import write
from service.forecasting.voters.seats import NEWS
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from tests.forecasting.made import DAYS, FIRST, NOW, made_bars

STORED = NOW - 45 * DAY  # when the inputs of headlines begin
BASED = "Based on {}."


@pytest.fixture(scope="module")
def news() -> dict[str, NewsTrack]:
    """Headlines of 45 days whose score changes its side every day."""
    hours = np.arange((NOW - STORED) // HOUR + 1)
    score = 0.4 * np.sign(np.sin(2 * np.pi * (hours + 0.5) / 48))
    volume = 0.2 * np.cos(hours)
    by_name = dict(zip(HEADLINES, (score, score, volume, score), strict=True))
    return {asset: NewsTrack(STORED, by_name) for asset in ("btc", "eth")}


@pytest.fixture(scope="module")
def led(news) -> dict[str, Bars]:
    """Bars that follow the score from the 75th day on: 0.1% an hour up or down."""
    led = {}
    for seed, asset in enumerate(("btc", "eth")):
        bars = made_bars(asset, DAYS, seed)
        score = np.nan_to_num(news[asset].at(bars.time)["news_level"])
        led[asset] = replace(bars, close=bars.close * np.exp(np.cumsum(0.0025 * score)))
    return led


@pytest.fixture(scope="module")
def fitted(led, news) -> Fits:
    return training.fit(led, NOW, news)


@pytest.fixture
def inputs(led, news, fitted, asking) -> ForecastInputs:
    knowledge = Knowledge(context.with_news(context.build_all(led, NOW), news), fitted)
    return build_inputs(asking("up", hours=24), NOW, knowledge)


def with_headlines(inputs: ForecastInputs, value: float | None) -> ForecastInputs:
    """The same inputs with another score of the headlines."""
    scores = dict.fromkeys(("news_level", "news_change", "news_surprise"), value) | {"news_volume": value and 0.0}
    return replace(inputs, state=replace(inputs.state, inputs={**inputs.state.inputs, **scores}))


def test_the_seat_learns_that_prices_follow_the_headlines(fitted):
    learnt = fitted.linear["news"]
    assert learnt.inputs == (*NEWS.inputs, *HEADLINES)
    by_name = dict(zip(learnt.inputs, learnt.coefficients, strict=True))
    assert by_name["news_level"] + by_name["news_change"] + by_name["news_surprise"] > 0.03


def test_good_headlines_raise_the_forecast_and_are_named(fitted, inputs, asking):
    question = asking("up", hours=24)
    good, bad = (NEWS.forecast(question, with_headlines(inputs, score)) for score in (0.4, -0.4))
    assert good.p > 0.5 > bad.p
    assert "news score of +0.40: +" in good.reasoning.lower()
    assert good.reasoning.endswith(BASED.format("headlines and the calendar"))


def test_without_scores_headlines_are_neutral_and_the_calendar_is_named(inputs, asking, fits, knowledge):
    """Where nothing was stored lately, and where the seat was fitted to the calendar."""
    question = asking("up", hours=24)
    alone = BASED.format("the calendar alone, not headlines")
    quiet = NEWS.forecast(question, with_headlines(inputs, None))
    assert quiet.reasoning.endswith(alone)
    assert "ews score" not in quiet.reasoning
    bad, good = (NEWS.forecast(question, with_headlines(inputs, score)).p for score in (-0.4, 0.4))
    assert bad < quiet.p < good
    assert fits.linear["news"].inputs == NEWS.inputs
    plain = NEWS.forecast(question, build_inputs(question, NOW, knowledge))
    assert plain.reasoning.endswith(alone)


def test_a_decided_question_names_no_basis(inputs, asking):
    question = asking("touch_above", at=0.5)
    assert NEWS.forecast(question, inputs).reasoning.endswith("has already been reached.")


def test_only_the_news_seat_has_inputs_of_headlines(fitted, fits):
    """Every other fit is the same with and without headlines of the same bars."""
    for name, linear in fitted.linear.items():
        assert bool(set(linear.inputs) & set(HEADLINES)) == (name == "news")
    assert set(fitted.linear) == set(fits.linear)


def test_headlines_after_the_slot_change_no_fit(led, news):
    """The prefix test: fitted ten days earlier, with and without what came after."""
    slot = NOW - 10 * DAY
    hours = (slot - STORED) // HOUR + 1
    past = {
        asset: NewsTrack(STORED, {name: values[:hours] for name, values in track.inputs.items()})
        for asset, track in news.items()
    }
    with_later, without = (training.fit(led, slot, tracks).to_plain() for tracks in (news, past))
    assert json.dumps(with_later) == json.dumps(without)
    assert with_later["linear"]["news"]["inputs"] == (*NEWS.inputs, *HEADLINES)


def test_before_headlines_are_stored_the_seat_is_fitted_to_the_calendar(led, news):
    """At a slot before their first hour."""
    assert training.fit(led, STORED - HOUR, news).linear["news"].inputs == NEWS.inputs


def test_a_panel_holds_headlines_only_at_their_hours(led, news):
    track = survey(led, news).tracks["btc"]
    scores = track.inputs["news_level"]
    first = (STORED - FIRST) // HOUR - 1
    assert np.isnan(scores[:first]).all()
    assert np.isfinite(scores[first:]).all()
    assert "news_level" not in survey(led).tracks["btc"].inputs


def test_a_model_in_the_seat_is_shown_the_calendar_beside_the_headlines(inputs, asking):
    message = write("news", asking("up", hours=24), inputs, "nonce").user
    assert "- btc: weekend share " in message
    assert "No headlines of the last 72 hours are stored." in message
