"""Apex as frames: its layers, how good they were, and the paper fund that it steers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import CLAIM, COUNT, DIRECTION, INSTANT, NUMBER, TEXT, WORLD, Table, one_of

FUSED = "apex"
VERDICT = one_of(
    "not enough resolved markets", "no clear difference from a coin", "better than a coin", "worse than a coin"
)

APEX_LAYERS = Table(
    {"layer": TEXT},
    {
        "p_up": NUMBER,
        "direction": DIRECTION,
        "weight": NUMBER,
        "reading": TEXT,
        "silent": TEXT,
        "called_at": INSTANT,
        "backfilled": CLAIM,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
APEX_ACCURACY = Table(
    {"layer": TEXT},
    {
        "n": COUNT,
        "n_eff": NUMBER,
        "accuracy": NUMBER,
        "brier": NUMBER,
        "hit_rate_pct": NUMBER,
        "hit_rate_low_pct": NUMBER,
        "hit_rate_high_pct": NUMBER,
        "verdict": VERDICT,
        "backfilled": CLAIM,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
FUND_EQUITY = Table(
    {"time": INSTANT},
    {"equity_usd": NUMBER, "benchmark_usd": NUMBER, "backfilled": CLAIM, "world": WORLD},
)
FUND_TRADES = Table(
    {"time": INSTANT},
    {
        "side": one_of("buy", "sell"),
        "quantity_btc": NUMBER,
        "price": NUMBER,
        "value_usd": NUMBER,
        "fee_usd": NUMBER,
        "exposure_before_pct": NUMBER,
        "exposure_after_pct": NUMBER,
        "p_up": NUMBER,
        "backfilled": CLAIM,
        "world": WORLD,
    },
)


def apex_layers(document: Mapping[str, Any]) -> pd.DataFrame:
    """What each layer says of bitcoin's next day.

    Parameters
    ----------
    document : that of `client.apex()`

    Returns
    -------
    One row a layer, index `layer`. `p_up` is P(higher) in 0 to 1, missing where the layer is silent, and then
    `silent` says why; its weight is then 0. `backfilled` is that of the call.
    """
    shared = {name: document[name] for name in ("called_at", "backfilled", "as_of", "world")}
    return APEX_LAYERS.frame(({**layer, "layer": layer["name"]} for layer in document["layers"]), **shared)


def apex_accuracy(document: Mapping[str, Any]) -> pd.DataFrame:
    """How good apex and each of its layers were, live and backfilled.

    Parameters
    ----------
    document : that of `client.apex()`

    Returns
    -------
    One row a layer and book, index `layer`, which repeats; the fusion of them is `apex`. `accuracy` is 1 less four
    times the Brier score: 0 is the toss of a coin. All of it rests on `n` calls, worth `n_eff` independent ones; the
    hit rate is in percent with a 95 % interval.
    """
    return APEX_ACCURACY.frame(_books(document), as_of=document["as_of"], world=document["world"])


def fund_equity(document: Mapping[str, Any]) -> pd.DataFrame:
    """What the paper fund was worth, beside bitcoin bought and held.

    Parameters
    ----------
    document : that of `client.fund()`

    Returns
    -------
    Index `time`, UTC, oldest first; both curves in USD.
    """
    return FUND_EQUITY.frame(document["equity"], world=document["world"])


def fund_trades(document: Mapping[str, Any]) -> pd.DataFrame:
    """How the paper fund rebalanced.

    Parameters
    ----------
    document : that of `client.fund()`

    Returns
    -------
    Index `time`, UTC, newest first. `price` is USD after slippage, `value_usd` what changed hands without the fee,
    `exposure_` is percent of the fund in bitcoin, `p_up` the call it traded on, in 0 to 1.
    """
    return FUND_TRADES.frame(document["trades"], world=document["world"])


def _books(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for layer in ({"name": FUSED, "accuracy": document["record"]}, *document["layers"]):
        for book in layer["accuracy"]:
            yield {**book, "layer": layer["name"]}
