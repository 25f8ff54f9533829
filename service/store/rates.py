"""The exchange rates of the world, as the job stored them last."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.market.prices import NO_RATES, Rate, Rates
from service.store import snapshots

NAME = "rates"
_RATES = TypeAdapter(dict[str, Rate])


def save(db: Connection, as_of: int, rates: Rates) -> None:
    """Store the rates that were read at the unix second `as_of`, unless later ones are stored."""
    snapshots.save(db, NAME, as_of, _RATES.dump_json(dict(rates)))


def latest(db: Connection) -> Rates:
    """The last stored rates by currency; none before the first run of the job."""
    snapshot = snapshots.latest(db, NAME)
    return _RATES.validate_json(snapshot.body) if snapshot else NO_RATES
