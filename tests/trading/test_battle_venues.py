"""The venues of the Bot Battle."""

from __future__ import annotations

import pytest

from service.trading.lanes import LANES


def test_the_sources_of_a_result_add_up_to_it(battle):
    for lane, liquidity in zip(battle.lanes[4:], battle.venues.dex.liquidity, strict=True):
        result = (
            liquidity.market_usd
            + liquidity.divergence_usd
            + liquidity.fees_usd
            - liquidity.gas_usd
            - liquidity.swap_usd
        )
        assert lane.pnl_usd == pytest.approx(result, abs=0.04)
        assert (liquidity.lane, liquidity.pool) == (lane.name, lane.current_pool)
        assert 0 <= liquidity.in_range_pct <= 100
        assert liquidity.range_low < liquidity.range_high
        assert liquidity.price > 0


def test_open_positions_on_the_exchange_are_listed(battle, states):
    held = {(name, asset) for name, state in states.items() if LANES[name].venue == "cex" for asset in state.holdings}
    assert {(position.lane, position.asset) for position in battle.venues.cex.positions} == held
    assert held
    for position in battle.venues.cex.positions:
        sign = 1 if position.side == "long" else -1
        gross = sign * position.quantity * (position.mark_price - position.entry_price)
        assert position.pnl_usd < gross
        assert (position.stop_price is not None) == (position.lane == "breakout")
