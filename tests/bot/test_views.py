"""Views with pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection

import pytest
from flask import Flask

from service.market.assets import ASSETS


def without_forecasts(web: Flask, assets: Collection[str], code: str) -> Callable:
    """The service, which refuses the forecasts of some assets with a 503 of this code."""

    def app(environ, start_response):
        path, _, asset = environ["PATH_INFO"].rpartition("/")
        if path != "/api/v1/forecasts" or asset not in assets:
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


@pytest.mark.parametrize("data", ["show:hospital:.99", "show:markets:.99", "show:challenges:.99", "show:lanes:nyse.0"])
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
