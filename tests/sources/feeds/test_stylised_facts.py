"""The simulated market has the stylised facts of real markets; real bars pass the same tests."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from service.market.assets import ASSETS
from service.market.bars import Bars, check
from service.market.instants import DAY
from service.sources.feeds.simulated import STEP, bars

CRYPTO = tuple(asset for asset in ASSETS if ASSETS[asset].calendar == "always")
SINCE = int(datetime(2026, 2, 1, tzinfo=UTC).timestamp())
# The values of real five-minute bars of 2025, with a margin.
FACTS = {
    "excess kurtosis": (12, 75),
    "Hill tail of the largest hundredth": (2.6, 3.6),
    "autocorrelation of size at 5 minutes": (0.28, 0.42),
    "autocorrelation of size at an hour": (0.14, 0.31),
    "autocorrelation of size at a day": (0.05, 0.16),
    "correlation of size and volume": (0.50, 0.70),
}
CORRELATION = (0.55, 0.75)


@pytest.fixture(scope="module")
def year() -> dict[str, Bars]:
    return {asset: bars(42, asset, SINCE, SINCE + 365 * DAY) for asset in ASSETS}


def real_bars(shared_data: Path, asset: str) -> Bars:
    """January and February 2025, without a gap."""
    file = shared_data / "candles" / "5m" / f"{asset}.csv"
    table = np.genfromtxt(file, delimiter=",", skip_header=1, usecols=range(1, 6))
    time = int(datetime(2025, 1, 1, tzinfo=UTC).timestamp()) + STEP * np.arange(len(table))
    return check(np.column_stack([time, table]), STEP)[0]


def measures(bars: Bars) -> dict[str, float]:
    """The stylised facts of one asset, from its log returns."""
    returns = np.diff(np.log(bars.close))
    returns -= returns.mean()
    size = np.abs(returns)
    largest = np.sort(size)[::-1][: len(size) // 100 + 1]
    return {
        "excess kurtosis": np.mean(returns**4) / np.mean(returns**2) ** 2 - 3,
        "Hill tail of the largest hundredth": 1 / np.mean(np.log(largest[:-1] / largest[-1])),
        "autocorrelation of size at 5 minutes": np.corrcoef(size[:-1], size[1:])[0, 1],
        "autocorrelation of size at an hour": np.corrcoef(size[:-12], size[12:])[0, 1],
        "autocorrelation of size at a day": np.corrcoef(size[:-288], size[288:])[0, 1],
        "correlation of size and volume": np.corrcoef(size, bars.volume[1:])[0, 1],
    }


def outside(bars: Bars) -> dict[str, float]:
    return {fact: value for fact, value in measures(bars).items() if not FACTS[fact][0] < value < FACTS[fact][1]}


def mean_correlation(market: dict[str, Bars]) -> float:
    """Of five-minute returns between the crypto assets."""
    table = np.corrcoef([np.diff(np.log(market[asset].close)) for asset in CRYPTO])
    return table[np.triu_indices(len(CRYPTO), 1)].mean()


@pytest.mark.slow
@pytest.mark.parametrize("asset", CRYPTO)
def test_returns_are_as_wild_and_as_clustered_as_real_ones(year, asset, shared_data):
    """Real bars pass by the same measures."""
    assert not outside(year[asset])
    assert not outside(real_bars(shared_data, asset))


@pytest.mark.slow
def test_crypto_moves_together_as_it_does(year, shared_data):
    recording = {asset: real_bars(shared_data, asset) for asset in CRYPTO}
    assert CORRELATION[0] < mean_correlation(year) < CORRELATION[1]
    assert CORRELATION[0] < mean_correlation(recording) < CORRELATION[1]


def test_metals_move_together_and_hardly_with_crypto(year):
    """The direction of crypto is almost unpredictable."""
    gold, silver = year["gold"], year["silver"]
    btc = np.isin(year["btc"].time, gold.time)
    returns = [np.diff(np.log(close)) for close in (gold.close, silver.close, year["btc"].close[btc])]
    table = np.corrcoef(returns)
    assert table[0, 1] > 0.5
    assert 0 < table[0, 2] < 0.3
    for asset in CRYPTO:
        returns = np.diff(np.log(year[asset].close))
        assert abs(np.corrcoef(returns[:-1], returns[1:])[0, 1]) < 0.03


@pytest.mark.parametrize(("calmer", "wilder"), [("gold", "silver"), ("silver", "eth"), ("eth", "sol")])
def test_assets_differ_in_volatility_as_real_ones_do(year, calmer, wilder):
    low, high = (np.diff(np.log(year[asset].close)).std() for asset in (calmer, wilder))
    assert low < high
