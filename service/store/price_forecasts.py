"""Committed price forecasts that wait for their deadline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, delete, func, select

from service import canonical
from service.forecasting.price_record.committed import PriceForecast
from service.store.database import insert
from service.store.tables import price_forecast

_DUE = (
    select(price_forecast)
    .where(price_forecast.c.deadline <= bindparam("until"))
    .order_by(price_forecast.c.deadline, price_forecast.c.at, price_forecast.c.asset)
)
_DELETE = delete(price_forecast).where(
    and_(*(column == bindparam(f"the_{column.name}") for column in price_forecast.primary_key))
)
_WAITING = select(price_forecast.c.backfilled, price_forecast.c.horizon, func.count()).group_by(
    price_forecast.c.backfilled, price_forecast.c.horizon
)


class WaitingForecast(NamedTuple):
    """A stored forecast, and whether it was backfilled."""

    forecast: PriceForecast
    backfilled: bool


def add(db: Connection, forecasts: Iterable[PriceForecast], *, backfilled: bool) -> None:
    """Store forecasts; one that is stored already stays as it is."""
    rows = [
        {
            "at": row.at,
            "asset": row.asset,
            "horizon": row.horizon,
            "deadline": row.deadline,
            "backfilled": backfilled,
            "body": canonical.write([row.price, row.price_as_of, row.law]),
        }
        for row in forecasts
    ]
    if rows:
        db.execute(insert(db, price_forecast).on_conflict_do_nothing(), rows)


def due(db: Connection, until: int) -> list[WaitingForecast]:
    """The forecasts with a deadline at or before a unix second, the earliest first."""
    return [
        WaitingForecast(_forecast(row.at, row.asset, row.horizon, row.body), row.backfilled)
        for row in db.execute(_DUE, {"until": until})
    ]


def _forecast(at: int, asset: str, horizon: str, body: str) -> PriceForecast:
    price, price_as_of, law = canonical.read(body)
    return PriceForecast(at, asset, horizon, price, price_as_of, tuple(law))


def remove(db: Connection, forecasts: Iterable[PriceForecast]) -> None:
    """Delete forecasts that have been scored or are void."""
    keys = [{"the_at": row.at, "the_asset": row.asset, "the_horizon": row.horizon} for row in forecasts]
    if keys:
        db.execute(_DELETE, keys)


def count(db: Connection) -> dict[tuple[bool, str], int]:
    """The number of waiting forecasts by `backfilled` and horizon."""
    return {(backfilled, horizon): number for backfilled, horizon, number in db.execute(_WAITING)}
