"""The tournament as frames: the table of forecasters, and the settled forecasts of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema

FORECASTERS = FrameSchema.of(
    "forecaster:text engine:text scored:opening|time_weighted",
    "rank:count entrants:count kind:forecaster|voter|pool|market n:count n_eff brier brier_low brier_high"
    " peer peer_low peer_high peer_pool peer_pool_low peer_pool_high log_score as_of:time world:world",
)
FORECASTS = FrameSchema.of(
    "market_id:text",
    "forecaster:text question:text p_yes forecast_at:time seq:count outcome:outcome resolved_at:time world:world",
)


def forecasters(document: Document) -> pd.DataFrame:
    """The tournament: callers with a public name beside the nine voters, their pool and the external market.

    Parameters
    ----------
    document : the response of `client.forecasters()` or `client.forecaster(name)`

    Returns
    -------
    Two rows per forecaster and engine, index `forecaster`, `engine` and `scored`: the scores at the `opening` and the
    `time_weighted` ones.
    `peer` and `peer_pool` are the mean log scores of the others and of the pool minus the forecaster's own on the same
    `n` markets: above 0 the forecaster was better. Intervals are 95% ones, clustered by week, and wider by what luck
    gives the best of `entrants` forecasters. The `rank` is by the lower one of `peer_low` and `peer_pool_low` of the
    `time_weighted` row.
    """
    rows = (row for entry in document["entries"] for row in _scores(entry))
    return FORECASTERS.frame(rows, as_of=document["as_of"], world=document["world"])


def forecasts(document: Document) -> pd.DataFrame:
    """The latest forecasts of a forecaster that are revealed because their markets are settled.

    Parameters
    ----------
    document : the response of `client.forecaster(name)`

    Returns
    -------
    One row per market, index `market_id`, the newest first. `seq` is the row of the ledger that committed to it.
    """
    return FORECASTS.frame(document["forecasts"], forecaster=document["name"], world=document["world"])


def _scores(entry: Document) -> Iterator[dict[str, Any]]:
    for scope in ("opening", "time_weighted"):
        yield {**entry, **entry[scope], "forecaster": entry["name"], "scored": scope}
