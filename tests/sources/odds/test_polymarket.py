"""Polymarket's rows as it writes them: what is read of an open market, and what counts as resolved."""

from __future__ import annotations

import json

import pytest

from service.forecasting.predictions.imports import OutsideMarket, Refusal
from service.market.instants import unix
from service.sources.odds.polymarket import POLYMARKET

FETCH_TIME = 1_773_241_200


def parsed(row) -> OutsideMarket | Refusal:
    markets, refusals = POLYMARKET.markets([row], FETCH_TIME)
    return (markets + refusals)[0]


def reason(row) -> str:
    refusal = parsed(row)
    assert isinstance(refusal, Refusal)
    return refusal.reason


def test_an_open_market_is_read_from_lists_inside_strings(bitcoin_row):
    """The volume is the number, not the string, and an ask of 1 means that there is no ask."""
    market = parsed(bitcoin_row)
    assert (market.odds.market_id, market.id) == ("1500056", "polymarket-1500056")
    assert market.terms.question == "Will the price of Bitcoin be above $64,000 on March 11?"
    assert market.terms.group == "64,000"
    assert (market.odds.p_yes, market.odds.bid, market.odds.ask) == (0.9995, 0.999, None)
    assert market.volume_usd == 1089793.929661999
    assert market.terms.deadline == unix("2026-03-11T16:00:00Z")
    assert market.odds.url == "https://polymarket.com/market/bitcoin-above-64k-on-march-11"
    assert (market.odds.fetched_at, market.odds.source, market.measured_from) == (FETCH_TIME, "polymarket", None)
    assert parsed(bitcoin_row | {"slug": 'x"><script>'}).odds.url is None
    assert market.terms.rules.startswith('This market will resolve to "Yes" if the Binance 1 minute candle')


def test_up_is_yes_and_has_its_reference_instant(up_row):
    market = parsed(up_row)
    assert (market.odds.p_yes, market.odds.bid, market.odds.ask) == (0.505, 0.5, 0.51)
    assert market.measured_from == unix("2026-03-12T09:20:00Z")
    down_first = {"outcomes": '["Down", "Up"]', "outcomePrices": '["0.3", "0.7"]'}
    assert parsed(up_row | down_first).odds.p_yes == 0.7


def test_where_yes_stands_second_its_price_is_the_second_one(bitcoin_row):
    """Bid and ask are those of the first outcome: who bids 40 cents for No asks 60 for Yes."""
    no_first = {"outcomes": '["No", "Yes"]', "outcomePrices": '["0.41", "0.59"]', "bestBid": 0.40, "bestAsk": 0.42}
    market = parsed(bitcoin_row | no_first)
    assert market.odds.p_yes == 0.59
    assert (market.odds.bid, market.odds.ask) == (pytest.approx(0.58), pytest.approx(0.60))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": None}, "no id"),
        ({"id": "../../1"}, "no id"),
        ({"closed": True}, "not open"),
        ({"active": "true"}, "not open"),
        ({"acceptingOrders": False}, "not open"),
        ({"outcomes": '["Long", "Short"]'}, "not yes and no"),
        ({"outcomes": '["Yes", "No", "Maybe"]'}, "not yes and no"),
        ({"outcomes": '["Yes", 7]'}, "not yes and no"),
        ({"outcomes": '["Yes", 7, "No"]'}, "not yes and no"),
        ({"outcomes": '["Yes", '}, "not yes and no"),
        ({"outcomes": None}, "not yes and no"),
        ({"outcomePrices": None}, "prices are missing"),
        ({"outcomePrices": "[null, null]"}, "prices are missing"),
        ({"outcomePrices": '["0.5"]'}, "prices are missing"),
        ({"outcomePrices": '["0", "0"]'}, "prices are missing"),
        ({"outcomePrices": '["NaN", "0.5"]'}, "prices are missing"),
        ({"outcomePrices": '["5", "-4"]'}, "prices are missing"),
        ({"volumeNum": None}, "volume"),
        ({"volumeNum": "many"}, "volume"),
        ({"endDate": "soon"}, "end"),
        ({"bestBid": 0.9, "bestAsk": 0.8}, "bid is above its ask"),
    ],
)
def test_an_unusable_row_is_refused_with_the_reason(bitcoin_row, change, why):
    assert why in reason(bitcoin_row | change)


def test_a_resolved_market_pays_one_side(resolved_row):
    """It was resolved in March 2026, almost two years before its end date."""
    settlement = POLYMARKET.settlements([resolved_row], ["1460332"], FETCH_TIME)["1460332"][0]
    assert (settlement.outcome, settlement.source) == ("no", "polymarket")
    assert settlement.resolved_at == unix("2026-03-19T23:20:15Z")
    assert settlement.evidence == "Yes pays 0, No pays 1"
    row = resolved_row | {"closedTime": None, "umaEndDate": None}
    assert POLYMARKET.settlements([row], ["1460332"], FETCH_TIME)["1460332"][0].resolved_at == FETCH_TIME


@pytest.mark.parametrize(
    ("outcomes", "prices", "outcome"),
    [
        (["Yes", "No"], ["1", "0"], "yes"),
        (["No", "Yes"], ["1", "0"], "no"),
        (["No", "Yes"], ["0", "1"], "yes"),
        (["Up", "Down"], ["1", "0"], "yes"),
        (["Down", "Up"], ["1", "0"], "no"),
        (["Yes", "No"], ["0.5", "0.5"], "void"),
    ],
)
def test_the_side_that_pays_is_the_outcome(resolved_row, outcomes, prices, outcome):
    """Fifty-fifty is how Polymarket settles what was cancelled, or cannot be known."""
    row = resolved_row | {"outcomes": json.dumps(outcomes), "outcomePrices": json.dumps(prices)}
    assert POLYMARKET.settlements([row], ["1460332"], FETCH_TIME)["1460332"][0].outcome == outcome


@pytest.mark.parametrize(
    "change",
    [
        {"closed": False},
        {"closed": "true"},
        {"umaResolutionStatus": "proposed"},
        {"umaResolutionStatus": None},
        {"outcomePrices": '["0.0005", "0.9995"]'},
        {"outcomePrices": '["0", "0"]'},
        {"outcomePrices": '["1", "1"]'},
        {"outcomePrices": None},
        {"outcomes": '["Long", "Short"]'},
    ],
)
def test_nothing_less_than_resolved_settles_a_market(resolved_row, change):
    assert POLYMARKET.settlements([resolved_row | change], ["1460332"], FETCH_TIME) == {}


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("gamma_market_closed_binary_accepting_true", "not open"),
        ("gamma_market_closed_nonbinary_legacy", "not open"),
        ("gamma_market_closed_zero_zero_legacy", "not open"),
        ("gamma_market_past_end_date_open", "prices are missing"),
    ],
)
def test_some_recorded_markets_are_neither_open_nor_settled(record, file, why):
    """One has an end date that is past and is open; one is closed at 1 and 0 and was never said to be resolved."""
    row = record(f"polymarket/{file}.json")
    assert why in reason(row)
    assert POLYMARKET.settlements([row], [row["id"]], FETCH_TIME) == {}


def test_only_requested_markets_are_settled(resolved_row):
    assert POLYMARKET.settlements([resolved_row, None], ["7"], FETCH_TIME) == {}


def test_lists_need_no_string(bitcoin_row, resolved_row):
    """Answers of other versions of the API have them as they are."""
    lists = {"outcomes": ["Yes", "No"], "outcomePrices": ["0.9995", "0.0005"]}
    assert parsed(bitcoin_row | lists) == parsed(bitcoin_row)
    payouts = {"outcomes": ["Yes", "No"], "outcomePrices": [0, 1]}
    rows = [[row] for row in (resolved_row, resolved_row | payouts)]
    assert len({str(POLYMARKET.settlements(row, ["1460332"], FETCH_TIME)) for row in rows}) == 1


NEGATIVE_RISK = {"negRisk": True, "negRiskMarketID": "0x55ab", "negRiskRequestID": "0x55ab01", "negRiskOther": False}


def test_a_market_of_a_negative_risk_group_is_one_of_its_own(bitcoin_row, resolved_row):
    """At most one of a group pays YES; each has its own question and settlement."""
    words = {
        "question": "Will the price of Bitcoin be between $64,000 and $66,000 on March 11?",
        "groupItemTitle": "64-66k",
    }
    market = parsed(bitcoin_row | NEGATIVE_RISK | words)
    assert (market.terms.question, market.terms.group) == (words["question"], "64-66k")
    settlement, terms = POLYMARKET.settlements([resolved_row | NEGATIVE_RISK | words], ["1460332"], FETCH_TIME)[
        "1460332"
    ]
    assert (settlement.outcome, terms.question) == ("no", words["question"])


def test_the_rest_of_a_group_is_not_imported(bitcoin_row):
    """What "other" means changes when the group gets another member."""
    assert "its group does not name" in reason(bitcoin_row | NEGATIVE_RISK | {"negRiskOther": True})


def test_a_settled_market_says_what_it_asked(resolved_row):
    row = resolved_row | {"endDate": "2028-02-01T05:00:00Z"}
    terms = POLYMARKET.settlements([row], ["1460332"], FETCH_TIME)["1460332"][1]
    assert (terms.question, terms.group) == ("Katana FDV above $1B one day after launch?", "$1B")
    assert terms.deadline == unix("2028-02-01T05:00:00Z")
    assert terms.rules == resolved_row["description"]
