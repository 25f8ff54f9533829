"""The forecast of an asset's price for every horizon, and of all assets for the next day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.languages import english, translate
from bot.messages.formats import asset, footer, price
from bot.messages.markup import message, table

BOUNDS = english(
    "90% of outcomes lie between these two prices. No direction is assumed: up and down are equally likely."
)
NONE = english("There is no forecast at the moment. Forecasts are renewed while the market is open.")
DAY = "24h"


def forecast(document: Mapping[str, Any], *, now: datetime | None = None) -> str:
    """The prices that 90% of the outcomes lie between, after each horizon."""
    now_price = price(document["price"])
    head = translate("<b>Where {asset} will be</b>, now {price} USD", asset=asset(document["asset"]), price=now_price)
    rows = [(horizon["horizon"], *_bounds(horizon)) for horizon in document["horizons"]]
    return message(
        [head, table([("", *_columns()), *rows], "<5", ">10", ">10"), translate(BOUNDS)], footer(document, now)
    )


def forecasts(documents: Sequence[Mapping[str, Any]], *, now: datetime | None = None) -> str:
    """The same after 24 hours for several assets."""
    if not documents:
        return translate(NONE)
    rows = [
        (asset(document["asset"]), *_bounds(horizon))
        for document in documents
        for horizon in document["horizons"]
        if horizon["horizon"] == DAY
    ]
    head = translate("<b>Prices in 24 hours</b>, in USD")
    return message(
        [head, table([("", *_columns()), *rows], "<12", ">10", ">10"), translate(BOUNDS)], footer(documents[0], now)
    )


def _columns() -> tuple[str, str]:
    return translate("above"), translate("below")


def _bounds(horizon: Mapping[str, Any]) -> tuple[str, str]:
    return price(horizon["quantiles"]["5"]), price(horizon["quantiles"]["95"])
