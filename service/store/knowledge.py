"""The inputs of the voters, as the jobs stored them last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqlalchemy import Connection

from service.forecasting.voters.context import Context
from service.forecasting.voters.fits import READABLE, VERSION, Fits
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.track_record import TrackRecord
from service.store import bars
from service.store.database import Database
from service.store.plain import contexts, fits, records


class OutdatedFits(Exception):
    """The stored fits are of another version; the next refit replaces them under the same slot.

    `fits` are those of a version that can still be read, else None.
    """

    def __init__(self, fits: Fits | None) -> None:
        super().__init__()
        self.fits = fits


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
    """The newest fits; None before the first refit and if their version cannot be read."""
    slot = fits.latest_key(db)
    try:
        return _fits(database, slot) if slot is not None else None
    except OutdatedFits as outdated:
        return outdated.fits


@lru_cache(maxsize=4)
def _fits(database: Database, slot: int) -> Fits:
    """The fits of a slot, which take milliseconds to read; an exception is not cached."""
    with database.reading() as db:
        plain = fits.find(db, slot)
    readable = Fits.from_plain(plain) if plain and plain["version"] in READABLE else None
    if readable is None or readable.version != VERSION:
        raise OutdatedFits(readable)
    return readable
