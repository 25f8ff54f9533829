"""The strategies: rule families at up to three speeds, each a row of a rule with its parameters; and the ghosts.

Periods are hours: every strategy decides at the close of a one-hour bar. Another strategy is another row
of `strategies.toml`.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from service.market.bars import Bars, Prices
from service.market.instants import DAY
from service.trading import rules
from service.trading.accounts import Targets

SPEEDS = ("fast", "medium", "slow")
Category = Literal["trend", "momentum", "reversion", "breakout", "volatility", "volume", "relative"]


@dataclass(frozen=True)
class Strategy:
    """A rule with its parameters, traded in every asset; `strategies.toml` explains the fields."""

    key: str
    name: str
    category: Category
    description: str
    source: str
    rule: Callable[..., Targets]
    parameters: Mapping[str, float]

    def decide(self, bars: Bars, peers: Prices) -> Targets:
        """Targets int8 (n,) for hourly `bars` of one asset.

        `peers` (assets, n) are the closes of the other assets with the same hours (`service.trading.arena.peers_of`).
        """
        keywords = {"peers": peers} if "peers" in inspect.signature(self.rule).parameters else {}
        return self.rule(bars, **keywords, **self.parameters)


def _family(key: str, table: Mapping[str, Any]) -> Iterator[Strategy]:
    """The strategies of one rule; each of its parameters has a value for each of its speeds, the fastest first."""
    parameters: Mapping[str, list[float]] = table["parameters"]
    rows = list(zip(*parameters.values(), strict=True))
    for speed, values in zip(SPEEDS[: len(rows)], rows, strict=True):
        yield Strategy(
            key=f"{key}_{speed}",
            name=f"{table['name']}, {speed}",
            category=table["category"],
            description=table["description"],
            source=table["source"],
            rule=getattr(rules, table.get("rule", key)),
            parameters=MappingProxyType(dict(zip(parameters, values, strict=True))),
        )


_TABLES = tomllib.loads(Path(__file__).with_name("strategies.toml").read_text(encoding="utf-8"))
STRATEGIES = {strategy.key: strategy for key, table in _TABLES.items() for strategy in _family(key, table)}


@dataclass(frozen=True)
class Ghost:
    """An account without skill, shown unranked next to the strategies as a measure of luck; described like one."""

    key: str
    name: str
    description: str
    decide: Callable[[str, Bars], Targets]
    category: str = "ghost"


def buy_and_hold(_asset: str, bars: Bars) -> Targets:
    """Long from the first bar on, int8 (n,)."""
    return np.ones(len(bars), np.int8)


def coin_flip(asset: str, bars: Bars) -> Targets:
    """Long or short for a whole UTC day, by a hash of the asset and the day, int8 (n,)."""
    days, day_of_bar = np.unique(bars.time // DAY, return_inverse=True)
    tosses = (blake2b(f"{asset} {day}".encode(), digest_size=1).digest()[0] for day in days.tolist())
    return np.array([1 if toss & 1 else -1 for toss in tosses], np.int8)[day_of_bar]


GHOSTS: dict[str, Ghost] = {
    ghost.key: ghost
    for ghost in (
        Ghost("buy_and_hold", "Buy and hold", "Buys at the start and never sells.", buy_and_hold),
        Ghost("coin_flip", "Coin flip", "Long or short for a day at the toss of a coin.", coin_flip),
    )
}
