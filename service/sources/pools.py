"""Liquidity pools as DefiLlama lists them, reduced to those that a lane can use.

The response to `/pools` holds about ten thousand rows of every kind of yield, with many nulls. It contains neither
the concentration of a pool nor the gas price: both are assumed, see `service.trading.pools`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from service.errors import SourceFailed
from service.market.assets import ASSETS
from service.sources.sessions import BoundedSession, in_session
from service.trading.pools import Pool, likely_concentration

MOST_BYTES = 32 * 2**20  # several times the list
SMALLEST_TVL_USD = 5e6
SMALLEST_VOLUME_USD = 1e3  # of a day: a pool with less is not in use
LARGEST_USD = 1e12  # more than all pools together: no such number is believed
LARGEST_FEE = 0.1  # of the volume, ten times the highest that is usual
MOST_POOLS = 500  # the largest ones are kept, several times as many as there are
ID = re.compile(r"[\w-]{1,80}", re.ASCII)

PROJECTS = {"uniswap-v3", "pancakeswap-amm-v3", "aerodrome-slipstream"}
# Symbols that stand for an asset, and stablecoins that count as one dollar.
SYMBOLS = {symbol: key for key, asset in ASSETS.items() for symbol in asset.pool_symbols}
DOLLARS = {"USDC", "USDC.E", "USDBC", "USDT", "USDT0", "DAI", "FDUSD"}
# Assumed gas price in gwei (billionths of an ether); pools on other chains are ignored.
GAS_GWEI = {"Ethereum": 2.4, "Arbitrum": 0.08, "Base": 0.08, "Optimism": 0.08, "BSC": 0.12}

# The description of a pool ends with its fee: `0.05%`, `CL100 - 0.0334%`.
FEE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)%\s*$")


def fetch(url: str, timeout_s: float) -> Any:
    """The parsed JSON response of DefiLlama; raises SourceFailed if there is none within `timeout_s` seconds."""

    def read(session: BoundedSession) -> Any:
        answer = session.get(url)
        answer.raise_for_status()
        return answer.json()

    try:
        return in_session(timeout_s, read, most_bytes=MOST_BYTES)
    except SourceFailed as failure:
        raise SourceFailed(f"DefiLlama returned no pools: {failure.detail}") from None


def parse(answer: Any, volatility: Mapping[str, float]) -> tuple[dict[str, Pool], int]:
    """The pools of a response by key, and how many others were refused because of missing or small values.

    `volatility` is the annual volatility of each asset as a fraction; it limits the assumed concentration of a pool.
    Rows of other projects, pairs and chains are ignored. Raises SourceFailed if the response is not a list of pools.
    """
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or answer.get("status") != "success":
        raise SourceFailed("DefiLlama returned no list of pools.")
    assets = [(row, asset) for row in rows if isinstance(row, dict) and (asset := _asset(row))]
    candidates = [_pool(row, asset, volatility.get(asset)) for row, asset in assets]
    pools = {pool.key: pool for pool in candidates if pool}
    largest = sorted(pools.values(), key=lambda pool: (-pool.tvl_usd, pool.key))[:MOST_POOLS]
    return {pool.key: pool for pool in largest}, candidates.count(None)


def _asset(row: Mapping[str, Any]) -> str | None:
    """The asset that a row pairs with a stablecoin in concentrated liquidity; None for any other row."""
    project, chain, symbol = (str(row.get(name)) for name in ("project", "chain", "symbol"))
    if project not in PROJECTS or chain not in GAS_GWEI:
        return None
    coins = symbol.upper().split("-")
    dollars = [coin for coin in coins if coin in DOLLARS]
    assets = [SYMBOLS[coin] for coin in coins if coin in SYMBOLS]
    return assets[0] if len(coins) == 2 and len(dollars) == 1 and assets else None


def _pool(row: Mapping[str, Any], asset: str, volatility: float | None) -> Pool | None:
    """The pool of a row; None where a value is missing, too small or not to be believed."""
    key = row.get("pool")
    meta, tvl, week = row.get("poolMeta"), _positive(row.get("tvlUsd")), _positive(row.get("volumeUsd7d"))
    match = FEE.search(meta) if isinstance(meta, str) else None
    fee = float(match[1]) / 100 or None if match else None
    # The mean of the last week, or the last day if the week is missing.
    volume = week / 7 if week else _positive(row.get("volumeUsd1d"))
    if not isinstance(key, str) or not ID.fullmatch(key) or not volatility:
        return None
    if fee is None or fee > LARGEST_FEE or tvl is None or tvl < SMALLEST_TVL_USD:
        return None
    if volume is None or volume < SMALLEST_VOLUME_USD:
        return None
    return Pool(
        key=key,
        label=f"{row['symbol'].replace('-', '/')} {100 * fee:.4g}% ({row['chain']})",
        asset=asset,
        chain=row["chain"],
        fee=fee,
        tvl_usd=tvl,
        volume_usd=volume,
        concentration=likely_concentration(fee, tvl, volume, volatility),
        gas_gwei=GAS_GWEI[row["chain"]],
        source="defillama",
    )


def _positive(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < LARGEST_USD else None
