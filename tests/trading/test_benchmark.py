"""What holding a lane's assets would have made, by hand and against the account that buys and holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR
from service.trading.accounts import TERMS, AccountTerms
from service.trading.arena import run
from service.trading.benchmark import benchmarks, held_assets, held_equity
from service.trading.lanes import LANES
from tests.trading.markets import NEW_YEAR
from tests.trading.test_accounts import bars_of

FREE = AccountTerms(fee=0, slippage=0)


def test_equal_shares_are_bought_at_the_first_open():
    """From the second hour on, 20 to 30 and 10 to 5: half of each, 10,000 x (1.5 + 0.5) / 2."""
    hours = {"btc": bars_of([10, 20, 25], [10, 25, 30]), "eth": bars_of([10, 10, 8], [10, 8, 5])}
    assert held_equity(("btc", "eth"), hours, hours, HOUR, FREE) == pytest.approx(10_000)
    assert held_equity(("btc",), hours, hours, HOUR, FREE) == pytest.approx(15_000)


def test_an_asset_without_a_bar_stays_cash():
    hours = {"btc": bars_of([10, 20], [10, 40])}
    assert held_equity(("btc", "gold"), hours, {}, HOUR, FREE) == pytest.approx(15_000)
    assert held_equity((), hours, hours, 0, FREE) == 10_000


def test_a_later_mark_counts():
    hours = {"btc": bars_of([10, 20], [10, 40])}
    marks = {"btc": bars_of([40], [60], times=[2 * HOUR], step=300)}
    assert held_equity(("btc",), hours, marks, HOUR, FREE) == pytest.approx(30_000)


def test_it_pays_what_the_ghost_that_holds_pays(hours):
    """The ghost decides at the first close and buys at the second open."""
    ghosts = run(hours, {}, NEW_YEAR).ghosts["buy_and_hold"]
    for asset in ("btc", "gold"):
        second = int(hours[asset].time[1])
        assert held_equity((asset,), hours, {}, second) == pytest.approx(ghosts[asset].equity, rel=1e-12)


def test_every_lane_has_a_benchmark_of_its_assets(states, hours):
    held = benchmarks(states, hours, hours)
    assert held.keys() == LANES.keys()
    assert held_assets("trend", states["trend"]) == ("btc", "eth", "gold", "silver")
    assert held["lp_wide"] == held_equity((states["lp_wide"].position.pool.asset,), hours, hours, NEW_YEAR)
    assert set(held_assets("lp_chaser", states["lp_chaser"])) == {"btc", "eth", "sol", "bnb", "xrp"} < ASSETS.keys()
    late = replace(states["trend"], started_at=NEW_YEAR + 30 * DAY)
    assert benchmarks({"trend": late}, hours, hours)["trend"] != held["trend"]


def test_before_it_enters_a_pool_a_lane_holds_cash():
    assert benchmarks({"lp_wide": LANES["lp_wide"].begin(NEW_YEAR)}, {}, {}) == {"lp_wide": TERMS.capital}
