"""Pools: their assumed data, and the expected result of a position."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pytest

from service.market.assets import ASSETS
from service.trading import amm, pools
from service.trading.lanes.lane import readings
from service.trading.pools import ASSUMED_POOLS, Pool


def margin_of(pool: Pool, volatility: float) -> float:
    """The fees of the liquidity in range over its loss to arbitrage; 1 means that they are equal."""
    income = pool.fee * pool.volume_usd * 365 / (pool.concentration * pool.tvl_usd)
    return income / amm.loss_versus_rebalancing(volatility)


def test_the_published_point_gives_the_published_concentration():
    """USDC/WETH 0.05%, 2022-05-11: raw liquidity of a 6 and an 18 decimal coin."""
    liquidity = 7.675942584871332685e18 / 1e12
    full_range = 231_193_174 / (2 * sqrt(2246.578))
    assert liquidity / full_range == pytest.approx(pools.PUBLISHED_CONCENTRATION, abs=0.005)


def test_a_switch_needs_gas_of_exit_swap_and_mint():
    assert pools.EXIT_GAS + pools.ENTRY_GAS == 787_760
    assert pools.HARVEST_GAS == 295_596
    assert pools.gas_usd(787_760, ASSUMED_POOLS["eth-l1"], 2500) == pytest.approx(787_760 * 2.4e-9 * 2500)


def test_every_assumed_pool_is_marked_as_assumed():
    assert all(pool.asset in ASSETS and pool.source == "assumed" for pool in ASSUMED_POOLS.values())
    assert all(key == pool.key for key, pool in ASSUMED_POOLS.items())
    assert (pools.deepest(ASSUMED_POOLS).key, pools.deepest({})) == ("eth-l1", None)


def test_over_real_months_assumed_pools_have_a_small_margin(real_hours):
    """Fees over the loss to arbitrage: looser guesses gave yields of 171% to 638%."""
    for pool in ASSUMED_POOLS.values():
        weekly = [row.volatility for row in readings(real_hours[pool.asset])[169:]]
        volatility = sqrt(sum(value**2 for value in weekly) / len(weekly))
        assert 0.85 < margin_of(pool, volatility) < 1.35, pool.key


def test_expected_fees_equal_those_of_a_day_in_range():
    pool, price, factor = ASSUMED_POOLS["sol-solana"], 150.0, 1.3
    liquidity = amm.liquidity_of_value(10_000, price, amm.around(price, factor))
    a_day = amm.fees(pool.volume_usd, pool.fee, 1.0, liquidity, pools.active_liquidity(pool, price))
    expected = pools.fee_apr(pool, factor, 10_000)
    assert expected == pytest.approx(a_day * 365 / 10_000, rel=1e-9)
    assert pools.fee_apr(pool, factor, 10_000, busy=1.5) == pytest.approx(1.5 * expected)
    assert pools.fee_apr(pool, factor, 5e7) < expected / 2, "size dilutes it"


def test_net_fees_are_fees_less_the_loss_to_arbitrage():
    pool, sigma = ASSUMED_POOLS["btc-l1"], 0.5
    capital, loss = 1.0, 0.5**2 / 8 * amm.efficiency(1.5)
    assert pools.fee_apr(pool, 1.5, capital) == pytest.approx(margin_of(pool, sigma) * loss, rel=1e-6)
    assert pools.net_apr(pool, 1.5, capital, sigma) == pytest.approx((margin_of(pool, sigma) - 1) * loss, rel=1e-5)


@pytest.mark.parametrize(
    ("volume", "margin"), [(40e6, 1.05), (150e6, 1.35), (85e6, None)], ids=["poor", "rich", "between"]
)
def test_a_derived_concentration_keeps_the_margin(volume, margin):
    concentration = pools.likely_concentration(0.0005, 60e6, volume, 0.7)
    pool = replace(ASSUMED_POOLS["eth-l2"], volume_usd=volume, concentration=concentration)
    if margin is None:
        assert concentration == pools.PUBLISHED_CONCENTRATION
        assert 1.05 < margin_of(pool, 0.7) < 1.35
    else:
        assert margin_of(pool, 0.7) == pytest.approx(margin)
