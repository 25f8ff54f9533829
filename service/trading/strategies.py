"""The strategies: rule families at up to three speeds, each a row of a rule with its parameters; and the ghosts.

Periods are hours: every strategy decides at the close of a one-hour bar. Another strategy is another row.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from types import MappingProxyType
from typing import Literal

import numpy as np

from service.market.assets import ASSETS
from service.market.bars import Bars, Prices
from service.market.instants import DAY
from service.trading import rules
from service.trading.accounts import Targets

SPEEDS = ("fast", "medium", "slow")
Category = Literal["trend", "momentum", "reversion", "breakout", "volatility", "volume", "relative"]


@dataclass(frozen=True)
class Strategy:
    """A row of the table: the assets, the rule and its parameters.

    `source` names the author and year of the rule; `description` is a sentence for readers of the API.
    """

    key: str
    name: str
    category: Category
    description: str
    source: str
    rule: Callable[..., Targets]
    parameters: Mapping[str, float]
    assets: tuple[str, ...]

    def decide(self, bars: Bars, peers: Prices) -> Targets:
        """Targets int8 (n,) for hourly `bars` of one asset.

        `peers` (assets, n) are the closes of the other assets with the same hours (`service.trading.arena.peers_of`).
        """
        keywords = {"peers": peers} if "peers" in inspect.signature(self.rule).parameters else {}
        return self.rule(bars, **keywords, **self.parameters)


def _family(
    key: str,
    name: str,
    category: Category,
    rule: Callable[..., Targets],
    source: str,
    description: str,
    parameters: Mapping[str, tuple[float, ...]],
) -> list[Strategy]:
    """The strategies of one rule; each of its parameters has a value for each speed, the fastest first."""
    return [
        Strategy(
            key=f"{key}_{speed}",
            name=f"{name}, {speed}",
            category=category,
            description=description,
            source=source,
            rule=rule,
            parameters=MappingProxyType(dict(zip(parameters, values, strict=True))),
            assets=tuple(ASSETS),
        )
        for speed, *values in zip(SPEEDS, *parameters.values(), strict=True)
    ]


_FAMILIES = (
    _family(
        "ma_cross",
        "Moving-average cross",
        "trend",
        rules.moving_average_cross,
        "Brock, Lakonishok and LeBaron (1992)",
        "Long while the fast average of the price is above the slow one, short while below.",
        {"fast": (12, 48, 192), "slow": (48, 192, 768)},
    ),
    _family(
        "macd",
        "MACD",
        "trend",
        rules.macd,
        "Appel (1979)",
        "Long while the MACD line is above its signal line, short while below.",
        {"fast": (12, 48, 192), "slow": (26, 104, 416), "signal": (9, 36, 144)},
    ),
    _family(
        "adx_trend",
        "ADX trend",
        "trend",
        rules.adx_trend,
        "Wilder (1978)",
        "In the direction of the stronger directional indicator while the ADX shows a trend.",
        {"period": (14, 48, 168), "strong": (25, 15, 8), "weak": (20, 10, 5)},
    ),
    _family(
        "supertrend",
        "Supertrend",
        "trend",
        rules.supertrend,
        "Seban (2008)",
        "In the direction of the last break of a band of average true ranges.",
        {"period": (12, 48, 192), "width": (3, 6, 12)},
    ),
    _family(
        "parabolic_sar",
        "Parabolic SAR",
        "trend",
        rules.parabolic_sar,
        "Wilder (1978)",
        "Long or short behind a stop that approaches the price; reversed when the stop is reached.",
        {"acceleration": (0.02, 0.005, 0.00125), "maximum": (0.2, 0.05, 0.0125)},
    ),
    _family(
        "donchian_breakout",
        "Donchian breakout",
        "breakout",
        rules.donchian_breakout,
        "Donchian (1960)",
        "Enters beyond the highest high or lowest low, leaves beyond the opposite extreme of a shorter period.",
        {"entry": (24, 96, 384), "leave": (12, 48, 192)},
    ),
    _family(
        "bollinger_breakout",
        "Bollinger breakout",
        "breakout",
        rules.bollinger_breakout,
        "Bollinger (2001)",
        "Enters outside a band of standard deviations, leaves at the middle.",
        {"period": (24, 96, 384), "width": (2, 2, 2)},
    ),
    _family(
        "keltner_breakout",
        "Keltner breakout",
        "breakout",
        rules.keltner_breakout,
        "Keltner (1960)",
        "Enters outside a channel of average true ranges, leaves at the middle.",
        {"period": (24, 96, 384), "width": (2, 4, 8)},
    ),
    _family(
        "rsi_reversion",
        "RSI reversion",
        "reversion",
        rules.rsi_reversion,
        "Wilder (1978)",
        "Buys an oversold relative strength index and sells an overbought one, leaves at 50.",
        {"period": (14, 48, 168), "width": (20, 12, 6)},
    ),
    _family(
        "bollinger_reversion",
        "Bollinger reversion",
        "reversion",
        rules.bollinger_reversion,
        "Bollinger (2001)",
        "Enters when the price comes back inside its band, leaves at the middle.",
        {"period": (24, 96, 384), "width": (2, 2, 2)},
    ),
    _family(
        "z_score_reversion",
        "z-score reversion",
        "reversion",
        rules.z_score_reversion,
        "Chan (2013)",
        "Against a price several standard deviations from its mean, until it returns to the mean.",
        {"period": (12, 48, 192), "width": (2, 2, 2)},
    ),
    _family(
        "rate_of_change",
        "Rate of change",
        "momentum",
        rules.rate_of_change,
        "Murphy (1999)",
        "In the direction of a price change beyond a threshold, until its sign changes.",
        {"period": (12, 48, 192), "width": (0.02, 0.04, 0.08)},
    ),
    _family(
        "time_series_momentum",
        "Time-series momentum",
        "momentum",
        rules.time_series_momentum,
        "Moskowitz, Ooi and Pedersen (2012)",
        "In the direction of a return that is large for its volatility, until its sign changes.",
        {"lookback": (48, 192, 768), "width": (1, 1, 1)},
    ),
    _family(
        "vwap_deviation",
        "VWAP deviation",
        "volume",
        rules.vwap_deviation,
        "Berkowitz, Logue and Noser (1988)",
        "Against a price unusually far from its volume-weighted average, until it returns to it.",
        {"period": (12, 48, 192), "width": (2, 2, 2)},
    ),
    _family(
        "obv_trend",
        "OBV trend",
        "volume",
        rules.obv_trend,
        "Granville (1963)",
        "Long while on-balance volume is above its average, short while below.",
        {"period": (48, 192, 768)},
    ),
    _family(
        "volume_breakout",
        "Volume breakout",
        "volume",
        rules.volume_breakout,
        "O'Neil (1988)",
        "Enters beyond the recent range on a surge of volume, leaves at the average price.",
        {"period": (24, 96, 384), "surge": (2, 2, 2)},
    ),
    _family(
        "volatility_regime",
        "Volatility regime",
        "volatility",
        rules.volatility_regime,
        "Moreira and Muir (2017)",
        "In the direction of the longer trend while volatility is low; no position while it is high.",
        {"period": (12, 48, 192), "quiet": (0.8, 0.8, 0.8), "loud": (1.2, 1.2, 1.2)},
    ),
    _family(
        "relative_strength",
        "Relative strength",
        "relative",
        rules.relative_strength,
        "Levy (1967)",
        "Long while stronger than the assets with the same trading hours, short while weaker.",
        {"lookback": (48, 192, 768), "width": (0.5, 0.5, 0.5)},
    ),
)

STRATEGIES: dict[str, Strategy] = {strategy.key: strategy for family in _FAMILIES for strategy in family}


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
    sides = np.array([_toss(asset, day) for day in days.tolist()], np.int8)
    return sides[day_of_bar]


def _toss(asset: str, day: int) -> int:
    return 1 if blake2b(f"{asset} {day}".encode(), digest_size=1).digest()[0] & 1 else -1


GHOSTS: dict[str, Ghost] = {
    ghost.key: ghost
    for ghost in (
        Ghost("buy_and_hold", "Buy and hold", "Buys at the start and never sells.", buy_and_hold),
        Ghost("coin_flip", "Coin flip", "Long or short for a day at the toss of a coin.", coin_flip),
    )
}
