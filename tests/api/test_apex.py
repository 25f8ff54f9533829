"""Apex and its fund, for everybody."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.forecasting.apex import Call
from service.forecasting.apex.call import Thresholds
from service.forecasting.apex.document import apex_document
from service.forecasting.apex.layers import LAYERS
from service.forecasting.apex.scores import ResolvedCall, score
from service.market.instants import DAY, HOUR
from service.trading.fund import fund_document, run
from tests.api.conftest import NOON
from tests.api.opened import header
from tests.api.public import hold
from tests.forecasting.apex.made import call_of
from tests.forecasting.made import made_bars

SPEAKING = [name for name in LAYERS if name != "market"]


def call(at: int, p_up: float, *, backfilled: bool = False) -> Call:
    """A call of all layers but that of the outside market, of one mind."""
    return call_of(at, p_up, backfilled=backfilled, **dict.fromkeys(SPEAKING, p_up))


def test_the_status_has_the_vote_its_layers_and_two_books(client: FlaskClient, publish, as_described):
    past = [ResolvedCall(call(NOON - day * DAY, 0.52, backfilled=day > 3), day % 2 == 0) for day in range(40, 1, -1)]
    document = apex_document(call(NOON, 0.6), Thresholds(), score(past), header())
    shown = hold(client, publish, as_described, "/api/apex/status", "apex", document)
    assert (shown["schema"], shown["asset"], shown["horizon_hours"]) == ("apex/1", "btc", 24)
    assert (shown["vote"]["direction"], shown["vote"]["bull_probability"]) == ("BULLISH", 60.0)
    assert [layer["name"] for layer in shown["layers"]] == list(LAYERS)
    assert [layer["name"] for layer in shown["layers"] if layer["silent"]] == ["market"]
    assert [(book["backfilled"], book["n"]) for book in shown["record"]] == [(False, 2), (True, 37)]
    assert shown["special_mode"]["active"] is False


def test_the_fund_starts_at_1000_dollars_and_marks_backfilled_points(client: FlaskClient, publish, as_described):
    start = NOON - 20 * DAY
    calls = [(at, 0.45 if place % 2 else 0.55) for place, at in enumerate(range(start, NOON, 4 * HOUR))]
    fund = run(calls, made_bars("btc", 20, 1, start), start)
    document = fund_document(fund, NOON - 2 * DAY, header())
    shown = hold(client, publish, as_described, "/api/apex/fund", "apex-fund", document)
    assert (shown["schema"], shown["initial_capital"]) == ("apex-fund/1", 1000.0)
    assert {point["backfilled"] for point in shown["equity"]} == {False, True}
    assert {book["backfilled"] for book in shown["books"]} == {False, True}
    assert shown["fees_usd"] > 0
