"""The documents that each chart is drawn from, and what a missing one means."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from flask import Flask

from bot.languages import speaking, translate
from bot.messages.terms import LIKELIHOODS
from bot.photos import default_period


@pytest.mark.slow
def test_lanes_of_all_time_are_complete(start, drawn):
    """The service gives 35 days of all lanes at once, so that all time is read lane by lane."""
    ann = start().person()
    ann.says("/lanes")
    ann.presses("Chart")
    ann.presses("All")
    history = drawn[-1][1]
    assert [len(lane["points"]) > 300 for lane in history["lanes"]] == [True] * 6


def test_a_chart_is_titled_in_english(ann, drawn):
    """Its other words are English, and its font has no Chinese letters; the caption is in the person's language."""
    ann.language = "zh"
    ann.says("Will Bitcoin be above $60k by the end of the month?")
    ann.presses("图表")
    likelihood, _, chance = drawn[-1][5].partition(": ")
    assert likelihood in LIKELIHOODS
    assert chance.endswith("%")
    with speaking("zh"):
        assert ann.newest.plain.startswith(f"{translate(likelihood)}：")


@pytest.mark.parametrize(
    ("kind", "ahead_h", "period"),
    [
        ("price", None, "7d"),
        ("fund", None, "all"),
        ("answer", 24, "24h"),
        ("answer", 25, "7d"),
        ("answer", 24 * 30, "30d"),
        ("answer", 24 * 300, "30d"),
    ],
)
def test_a_chart_of_an_answer_looks_as_far_back_as_the_question_ahead(kind, ahead_h, period):
    """The others show a week; curves of a point a day show everything."""
    answer = None if ahead_h is None else {"understood": {"horizon_hours": ahead_h}}
    assert default_period(kind, answer) == period


def refusing(web: Flask, words: str, status: str, code: str) -> Callable:
    """The service, which refuses requests whose address has these words."""

    def app(environ, start_response):
        if words not in f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}":
            return web(environ, start_response)
        start_response(status, [("Content-Type", "application/problem+json")])
        return [json.dumps({"status": int(status[:3]), "code": code, "detail": "No."}).encode()]

    return app


def test_a_price_without_a_forecast_is_drawn_alone(start, web, drawn):
    """While a market is closed there is none."""
    ann = start(refusing(web, "/api/v1/forecasts/", "503 SERVICE UNAVAILABLE", "unavailable")).person()
    ann.says("/price btc")
    ann.presses("Chart")
    assert drawn[-1][4] is None
    assert ann.newest.is_photo


def test_a_source_without_bars_of_five_minutes_is_drawn_by_the_hour(start, web, drawn):
    ann = start(refusing(web, "interval=5m", "400 BAD REQUEST", "invalid_request")).person()
    ann.says("/price btc")
    ann.presses("Chart")
    ann.presses("24 h")
    assert drawn[-1][3]["step_s"] == 3600


def test_a_market_is_drawn_as_its_answer_of_now(start, drawn):
    """With the price of now, the pool's latest probability, and the fan up to the deadline."""
    ann = start().person()
    ann.says("/markets")
    ann.presses("1. …")
    ann.presses("Chart")
    _, answer, quote, *_ = drawn[-1]
    assert answer["understood"]["spot"] == quote["price"]
    assert 0 < answer["p_yes"] < 1
