"""Liquidity pools: their assumed data, and the expected fees, losses and costs of a position in one.

The concentration c of a pool's liquidity is not published, and a rough guess gives absurd yields (171% to 638% a
year). It is derived from arbitrage: the fees of the liquidity in range exceed its loss to arbitrage by a small margin,
Q = fee x volume a year / (c x TVL) / (sigma^2 / 8), with Q in MARGIN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from service.trading import amm
from service.trading.performance import DAYS_A_YEAR

# c of USDC/WETH 0.05% on 2022-05-11: liquidity 7.676e18, TVL 231.2 million USD, price 2,246.6.
PUBLISHED_CONCENTRATION = 3.15
# Fees over the loss to arbitrage of the liquidity in range [assumed].
MARGIN = (1.05, 1.35)

# Gas units of one transaction (gas snapshots of Uniswap v3-periphery).
MINT_GAS = 451_862
COLLECT_GAS = 118_970
INCREASE_GAS = 176_626
EXIT_GAS = 228_718
SWAP_GAS = 107_180
ENTRY_GAS = SWAP_GAS + MINT_GAS
HARVEST_GAS = COLLECT_GAS + INCREASE_GAS


@dataclass(frozen=True)
class Pool:
    """A pool of an asset against a coin that counts as one US dollar.

    `fee` is a fraction of the volume, `tvl_usd` the total value in the pool, `volume_usd` the volume of a usual day.
    `concentration` is the liquidity at the price relative to that of `tvl_usd` spread over the full range. `gas_gwei`
    is the price of gas in billionths of an ether, converted where the chain has another coin. `source` is the origin
    of these numbers.
    """

    key: str
    label: str
    asset: str
    chain: str
    fee: float
    tvl_usd: float
    volume_usd: float
    concentration: float
    gas_gwei: float
    source: Literal["assumed", "defillama"]


# Every number of a row is assumed: fee, USD in it, USD a day, concentration, gwei.
ASSUMED_POOLS: dict[str, Pool] = {
    pool.key: pool
    for pool in (
        Pool("eth-l1", "ETH/USDC 0.05% (Ethereum)", "eth", "Ethereum", 0.0005, 150e6, 180e6, 3.5, 2.4, "assumed"),
        Pool("eth-l2", "ETH/USDC 0.05% (L2)", "eth", "L2", 0.0005, 60e6, 90e6, 4.5, 0.08, "assumed"),
        Pool("btc-l1", "BTC/USDC 0.30% (Ethereum)", "btc", "Ethereum", 0.003, 80e6, 12e6, 4.0, 2.4, "assumed"),
        Pool("bnb-bsc", "BNB/USDT 0.05% (BSC)", "bnb", "BSC", 0.0005, 40e6, 38e6, 4.0, 0.12, "assumed"),
        Pool("sol-solana", "SOL/USDC 0.30% (Solana)", "sol", "Solana", 0.003, 25e6, 9e6, 3.0, 0.08, "assumed"),
        Pool("xrp-bsc", "XRP/USDT 0.30% (BSC)", "xrp", "BSC", 0.003, 5e6, 1.5e6, 3.0, 0.12, "assumed"),
    )
}


def active_liquidity(pool: Pool, price: float) -> float:
    """The liquidity in range at `price`.

    A full-range position of value V has liquidity V / (2 sqrt(price)); the pool has `concentration` times that of its
    TVL.
    """
    return pool.concentration * pool.tvl_usd / (2 * sqrt(price))


def fee_apr(pool: Pool, factor: float, value_usd: float, busy: float = 1.0) -> float:
    """The fees of a year as a fraction of `value_usd`, while the price is in [price / factor, price x factor].

    `busy` is the expected volume relative to the usual one. The position dilutes its own yield.
    """
    full_range = amm.efficiency(factor) * value_usd
    fees = pool.fee * pool.volume_usd * DAYS_A_YEAR
    return fees * busy * full_range / (pool.concentration * pool.tvl_usd + full_range) / value_usd


def net_apr(pool: Pool, factor: float, value_usd: float, volatility: float, busy: float = 1.0) -> float:
    """`fee_apr` less the loss to arbitrage, sigma^2 / 8 times the efficiency of the range."""
    loss = amm.loss_versus_rebalancing(volatility) * amm.efficiency(factor)
    return fee_apr(pool, factor, value_usd, busy) - loss


def likely_concentration(fee: float, tvl_usd: float, volume_usd: float, volatility: float) -> float:
    """PUBLISHED_CONCENTRATION, clipped to the values for which fees over loss to arbitrage are within MARGIN.

    `volume_usd` is that of a day, `volatility` the asset's a year, as a fraction.
    """
    at_one = fee * volume_usd * DAYS_A_YEAR / tvl_usd / amm.loss_versus_rebalancing(volatility)
    low, high = MARGIN
    return min(max(PUBLISHED_CONCENTRATION, at_one / high), at_one / low)


def gas_usd(units: int, pool: Pool, ether_price: float) -> float:
    """The cost in USD of `units` of gas on the pool's chain."""
    return units * pool.gas_gwei * 1e-9 * ether_price


def deepest(pools: Mapping[str, Pool]) -> Pool | None:
    """The pool with the highest TVL, ties by key; None without any."""
    return min(pools.values(), key=lambda pool: (-pool.tvl_usd, pool.key), default=None)
