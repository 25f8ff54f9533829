"""Pools as DefiLlama lists them: many rows are of something else, many numbers are null."""

from __future__ import annotations

import json

import pytest

from service.errors import SourceFailed
from service.sources import pools
from service.sources.pools import MOST_POOLS, parse
from service.trading.pools import likely_concentration
from tests.sources.conftest import NOTHING, POOL
from tests.sources.faults import body, redirect, status

VOLATILITY = {"eth": 0.7, "btc": 0.5, "bnb": 0.6}


@pytest.fixture(scope="module")
def record(shared_data):
    return json.loads((shared_data / "recorded" / "defillama" / "pools.json").read_text())


@pytest.fixture
def row(record):
    """A recorded row, made one of a pool by the fields in which pools differ from it."""
    return record["data"][0] | POOL | {"exposure": "multi"}


def parsed(row):
    return parse({"status": "success", "data": [row]}, VOLATILITY)


def test_staking_is_no_pool_to_be_in(record):
    """Both recorded rows are of staking: one coin, no volume, no fee."""
    assert parse(record, VOLATILITY) == ({}, 0)


def test_a_pool_of_an_asset_against_a_dollar_is_taken(row):
    """Other fields count: the week says more of an ordinary day, and the fee may stand behind other words."""
    pools, refusals = parse({"status": "success", "data": [None, 7, row]}, VOLATILITY)
    pool = pools["c0ffee"]
    assert refusals == 0, "what is no row does not affect the others"
    assert (pool.asset, pool.fee, pool.tvl_usd, pool.volume_usd) == ("eth", 0.0005, 60e6, 90e6)
    assert (pool.label, pool.source) == ("WETH/USDC 0.05% (Arbitrum)", "defillama")
    assert pool.concentration == pytest.approx(likely_concentration(0.0005, 60e6, 90e6, 0.7))
    fields = {"project": "aerodrome-slipstream", "chain": "Base", "poolMeta": "CL100 - 0.0334%"}
    pools, _ = parsed(row | fields | {"volumeUsd7d": 350_000_000})
    assert (pools["c0ffee"].fee, pools["c0ffee"].volume_usd) == (pytest.approx(0.000334), 50e6)


@pytest.mark.parametrize(
    "change",
    [
        *({"poolMeta": fee} for fee in (None, "0%", "99999999%", "10.5%")),
        *({"tvlUsd": usd} for usd in (None, 1_000, float("nan"), 10**400)),
        *({"volumeUsd1d": usd} for usd in (None, "90000000", -1, 999, 1e12)),
        *({"pool": id} for id in ("\ud800", "x" * 3_000_000, "", "a b", None, 7)),
        {"symbol": "SOL-USDC"},  # an asset without a volatility
    ],
)
def test_an_unusable_row_is_refused(row, change):
    """An id is stored at each listing: a lone surrogate could not be, and a long one would fill the database."""
    assert parsed(row | change) == ({}, 1)


def test_the_largest_pools_are_kept(row):
    rows = [row | {"pool": str(number), "tvlUsd": 60e6 + number} for number in range(MOST_POOLS + 1)]
    kept, _ = parse({"status": "success", "data": rows}, VOLATILITY)
    assert (len(kept), "0" in kept, "1" in kept) == (MOST_POOLS, False, True)


@pytest.mark.parametrize(
    "change",
    [
        *({"project": project} for project in ("uniswap-v2", None, [])),
        *({"chain": chain} for chain in ({}, "Moonbeam")),
        *({"symbol": symbol} for symbol in ("USDC-USDT", "WETH-WBTC", "WETH-USDC-DAI", "PEPE-USDC", None)),
    ],
)
def test_other_rows_are_passed_over(row, change):
    assert parsed(row | change) == ({}, 0)


@pytest.mark.parametrize("answer", [None, [], {}, {"status": "error", "data": []}, {"status": "success", "data": None}])
def test_an_answer_of_another_shape_is_a_failure_of_the_source(answer):
    with pytest.raises(SourceFailed):
        parse(answer, VOLATILITY)


@pytest.mark.parametrize(
    "fault",
    [
        *(status(500), status(429), redirect, body(b"<html>busy</html>"), body(b"[" * 90_000)),
        body(b'{"status": "success", "data": []}' + b" " * 200_000),
        body(b"no gzip", Content_Encoding="gzip"),
    ],
)
def test_any_other_answer_is_a_failed_source(server, fault, monkeypatch):
    """Also one that sends more than a list can hold, or nests it too deeply."""
    assert pools.fetch(f"{server.address}/pools", 5) == NOTHING
    monkeypatch.setattr(pools, "MOST_BYTES", 100_000)
    server.fault = fault
    with pytest.raises(SourceFailed, match="DefiLlama returned no pools"):
        pools.fetch(f"{server.address}/pools", 5)
