"""Views with pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection

import pytest
from flask import Flask

from bot.store import OwnCall
from bot.views import called_markets
from service.market.assets import ASSETS


def without_forecasts(web: Flask, assets: Collection[str], code: str, folder: str = "/api/v1/forecasts") -> Callable:
    """The service, which refuses the forecasts of some assets with a 503 of this code."""

    def app(environ, start_response):
        path, _, asset = environ["PATH_INFO"].rpartition("/")
        if path != folder or asset not in assets:
            return web(environ, start_response)
        start_response("503 SERVICE UNAVAILABLE", [("Content-Type", "application/problem+json")])
        return [json.dumps({"status": 503, "code": code, "detail": "No.", "retry_after_s": 40}).encode()]

    return app


@pytest.mark.parametrize(
    ("code", "sentence"),
    [("history_arriving", "about 40 s left"), ("unavailable", "There is no forecast at the moment")],
)
def test_no_forecast_at_all_has_its_reason(start, web, code, sentence):
    """An arriving history is no closed market."""
    ann = start(without_forecasts(web, ASSETS, code)).person()
    assert sentence in ann.says("/forecast").plain


def test_the_forecasts_that_exist_are_shown(start, web):
    """The history of another asset is still arriving."""
    ann = start(without_forecasts(web, [code for code in ASSETS if code != "btc"], "history_arriving")).person()
    reply = ann.says("/forecast").plain
    assert "Prices in 24 hours" in reply
    assert "40 s" not in reply


@pytest.mark.parametrize("data", ["show:markets:.99", "show:challenges:.99", "show:top:nyse.0"])
def test_a_page_beyond_the_end_is_the_last(ann, data):
    reply = ann.says("/help")
    ann.sends_data(data, reply)
    assert "/quota" not in reply.plain


def test_markets_have_pages(ann):
    reply = ann.says("/markets")
    assert "1." in reply.plain
    ann.presses("▶")
    assert "2 of " in reply.plain
    assert "5. Yes" in reply.buttons
    ann.presses("◀")
    assert "1. Yes" in reply.buttons
    assert "◀" not in reply.buttons
    assert len(ann.messages) == 1


@pytest.fixture
def called(stage):
    """The ids of the documents that some calls are on, each with its call."""
    service = stage.application.bot_data["state"].service

    def run(*calls: OwnCall) -> list[tuple[OwnCall, str]]:
        return [(call, document["id"]) for call, document in stage.runner.run(called_markets(service, calls))]

    return run


def test_a_call_on_a_listed_market_has_it(stage, called):
    service = stage.application.bot_data["state"].service
    market_id = stage.runner.run(service.predictions())["markets"][0]["id"]
    call = OwnCall(market_id, "yes", 0.7)
    assert called(call) == [(call, market_id)]


def test_a_call_on_nothing_that_exists_is_left_out(called):
    assert called(OwnCall("gone", "yes", None), OwnCall("challenge-999999", None, 0.2)) == []


def test_a_challenge_is_read_by_its_number(ann, called, store, monkeypatch):
    """It is in no list, and only so many are read one by one."""
    ann.says("/challenge Will Bitcoin be above $72k on 2026-12-31?")
    ann.presses("Create")
    ann.presses("No")
    (call,) = store.own_calls(ann.id, 1)
    assert called(call) == [(call, call.prediction_id)]
    monkeypatch.setattr("bot.views.MAX_READS", 0)
    assert called(call) == []


def test_the_research_links_to_the_pages_of_the_service(start):
    """Each line has a link to its page; without a public address there is none."""
    page = "https://ninefold.example/#/"
    text = start(bot_home_url="https://ninefold.example/").person().says("/research").text
    assert [text.count(f'"{page}{name}"') for name in ("lanes", "hospital", "accuracy", "apex", "")] == [1, 2, 2, 2, 1]
    assert "href" not in start().person().says("/research").text


@pytest.mark.parametrize("command", ["/research", "/lanes", "/top"])
def test_lanes_and_strategies_have_the_names_for_people(ann, command):
    """No key of the service, such as lp_wide or macd_slow."""
    assert "_" not in ann.says(command).plain


def test_the_research_leaves_out_what_does_not_exist_yet(start, web):
    ann = start(without_forecasts(web, ["status"], "unavailable", "/api/apex")).person()
    text = ann.says("/research").plain
    assert "Paper accounts" in text
    assert "Apex, Bitcoin" not in text
    assert "not counted" in ann.says("/brain").plain
