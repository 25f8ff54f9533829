"""How often what was forecast came true: every forecaster of the record on its markets, and the price forecasts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from notebooks.lab.record import MarketRecord, RecordedMarket
from notebooks.lab.scores import BANDS, calibration, weekly_mean, weeks_of
from service.scores.intervals import LEAST_N, LEVELS, wilson_interval
from service.scores.proper import brier, log_score, reliability

POOL, MARKET = "pool", "market"
MARKET_COLUMNS = ["asset", "kind", "horizon", "backfilled", "week", "happened"]
SCORES = ["n", "n_eff", "brier", "brier_low", "brier_high", "log_score"]
PARTS = ["miscalibration", "discrimination", "uncertainty"]
TENTHS = np.arange(10, 100, 10)


def forecasts_table(record: MarketRecord, candidates: Mapping[str, pd.Series] | None = None) -> pd.DataFrame:
    """P(YES) of every forecaster on every market that resolved yes or no.

    Parameters
    ----------
    record : the record of a service
    candidates : forecasts of one's own by a name, each P(YES) by the id of the market, such as `report.forecasts` or
        `frames.forecasts(client.forecaster(name))["p_yes"]`

    Returns
    -------
    One row per market, index `id`, in the order of asking: the columns `asset`, `kind` (the comparator), `horizon`
    (day, week, longer), `backfilled`, the number of the `week` in which it resolved and whether it `happened` (1 or 0);
    then `pool`, `market`, each voter and each name of `candidates`, NaN where one gave no forecast.
    """
    markets = [market for market in record.markets if market.happened is not None]
    rows = pd.DataFrame([_row(market) for market in markets], columns=MARKET_COLUMNS, index=_ids(markets))
    forecasts = pd.DataFrame(
        [{POOL: market.pool, MARKET: market.odds, **market.votes} for market in markets], index=rows.index, dtype=float
    )
    table = pd.concat([rows, forecasts.dropna(axis="columns", how="all")], axis=1)
    for name, p in (candidates or {}).items():
        table[name] = p.reindex(table.index).astype("float64")
    return table.astype({"backfilled": "bool", "happened": "float64", "week": "int64"})


def _ids(markets: list[RecordedMarket]) -> pd.Index:
    return pd.Index([market.question.id for market in markets], name="id", dtype="str")


def _row(market: RecordedMarket) -> dict[str, Any]:
    question, hours = market.question, round(market.question.horizon_h, 2)
    band = next((name for name, (above, limit) in BANDS.items() if above < hours <= limit), "longer")
    week = weeks_of(pd.Series([market.resolved_at], dtype="datetime64[us, UTC]"))[0]
    values = question.asset, question.comparator, band, market.backfilled, week, market.happened
    return dict(zip(MARKET_COLUMNS, values, strict=True))


def forecasters_of(table: pd.DataFrame) -> list[str]:
    """The forecasters in a table of `forecasts_table`."""
    return [str(name) for name in table.columns[len(MARKET_COLUMNS) :]]


def bins_of(table: pd.DataFrame, forecaster: str) -> list[dict[str, float]]:
    """Bins of equal count of one forecaster, see `scores.calibration`; `table` is of one book."""
    rows = table.loc[table[forecaster].notna()]
    return calibration(rows[forecaster].to_numpy(), rows["happened"].to_numpy(), rows["week"].to_numpy())


def scores_of(table: pd.DataFrame) -> pd.DataFrame:
    """The scores of each forecaster, index `forecaster`, each on the markets that it forecast; lower is better.

    `brier` is miscalibration - discrimination + uncertainty (CORP, Dimitriadis, Gneiting and Jordan 2021), with a 95%
    interval clustered by week; the parts are missing with fewer than 30 markets. `table` is of one book.
    """
    rows = []
    for name in forecasters_of(table):
        chosen = table.loc[table[name].notna()]
        if not len(chosen):
            continue
        p, outcomes = chosen[name].to_numpy(), chosen["happened"].to_numpy()
        mean = weekly_mean(brier(p, outcomes), chosen["week"].to_numpy(), LEVELS)
        values = mean.n, mean.n_eff, mean.mean, mean.low, mean.high, float(log_score(p, outcomes).mean())
        parts = reliability(p, outcomes) if len(chosen) >= LEAST_N else None
        decomposition = {part: getattr(parts, part) if parts else np.nan for part in PARTS}
        rows.append({"forecaster": name, **dict(zip(SCORES, values, strict=True)), **decomposition})
    return pd.DataFrame(rows, columns=["forecaster", *SCORES, *PARTS]).set_index("forecaster")


def price_bins(record: Mapping[str, Any]) -> list[dict[str, float]]:
    """How often prices came out below each tenth of their forecast, from one `record` of `client.forecast_record()`.

    In the columns of `scores.calibration`: `p` is the quantile. The interval is by Wilson's formula for the number of
    independent forecasts. No bins before a forecast has resolved.
    """
    if not record["pit_pct"]:
        return []
    shares = np.cumsum(record["pit_pct"])[: len(TENTHS)]
    ends = [wilson_interval(share / 100 * record["n_eff"], record["n_eff"]) for share in np.clip(shares, 0, 100)]
    return [
        {"p": tenth / 100, "observed_pct": share, "low_pct": 100 * low, "high_pct": 100 * high, "n": record["n"]}
        for tenth, share, (low, high) in zip(TENTHS.tolist(), shares.tolist(), ends, strict=True)
    ]
