"""Rows of Polymarket and Kalshi as they write them: what is read of an open market, and what counts as settled."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.forecasting.predictions import Settlement
from service.market.instants import unix
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET
from service.sources.odds.source import OddsSource

FETCH_TIME = 1_773_241_200
STRANGE_OUTCOMES = ('["Long", "Short"]', '["Yes", "No", "Maybe"]', '["Yes", 7]', '["Yes", 7, "No"]', '["Yes", ', None)
STRANGE_PRICES = (None, "[null, null]", '["0.5"]', '["0", "0"]', '["NaN", "0.5"]', '["5", "-4"]')
NEGATIVE_RISK = {"negRisk": True, "negRiskMarketID": "0x55ab", "negRiskRequestID": "0x55ab01", "negRiskOther": False}
TICKER = "KXBTC-25MAR15-B100000"
NO_EVIDENCE = "settled as no, YES pays 0"


def read(source: OddsSource, row: Any) -> Any:
    """The market of a row; None if it is refused."""
    markets, refusals = source.markets([row], FETCH_TIME)
    assert len(markets) + refusals == 1
    return markets[0] if markets else None


def settled(source: OddsSource, row: Any) -> tuple[Settlement, Any] | None:
    """The settlement of a row with its terms, if there is one."""
    return source.settlements([row], [row[source.key]], FETCH_TIME).get(row[source.key])


def test_an_open_market_is_read_from_lists_inside_strings(bitcoin_row):
    """The volume is the number, not the string, and an ask of 1 means that there is no ask."""
    market = read(POLYMARKET, bitcoin_row)
    assert (market.odds.market_id, market.id) == ("1500056", "polymarket-1500056")
    assert market.terms.question == "Will the price of Bitcoin be above $64,000 on March 11?"
    assert market.terms.group == "64,000"
    assert (market.odds.p_yes, market.odds.bid, market.odds.ask) == (0.9995, 0.999, None)
    assert (market.volume_usd, market.terms.deadline) == (1089793.929661999, unix("2026-03-11T16:00:00Z"))
    assert market.odds.url == "https://polymarket.com/market/bitcoin-above-64k-on-march-11"
    assert (market.odds.fetched_at, market.odds.source, market.measured_from) == (FETCH_TIME, "polymarket", None)
    assert read(POLYMARKET, bitcoin_row | {"slug": 'x"><script>'}).odds.url is None
    assert market.terms.rules.startswith('This market will resolve to "Yes" if the Binance 1 minute candle')


def test_up_is_yes_and_has_its_reference_instant(up_row, bitcoin_row):
    """Bid and ask are those of the first outcome: who bids 40 cents for No asks 60 for Yes."""
    market = read(POLYMARKET, up_row)
    assert (market.odds.p_yes, market.odds.bid, market.odds.ask) == (0.505, 0.5, 0.51)
    assert market.measured_from == unix("2026-03-12T09:20:00Z")
    down_first = {"outcomes": '["Down", "Up"]', "outcomePrices": '["0.3", "0.7"]'}
    assert read(POLYMARKET, up_row | down_first).odds.p_yes == 0.7
    no_first = {"outcomes": '["No", "Yes"]', "outcomePrices": '["0.41", "0.59"]', "bestBid": 0.40, "bestAsk": 0.42}
    market = read(POLYMARKET, bitcoin_row | no_first)
    assert market.odds.p_yes == 0.59
    assert (market.odds.bid, market.odds.ask) == (pytest.approx(0.58), pytest.approx(0.60))


@pytest.mark.parametrize(
    ("source", "change"),
    [
        *((POLYMARKET, {"outcomes": text}) for text in STRANGE_OUTCOMES),
        *((POLYMARKET, {"outcomePrices": text}) for text in STRANGE_PRICES),
        *((POLYMARKET, {"id": None}), (POLYMARKET, {"id": "../../1"}), (POLYMARKET, {"endDate": "soon"})),
        *((POLYMARKET, {"closed": True}), (POLYMARKET, {"active": "true"}), (POLYMARKET, {"acceptingOrders": False})),
        *((POLYMARKET, {"volumeNum": None}), (POLYMARKET, {"volumeNum": "many"})),
        (POLYMARKET, {"bestBid": 0.9, "bestAsk": 0.8}),
        *((KALSHI, {"status": status}) for status in ("closed", "open", None)),
        *((KALSHI, {"ticker": None}), (KALSHI, {"ticker": "KX/../BTC"}), (KALSHI, {"market_type": "scalar"})),
        *((KALSHI, {"yes_bid_dollars": bid}) for bid in ("0.0000", "42", "0.4600")),
        *((KALSHI, {"yes_ask_dollars": ask}) for ask in ("1.0000", None)),
        (KALSHI, {"yes_bid_dollars": "0.4500", "yes_ask_dollars": "0.5600"}),
        *((KALSHI, {"volume_fp": None}), (KALSHI, {"notional_value_dollars": "one"}), (KALSHI, {"close_time": None})),
    ],
)
def test_an_unusable_row_is_refused(bitcoin_row, kalshi_row, source: OddsSource, change):
    row = {POLYMARKET: bitcoin_row, KALSHI: kalshi_row}[source]
    assert read(source, row)
    assert read(source, row | change) is None


def test_a_resolved_market_pays_one_side(resolved_row):
    """It was resolved in March 2026, almost two years before its end date."""
    settlement = settled(POLYMARKET, resolved_row)[0]
    assert (settlement.outcome, settlement.source) == ("no", "polymarket")
    assert settlement.resolved_at == unix("2026-03-19T23:20:15Z")
    assert settlement.evidence == "Yes pays 0, No pays 1"
    assert settled(POLYMARKET, resolved_row | {"closedTime": None, "umaEndDate": None})[0].resolved_at == FETCH_TIME


@pytest.mark.parametrize(
    ("outcomes", "prices", "outcome"),
    [
        *((outcomes, ["1", "0"], "yes") for outcomes in (["Yes", "No"], ["Up", "Down"])),
        *((outcomes, ["1", "0"], "no") for outcomes in (["No", "Yes"], ["Down", "Up"])),
        (["No", "Yes"], ["0", "1"], "yes"),
        (["Yes", "No"], ["0.5", "0.5"], "void"),
    ],
)
def test_the_side_that_pays_is_the_outcome(resolved_row, outcomes, prices, outcome):
    """Fifty-fifty is how Polymarket settles what was cancelled, or cannot be known."""
    row = resolved_row | {"outcomes": json.dumps(outcomes), "outcomePrices": json.dumps(prices)}
    assert settled(POLYMARKET, row)[0].outcome == outcome


@pytest.mark.parametrize(
    ("source", "change"),
    [
        *((POLYMARKET, {"closed": closed}) for closed in (False, "true")),
        *((POLYMARKET, {"umaResolutionStatus": status}) for status in ("proposed", None)),
        *((POLYMARKET, {"outcomePrices": text}) for text in ('["0.0005", "0.9995"]', '["0", "0"]', '["1", "1"]', None)),
        (POLYMARKET, {"outcomes": '["Long", "Short"]'}),
        *((KALSHI, {"status": status}) for status in ("determined", "disputed", "closed", "active")),
        *((KALSHI, {"result": result}) for result in ("", None)),
    ],
)
def test_nothing_less_than_resolved_settles_a_market(resolved_row, settled_row, source: OddsSource, change):
    """Neither does a result that may still be disputed."""
    assert settled(source, {POLYMARKET: resolved_row, KALSHI: settled_row}[source] | change) is None


@pytest.mark.parametrize(
    "file",
    ["closed_binary_accepting_true", "closed_nonbinary_legacy", "closed_zero_zero_legacy", "past_end_date_open"],
)
def test_some_recorded_markets_are_neither_open_nor_settled(record, file):
    """One has an end date that is past and is open; one is closed at 1 and 0 and was never said to be resolved."""
    row = record(f"polymarket/gamma_market_{file}.json")
    assert read(POLYMARKET, row) is None
    assert settled(POLYMARKET, row) is None


def test_a_market_of_a_negative_risk_group_is_one_of_its_own(bitcoin_row, resolved_row):
    """The rest of a group is not imported: what "other" means changes when it gets another member."""
    question = "Will the price of Bitcoin be between $64,000 and $66,000 on March 11?"
    words = {"question": question, "groupItemTitle": "64-66k"}
    market = read(POLYMARKET, bitcoin_row | NEGATIVE_RISK | words)
    assert (market.terms.question, market.terms.group) == (question, "64-66k")
    settlement, terms = settled(POLYMARKET, resolved_row | NEGATIVE_RISK | words)
    assert (settlement.outcome, terms.question) == ("no", question)
    assert read(POLYMARKET, bitcoin_row | NEGATIVE_RISK | {"negRiskOther": True}) is None


def test_a_settled_market_of_polymarket_says_what_it_asked(resolved_row, bitcoin_row):
    """Only requested markets are settled; lists need no string, as in other versions of the API."""
    terms = settled(POLYMARKET, resolved_row | {"endDate": "2028-02-01T05:00:00Z"})[1]
    assert (terms.question, terms.group) == ("Katana FDV above $1B one day after launch?", "$1B")
    assert (terms.deadline, terms.rules) == (unix("2028-02-01T05:00:00Z"), resolved_row["description"])
    assert POLYMARKET.settlements([resolved_row, None], ["7"], FETCH_TIME) == {}
    lists = {"outcomes": ["Yes", "No"], "outcomePrices": ["0.9995", "0.0005"]}
    assert read(POLYMARKET, bitcoin_row | lists) == read(POLYMARKET, bitcoin_row)
    payouts = {"outcomes": ["Yes", "No"], "outcomePrices": [0, 1]}
    assert str(settled(POLYMARKET, resolved_row | payouts)) == str(settled(POLYMARKET, resolved_row))


@pytest.fixture
def settled_row(kalshi_row):
    """The recorded market, made a settled one by the fields that say so."""
    fields = {"settlement_ts": "2025-03-16T00:10:00Z", "settlement_value_dollars": "0.0000"}
    return kalshi_row | fields | {"status": "finalized", "result": "no"}


def test_the_price_of_yes_is_the_middle_of_bid_and_ask(kalshi_row):
    """Other fields of a row count too, as the meaning of yes and contracts of less than a dollar."""
    market = read(KALSHI, kalshi_row)
    assert (market.odds.market_id, market.id) == (TICKER, f"kalshi-{TICKER}")
    assert (market.odds.bid, market.odds.ask, market.odds.p_yes) == (0.42, 0.45, pytest.approx(0.435))
    assert (market.terms.group, market.terms.question) == ("", "Will Bitcoin exceed $100,000 by March 15?")
    assert (market.volume_usd, market.terms.deadline) == (125_000, unix("2025-03-15T23:59:59Z"))
    assert market.odds.url == "https://kalshi.com/markets/kxbtc"
    assert market.terms.rules == "Resolves Yes if BTC/USD spot price exceeds $100,000 at market close."
    fields = {"title": "Bitcoin price on Mar 15, 2025?", "yes_sub_title": "$100,000 or above"}
    fields |= {"volume_fp": "1500.50", "notional_value_dollars": "1.0000"}
    market = read(KALSHI, kalshi_row | fields | {"yes_bid_dollars": "0.4500", "yes_ask_dollars": "0.5500"})
    assert (market.terms.group, market.volume_usd) == ("$100,000 or above", 1500.5)
    assert market.odds.p_yes == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("event", "opens", "measured_from"),
    [
        ("KXBTC15M-25MAR131515", "2025-03-13T19:00:00Z", "2025-03-13T19:00:00Z"),
        ("KXXRP15M-25MAR131515", "2025-03-13T19:00:00+00:00", "2025-03-13T19:00:00Z"),
        ("KXBTC15M-25MAR131515", None, None),
        ("KXBTC-25MAR15", "2025-03-13T19:00:00Z", None),
        (None, "2025-03-13T19:00:00Z", None),
    ],
)
def test_a_move_of_15_minutes_begins_when_its_market_opens(kalshi_row, event, opens, measured_from):
    market = read(KALSHI, kalshi_row | {"event_ticker": event, "open_time": opens})
    assert market.measured_from == (measured_from and unix(measured_from))


@pytest.mark.parametrize(
    ("change", "outcome", "evidence"),
    [
        ({"result": "yes", "settlement_value_dollars": "1.0000"}, "yes", "settled as yes, YES pays 1"),
        ({"result": "no"}, "no", NO_EVIDENCE),
        ({"status": "settled"}, "no", NO_EVIDENCE),
        ({"result": "void", "settlement_value_dollars": None}, "void", "settled as neither side"),
        ({"result": "scalar", "settlement_value_dollars": "0.5000"}, "void", "settled as neither side, YES pays 0.5"),
        ({"result": "\ud800", "settlement_value_dollars": "0.3500"}, "void", "settled as neither side, YES pays 0.35"),
    ],
)
def test_a_finalized_market_says_its_result(settled_row, change, outcome, evidence):
    settlement = settled(KALSHI, settled_row | change)[0]
    assert (settlement.outcome, settlement.evidence, settlement.source) == (outcome, evidence, "kalshi")
    assert settlement.resolved_at == unix("2025-03-16T00:10:00Z")


def test_a_settled_market_of_kalshi_says_what_it_asked(settled_row):
    """Its end is the one at which it closed, earlier than planned where the outcome was certain."""
    change = {"close_time": "2025-03-10T08:00:00Z", "title": "Will Bitcoin exceed $100,000?"}
    terms = settled(KALSHI, settled_row | change)[1]
    assert terms.deadline == unix("2025-03-10T08:00:00Z")
    assert (terms.question, terms.rules) == ("Will Bitcoin exceed $100,000?", settled_row["rules_primary"])
    assert settled(KALSHI, settled_row | {"close_time": None})[1] is None
