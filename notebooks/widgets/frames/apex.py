"""Apex as frames: its calls and layers, their accuracy, and the paper fund that follows its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, Pages, one_of, pages_of

FUSION = "apex"
VERDICT = one_of(
    "not enough resolved markets", "no clear difference from a coin", "better than a coin", "worse than a coin"
)

APEX_LAYERS = FrameSchema.of(
    "layer:text",
    "p_up direction:direction weight reading:text silent:text in_sample:flag called_at:time backfilled:flag"
    " as_of:time world:world",
)
APEX_CALLS = FrameSchema.of(
    "called_at:time",
    "asset:text resolves_at:time spot_usd p_up direction:direction agreement confidence special_mode:flag"
    " outcome:outcome backfilled:flag world:world",
)
APEX_CALL_LAYERS = FrameSchema.of(
    "called_at:time",
    "layer:text p_up direction:direction weight reading:text silent:text in_sample:flag outcome:outcome"
    " backfilled:flag world:world",
)
APEX_ACCURACY = FrameSchema.of(
    "layer:text backfilled:flag",
    "n:count in_sample:count n_eff skill_coin skill_coin_low skill_coin_high skill skill_low skill_high brier"
    " accuracy_pct accuracy_low_pct accuracy_high_pct likelier_side_pct always_no_pct verdict as_of:time world:world",
    verdict=VERDICT,
)
FUND_EQUITY = FrameSchema.of("time:time", "equity_usd benchmark_usd backfilled:flag world:world")
FUND_TRADES = FrameSchema.of(
    "time:time",
    "side:buy|sell quantity_btc price value_usd fee_usd exposure_before_pct exposure_after_pct p_up backfilled:flag"
    " world:world",
)


def apex_layers(document: Document) -> pd.DataFrame:
    """The forecast of each layer for the next day of bitcoin.

    Parameters
    ----------
    document : the response of `client.apex()`

    Returns
    -------
    One row per layer, index `layer`. `p_up` is P(higher) in 0 to 1. A silent layer has no `p_up`, the weight 0 and the
    reason in `silent`; an `in_sample` one was fitted on prices of that time and has no weight. `backfilled` is that of
    the call.
    """
    constants = {name: document[name] for name in ("called_at", "backfilled", "as_of", "world")}
    return APEX_LAYERS.frame(({**layer, "layer": layer["name"]} for layer in document["layers"]), **constants)


def apex_calls(source: Pages) -> pd.DataFrame:
    """The calls of apex with their outcomes.

    Parameters
    ----------
    source : a page of `client.apex_calls()`, or several pages; `Archive.apex_calls` downloads all of them

    Returns
    -------
    One row per call, index `called_at`, UTC, in the order of the source. `p_up` is P(higher than `spot_usd`) in 0 to 1;
    `outcome` is yes where the price was higher after a day, missing until then, void where bars are missing.
    """
    return APEX_CALLS.frame(
        {**call, "spot_usd": call["spot"], "world": page["world"]}
        for page in pages_of(source)
        for call in page["calls"]
    )


def apex_call_layers(source: Pages) -> pd.DataFrame:
    """The forecast of each layer in each call of apex.

    Parameters
    ----------
    source : as in `apex_calls`

    Returns
    -------
    One row per call and layer, index `called_at`, UTC. A silent layer has no `p_up` and the reason in `silent`; an
    `in_sample` one was fitted on prices of that time. `outcome` is that of the call.
    """
    return APEX_CALL_LAYERS.frame(
        {**call, **layer, "layer": layer["name"], "world": page["world"]}
        for page in pages_of(source)
        for call in page["calls"]
        for layer in call["layers"]
    )


def apex_accuracy(document: Document) -> pd.DataFrame:
    """The accuracy of apex and of each layer, live and backfilled.

    Parameters
    ----------
    document : the response of `client.apex()`

    Returns
    -------
    One row per layer and book, index `layer` and `backfilled`; `apex` is the fusion of the layers. `accuracy` is 1
    minus four times the Brier score, so a coin flip has 0; `skill` is against the share of rises so far. The hit rate
    is a percentage with a 95% interval; its calls are worth `n_eff` independent ones. `in_sample` calls are left out.
    """
    return APEX_ACCURACY.frame(_books(document), as_of=document["as_of"], world=document["world"])


def fund_equity(document: Document) -> pd.DataFrame:
    """The equity of the paper fund, and of a constant half in bitcoin.

    Parameters
    ----------
    document : the response of `client.fund()`

    Returns
    -------
    One row per point, index `time`, UTC, the oldest first; both values in USD.
    """
    return FUND_EQUITY.frame(document["equity"], world=document["world"])


def fund_trades(document: Document) -> pd.DataFrame:
    """The trades by which the paper fund rebalances.

    Parameters
    ----------
    document : the response of `client.fund()`

    Returns
    -------
    One row per trade, index `time`, UTC, the newest first. `price` is USD after slippage, `value_usd` excludes the fee,
    `exposure_` is the percentage of the fund in bitcoin, and `p_up` the call behind the trade, in 0 to 1.
    """
    return FUND_TRADES.frame(document["trades"], world=document["world"])


def _books(document: Document) -> Iterator[dict[str, Any]]:
    for layer in ({"name": FUSION, "accuracy": document["record"]}, *document["layers"]):
        for book in layer["accuracy"]:
            yield {**book, "layer": layer["name"]}
