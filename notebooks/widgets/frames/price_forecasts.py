"""Forecasts of prices as frames: the distribution of a price after each horizon, and how good such forecasts were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema

POOL, ALL_ASSETS = "pool", "all"
QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)
COVERAGES = (50, 80, 90, 98)

PRICE_FORECASTS = FrameSchema.of(
    "horizon:1h|6h|24h|3d|7d|14d|30d voter:text",
    "asset:text until:time open_hours sigma_pct q1_usd q5_usd q10_usd q25_usd q50_usd q75_usd q90_usd q95_usd q99_usd"
    " as_of:time world:world",
)
PRICE_RECORD = FrameSchema.of(
    "horizon:1h|6h|24h|3d|7d|14d|30d asset:text backfilled:flag",
    "n:count n_eff crps vol_crps crps_ratio low high verdict:text coverage_50_pct coverage_80_pct coverage_90_pct"
    " coverage_98_pct as_of:time world:world",
)


def price_forecasts(document: Document) -> pd.DataFrame:
    """The distribution of the price of an asset after each horizon, pooled and of each voter.

    Parameters
    ----------
    document : the response of `client.forecast(asset)`

    Returns
    -------
    One row per horizon and voter, index `horizon` and `voter`; `pool` is the pool of the voters. `q5_usd` is the price
    in USD that the forecast expects to be undercut in 5% of cases; `sigma_pct` is the standard deviation in percent.
    """
    rows = (row for horizon in document["horizons"] for row in _distributions(horizon))
    constants = {name: document[name] for name in ("asset", "as_of", "world")}
    return PRICE_FORECASTS.frame(rows, **constants)


def price_record(document: Document) -> pd.DataFrame:
    """How good the price forecasts were, by horizon and asset.

    Parameters
    ----------
    document : the response of `client.forecast_record()`

    Returns
    -------
    One row per book, horizon and asset, index `horizon`, `asset` and `backfilled`; the asset `all` is all assets
    together. `crps_ratio` is the score of the pool over that of plain volatility, so below 1 the pool was better, with
    a 95% interval. `coverage_80_pct` is the percentage of outcomes in the central interval of 80%.
    """
    rows = (row for book in document["books"] for horizon in book["horizons"] for row in _records(book, horizon))
    return PRICE_RECORD.frame(rows, as_of=document["as_of"], world=document["world"])


def _distributions(horizon: Document) -> Iterator[dict[str, Any]]:
    for voter, distribution in {POOL: horizon, **horizon["voters"]}.items():
        quantiles = {f"q{percent}_usd": distribution["quantiles"][str(percent)] for percent in QUANTILES}
        yield {**horizon, **distribution, **quantiles, "voter": voter}


def _records(book: Document, horizon: Document) -> Iterator[dict[str, Any]]:
    constants = {"backfilled": book["backfilled"], "horizon": horizon["horizon"]}
    for asset, record in ((ALL_ASSETS, horizon["all"]), *horizon["assets"].items()):
        coverage = record["coverage_pct"] or {}
        shares = {f"coverage_{percent}_pct": coverage.get(str(percent)) for percent in COVERAGES}
        yield {**record, **constants, **shares, "asset": asset}
