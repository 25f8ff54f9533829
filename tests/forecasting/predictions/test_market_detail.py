"""The bars that settled a market, as its document shows them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from service.forecasting.predictions.market_detail import evidence_bars
from service.market.bars import Bars
from service.market.instants import HOUR, iso
from tests.forecasting.markets import MONDAY, settled


def hourly(since: int, count: int) -> Bars:
    price = np.arange(float(count))
    return Bars(since + HOUR * np.arange(count), price, price, price, price, price, HOUR)


def test_the_bars_begin_with_the_one_before_the_opening():
    """And end with the settlement, 24 hours later."""
    evidence = evidence_bars(settled("m"), "btc", hourly(MONDAY - 5 * HOUR, 40))
    assert (evidence.asset, evidence.step_s, len(evidence.bars)) == ("btc", HOUR, 25)
    assert (evidence.bars[0].close, evidence.bars[-1].close) == (4.0, 28.0)


def test_without_a_bar_before_they_begin_at_the_opening():
    market = replace(settled("m"), created_at=MONDAY)
    evidence = evidence_bars(market, "btc", hourly(MONDAY, 3))
    assert [bar.time for bar in evidence.bars] == [iso(MONDAY + hour * HOUR) for hour in range(3)]
