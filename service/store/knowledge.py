"""The inputs of the voters, as the jobs stored them last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlalchemy import Connection

from service.forecasting.densities.fits import VERSION, Fits
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.track_record import TrackRecord
from service.store import bars
from service.store.database import Database
from service.store.plain import contexts, fits, records


def latest(database: Database, step: int) -> Knowledge:
    """The stored contexts with the prices of the last bars, `step` seconds long, and the newest fits and record."""
    with database.reading() as db:
        plain = contexts.every(db)
        lasts = {asset: bar for asset in plain if (bar := bars.last(db, asset, step))}
        by_asset = {
            asset: Context.from_plain(plain[asset]).at_price(bar.close, bar.time + step) for asset, bar in lasts.items()
        }
        return _beside(database, db, by_asset)


def beside(database: Database, by_asset: Mapping[str, Context]) -> Knowledge:
    """The given contexts with the newest fits and the newest track record."""
    with database.reading() as db:
        return _beside(database, db, by_asset)


def _beside(database: Database, db: Connection, by_asset: Mapping[str, Context]) -> Knowledge:
    newest, record = newest_fits(database, db), records.latest(db)
    return Knowledge(by_asset, newest, TrackRecord.from_plain(record) if record else TrackRecord())


def newest_fits(database: Database, db: Connection) -> Fits | None:
    """The newest fits; None before the first refit of this version."""
    slot = fits.latest_key(db)
    return None if slot is None else _fits(database, slot)


@lru_cache(maxsize=4)
def _fits(database: Database, slot: int) -> Fits | None:
    """The fits of a slot, which take milliseconds to read; None where they are of another version."""
    with database.reading() as db:
        plain = fits.find(db, slot)
    return Fits.from_plain(plain) if plain and plain["version"] == VERSION else None
