"""What is committed: the published forecasts, in few numbers, and only what is not known yet."""

from __future__ import annotations

from dataclasses import replace
from math import exp, sqrt

import numpy as np
import pytest

from service import canonical
from service.forecasting.densities.density import horizon_sigma
from service.forecasting.densities.season import WEEK, Season
from service.forecasting.price_record.committed import (
    COLUMNS,
    SHARES,
    STANDARD,
    PriceForecast,
    commit,
    ledger_rows,
    significant,
)
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.price_forecasts import describe
from service.market.assets import ASSETS
from service.market.headers import header
from service.market.instants import DAY, HOUR, iso
from tests.forecasting.made import NOW
from tests.forecasting.price_record.made import price_forecast

SATURDAY = 1_745_625_600  # 2025-04-26T00:00:00Z


@pytest.fixture(scope="module")
def forecasts(knowledge) -> dict[tuple[str, str], PriceForecast]:
    return {(row.asset, row.horizon): row for row in commit(knowledge, NOW)}


def test_every_asset_and_horizon_is_committed_once(knowledge, forecasts):
    assert set(forecasts) == {(asset, horizon) for asset in ASSETS for horizon in STANDARD}
    assert len(commit(knowledge, NOW)) == len(forecasts)


def test_the_intervals_are_those_of_the_document(knowledge, forecasts):
    """The committed half-widths lead from the price to its published quantiles."""
    published = describe(knowledge, NOW, header(NOW, NOW, step=HOUR, world="simulated", sources={}))
    for (asset, name), row in forecasts.items():
        (horizon,) = (each for each in published[asset].horizons if each.horizon == name)
        assert horizon.sigma_pct == pytest.approx(row.law[0], rel=1e-3, abs=1e-3)
        for share, width in zip(SHARES, row.law[3:], strict=True):
            upper = horizon.quantiles[f"{50 + share / 2:g}"]
            assert row.price * exp(width / 100) == pytest.approx(upper, rel=1e-4)


def test_plain_volatility_is_committed_beside(knowledge, forecasts):
    context = knowledge.contexts["eth"]
    row = forecasts["eth", "24h"]
    assert row.law[1] == pytest.approx(100 * horizon_sigma(context.fast, context.slow, 24), rel=1e-3)
    assert row.law[2] == pytest.approx(100 * sqrt(context.slow * 24), rel=1e-3)
    assert (row.price, row.price_as_of, row.deadline) == (context.spot, NOW, NOW + DAY)


def test_without_its_newest_bar_an_asset_has_none(knowledge):
    """An hour later no new bar of bitcoin has come; the context of a later hour is no better."""
    assert commit(Knowledge({"btc": knowledge.contexts["btc"]}, knowledge.fits), NOW + HOUR) == []
    assert commit(knowledge, NOW - HOUR) == []


def test_without_fitted_models_there_is_none(knowledge):
    assert commit(replace(knowledge, fits=None), NOW) == []
    blind = {asset: replace(context, level=None) for asset, context in knowledge.contexts.items()}
    assert commit(replace(knowledge, contexts=blind), NOW) == []


def test_a_horizon_without_an_open_hour_is_not_committed(knowledge):
    """Gold on a Saturday: its price in an hour and in a day is known."""
    gold = replace(knowledge.contexts["gold"], as_of=SATURDAY - 3 * HOUR)
    weekdays = Season((1.4,) * 120 + (0.0,) * (WEEK - 120))
    fits = replace(knowledge.fits, calendars={"comex": replace(knowledge.fits.of("gold"), season=weekdays)})
    rows = commit(Knowledge({"gold": gold}, fits), SATURDAY)
    assert [row.horizon for row in rows] == ["7d", "30d"]
    assert {row.price_as_of for row in rows} == {SATURDAY - 3 * HOUR}


def test_an_hour_has_one_row_in_the_ledger():
    """It names its numbers; a later hour has a row of its own."""
    early, late = price_forecast("eth", at=NOW), price_forecast("btc", "24h", at=NOW + HOUR)
    rows = ledger_rows([late, early, price_forecast("btc", at=NOW)], backfilled=True)
    assert [row.subject for row in rows] == [f"prices-{iso(NOW)}", f"prices-{iso(NOW + HOUR)}"]
    body = canonical.read(canonical.write(rows[0].body))
    assert (body["at"], body["columns"]) == (NOW, list(COLUMNS))
    assert set(body["forecasts"]) == {"btc", "eth"}
    assert body["forecasts"]["eth"] == {"price": 100, "as_of": NOW, "1h": list(early.law)}
    assert len(early.law) == len(COLUMNS)
    assert [row.kind for row in rows] == ["price_forecast"] * 2
    assert all(row.backfilled for row in rows)


def test_percentages_keep_four_digits():
    assert significant(np.array([0.123456789, 12.3456789, 0.0])).tolist() == [0.1235, 12.35, 0.0]
