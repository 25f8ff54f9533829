"""Pools: the expected result of a position, and concentrated liquidity against its closed forms and a simulation."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal, localcontext
from itertools import pairwise
from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.market.assets import ASSETS
from service.trading import amm, pools
from service.trading.amm import Range
from service.trading.pools import ASSUMED_POOLS, Pool


def margin_of(pool: Pool, volatility: float) -> float:
    """The fees of the liquidity in range over its loss to arbitrage; 1 means that they are equal."""
    income = pool.fee * pool.volume_usd * 365 / (pool.concentration * pool.tvl_usd)
    return income / amm.loss_versus_rebalancing(volatility)


def test_gas_is_paid_in_ether():
    assert pools.gas_usd(787_760, ASSUMED_POOLS["eth-l1"], 2500) == pytest.approx(787_760 * 2.4e-9 * 2500)


def test_every_assumed_pool_is_marked_as_assumed():
    assert all(pool.asset in ASSETS and pool.source == "assumed" for pool in ASSUMED_POOLS.values())
    assert all(key == pool.key for key, pool in ASSUMED_POOLS.items())
    assert (pools.deepest(ASSUMED_POOLS).key, pools.deepest({})) == ("eth-l1", None)


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


def divergence(price: float, span: Range, ratio: float) -> float:
    base, quote = amm.amounts(amm.liquidity_of_value(10_000, price, span), price, span)
    holding = base * price * ratio + quote
    return amm.liquidity_of_value(10_000, price, span) * amm.unit_value(price * ratio, span) / holding - 1


@given(price=st.floats(1e-3, 1e5), factor=st.floats(1.003, 11))
def test_a_deposit_keeps_its_value(price, factor):
    """Half of it is base; its liquidity scales with the efficiency of its range."""
    liquidity = amm.liquidity_of_value(10_000, price, amm.around(price, factor))
    base, quote = amm.amounts(liquidity, price, amm.around(price, factor))
    assert (base * price + quote, base * price) == pytest.approx((10_000, quote), rel=1e-9)
    assert liquidity / (10_000 / (2 * sqrt(price))) == pytest.approx(amm.efficiency(factor), rel=1e-9)
    assert [round(amm.efficiency(factor), 2) for factor in (1.2, 2, 4)] == [11.48, 3.41, 2.0]


@pytest.mark.parametrize(("factor", "loss"), [(1.2, -0.04752), (2, -0.19526), (4, -0.4)])
def test_divergence_loss_at_range_edges_is_the_known_one(factor, loss):
    assert divergence(2000, amm.around(2000, factor), factor) == pytest.approx(loss, abs=1e-5)
    assert divergence(2000, amm.around(2000, factor), 1 / factor) == pytest.approx(loss, abs=1e-5)


def test_amounts_equal_the_white_paper_in_sixty_digits():
    dice = random.Random(5)
    with localcontext() as context:
        context.prec = 60
        for _ in range(500):
            middle, half = dice.randint(-80_000, 80_000), dice.randrange(60, 6000, 10)
            tick = middle + dice.randint(-2 * half, 2 * half)
            low, high, price = (Decimal("1.0001") ** number for number in (middle - half, middle + half, tick))
            root = min(max(price.sqrt(), low.sqrt()), high.sqrt())
            exact = 10**6 * (1 / root - 1 / high.sqrt()), 10**6 * (root - low.sqrt())
            amounts = amm.amounts(1e6, float(price), Range(float(low), float(high)))
            assert amounts == pytest.approx([float(amount) for amount in exact], rel=1e-9, abs=1e-6)


def test_outside_its_range_a_position_is_one_coin():
    span = Range(1000, 4000)
    assert amm.amounts(5, 500, span) == (5 * (1 / sqrt(1000) - 1 / sqrt(4000)), 0)
    assert amm.amounts(5, 9000, span) == (0, 5 * (sqrt(4000) - sqrt(1000)))
    assert (amm.base_share(500, span), amm.base_share(9000, span)) == (1, 0)


def test_fees_of_a_swap_are_a_share_of_its_input():
    """A swap along the curve from 2000 to 2100 pays fee / (1 - fee) of what it moves, liquidity by liquidity."""
    mine, others, rate = 1e3, 9e3, 0.0005
    amount = (mine + others) * (sqrt(2100) - sqrt(2000))
    exact = mine * (sqrt(2100) - sqrt(2000)) * rate / (1 - rate)
    assert amm.fees(amount / (1 - rate), rate, 1.0, mine, others) == pytest.approx(exact, rel=1e-12)


@given(st.floats(-2, 2), st.floats(-2, 2), st.lists(st.floats(-1.9, 1.9), min_size=1, max_size=5, unique=True))
def test_neighbouring_ranges_share_a_move_completely(start, end, edges):
    bounds = [exp(-3), *sorted(exp(edge) for edge in edges), exp(3)]
    shares = [amm.share_inside(exp(start), exp(end), Range(low, high)) for low, high in pairwise(bounds)]
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    assert all(0 <= share <= 1 for share in shares)


def test_half_a_move_through_the_edge_counts_half():
    span = Range(1, exp(1))
    assert amm.share_inside(exp(0.5), exp(1.5), span) == pytest.approx(0.5)
    assert amm.share_inside(exp(1.5), exp(0.5), span) == pytest.approx(0.5)
    assert amm.share_inside(0.5, 0.9, span) == amm.share_inside(3, 4, span) == 0
    assert amm.share_inside(2, 2, span) == 1
    assert amm.share_inside(3, 3, span) == 0
