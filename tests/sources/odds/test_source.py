"""Requests for open and settled markets of every source, and rows in which anything may stand."""

from __future__ import annotations

from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions.imports import OutsideMarket, Refusal
from service.sources.odds import SOURCES as BY_NAME
from service.sources.odds.kalshi import KALSHI
from service.sources.odds.polymarket import POLYMARKET

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2), max_leaves=4)
SOURCES = pytest.mark.parametrize("source", [POLYMARKET, KALSHI], ids=["polymarket", "kalshi"])


def test_finished_markets_of_polymarket_are_asked_for_as_such(server, resolved_row):
    """Without `closed=true` it would leave them out."""
    closed = []

    def routes(_, path, query):
        closed.append(query["closed"])
        return {"markets": [resolved_row]}

    server.routes = routes
    ids = ["1460332", *map(str, range(60))]
    assert list(POLYMARKET.settled(server.address, 5, ids)) == ["1460332"]
    assert closed == ["true", "true"]


def test_settled_markets_of_kalshi_are_asked_for_by_ticker(server, kalshi_row):
    batches = []
    row = kalshi_row | {"status": "finalized", "result": "yes"}
    server.routes = lambda _, path, query: batches.append(query["tickers"]) or {"markets": [row], "cursor": ""}
    settlements = KALSHI.settled(server.address, 5, [row["ticker"], "KXETH-1"])
    assert {ticker: settlement.outcome for ticker, settlement in settlements.items()} == {row["ticker"]: "yes"}
    assert batches == [f"{row['ticker']},KXETH-1"]


@SOURCES
def test_a_row_of_the_wrong_type_is_counted_and_others_are_read(server, source, bitcoin_row, kalshi_row):
    row = bitcoin_row if source is POLYMARKET else kalshi_row
    server.routes = lambda *_: {"markets": [None, "x", [], {}, {source.listing.key: []}, row]}
    markets, refused = source.list_open(server.address, 5)
    assert len(markets) == 1
    assert len(refused) >= 5


@SOURCES
@given(data=st.data())
def test_no_row_is_fatal_and_none_is_lost(source, data, bitcoin_row, kalshi_row):
    """Any field of a sound row may hold anything: it is read or refused, with numbers that are numbers."""
    row = bitcoin_row if source is POLYMARKET else kalshi_row
    names = data.draw(st.lists(st.sampled_from(sorted(row)), max_size=4))
    broken = row | {name: data.draw(ANYTHING) for name in names}
    markets, refused = source.markets([broken, row], 0)
    assert len(markets) + len(refused) == 2
    for market in markets:
        assert isinstance(market, OutsideMarket)
        assert 0 <= market.odds.p_yes <= 1
        assert isfinite(market.volume_usd)
    assert all(isinstance(refusal, Refusal) for refusal in refused)
    source.settlements([broken], [row[source.listing.key]], 0)


def test_a_source_has_the_name_of_its_imports():
    """`jobs/imported` finds its address by it, and predictions their source."""
    assert {name: source.name for name, source in BY_NAME.items()} == {"polymarket": "polymarket", "kalshi": "kalshi"}
