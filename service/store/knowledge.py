"""What the voters are shown when somebody asks, as jobs last stored it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Connection

from service.forecasting.context import Context
from service.forecasting.fits import VERSION, Fits
from service.forecasting.record import Record
from service.store import bars, contexts, fits, records
from service.store.database import Database


@dataclass(frozen=True)
class Knowledge:
    """Contexts by asset with the prices of the last bars, the fits (None before the first) and the track record."""

    contexts: dict[str, Context]
    fits: Fits | None
    record: Record

    @property
    def spots(self) -> dict[str, float]:
        """The last price of each asset in USD."""
        return {asset: context.spot for asset, context in self.contexts.items()}


def latest(database: Database, step: int) -> Knowledge:
    """All that is known now; `step` is the length of the bars in seconds."""
    with database.reading() as db:
        plain = contexts.every(db)
        lasts = {asset: bars.last(db, asset, step) for asset in plain}
        learnt, record = newest_fits(database, db), newest_record(db)
    return Knowledge(
        contexts={
            asset: Context.from_plain(told).at_price(lasts[asset].close, lasts[asset].time + step)
            for asset, told in plain.items()
        },
        fits=learnt,
        record=record,
    )


def newest_fits(database: Database, db: Connection) -> Fits | None:
    """The newest fits; None before the first, and when an older version of the arithmetic made them."""
    slot = fits.latest_slot(db)
    return _fits(database, slot) if slot is not None else None


def newest_record(db: Connection) -> Record:
    """The track record; one of nothing before the first resolution."""
    told = records.latest(db)
    return Record.from_plain(told) if told else Record()


@lru_cache(maxsize=4)
def _fits(database: Database, slot: int) -> Fits | None:  # noqa: ARG001
    """Read once for each slot: that takes milliseconds."""
    with database.reading() as db:
        found = fits.latest(db)
    return Fits.from_plain(found.body) if found and found.body["version"] == VERSION else None
