"""Apex and its fund, for everybody."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.forecasting.apex.call import Call, Thresholds
from service.forecasting.apex.document import apex_document
from service.forecasting.apex.layers import LAYERS
from service.forecasting.apex.scores import ResolvedCall, score
from service.market.instants import DAY, HOUR, iso
from service.store import bars, sequences
from service.store.plain import apex_calls
from service.trading.fund import FundTradesDocument, fund_document, published_trade, run
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


def test_every_trade_of_the_fund_is_listed(client: FlaskClient, sqlite, as_described):
    """More than the last hundred; cash and quantity follow from them."""
    start = NOON - 30 * DAY
    calls = [(at, 0.45 if place % 2 else 0.55) for place, at in enumerate(range(start, NOON, 4 * HOUR))]
    fund = run(calls, made_bars("btc", 30, 1, start), start)
    trades = [published_trade(trade, NOON - 2 * DAY) for trade in fund.trades]
    with sqlite.writing() as db:
        sequences.keep(db, "fund_trades", [trade.time for trade in fund.trades], lambda place: vars(trades[place]))
    path, seen = "/api/apex/fund/trades", []
    while path:
        answer = client.get(path)
        assert list(answer.json) == list(FundTradesDocument.__dataclass_fields__)
        as_described("/api/apex/fund/trades", answer.json)
        seen += answer.json["trades"]
        path = answer.headers["Link"].split(">")[0][1:] if answer.json["next"] else None
    assert seen == [vars(trade) for trade in reversed(trades)]
    assert len(seen) > 100
    signs = [(-1 if trade["side"] == "buy" else 1, trade) for trade in seen]
    cash = fund.terms.capital + sum(sign * trade["value_usd"] - trade["fee_usd"] for sign, trade in signs)
    assert abs(cash - fund.cash) < 0.01 * len(seen)
    assert abs(sum(-sign * trade["quantity_btc"] for sign, trade in signs) - fund.quantity) < 1e-8 * len(seen)


def test_every_call_is_listed_with_its_outcome(client: FlaskClient, sqlite, as_described):
    """Two pages, newest first; the call of today is not resolved."""
    start = NOON - 60 * HOUR
    hours = made_bars("btc", 10, 1, NOON - 10 * DAY)
    closes = dict(zip((hours.time + HOUR).tolist(), hours.close.tolist(), strict=True))
    calls = [
        call_of(at, 0.6, closes[at], backfilled=at < start + DAY, **{SPEAKING[0]: 0.7})
        for at in range(start, NOON, DAY)
    ]
    with sqlite.writing() as db:
        bars.add(db, "btc", hours)
        for each in calls:
            apex_calls.add(db, each.at, each.to_plain(), p_up=each.p_up, backfilled=each.backfilled)
    first = client.get("/api/apex/calls?limit=2")
    last = client.get(first.headers["Link"].split(">")[0][1:])
    listed = first.json["calls"] + last.json["calls"]
    assert [each["called_at"] for each in listed] == [iso(each.at) for each in reversed(calls)]
    assert [each["outcome"] for each in listed] == [
        None,
        *("yes" if closes[each.at + DAY] > each.spot else "no" for each in reversed(calls[:-1])),
    ]
    assert [each["backfilled"] for each in listed] == [False, False, True]
    assert {layer["name"]: layer["p_up"] for layer in listed[0]["layers"] if layer["p_up"]} == {SPEAKING[0]: 0.7}
    assert (first.json["count"], last.json["next"]) == (2, None)
    as_described("/api/apex/calls", first.json)
