"""Forecasters: an id for the ledger, the caller behind it, the public name it may choose, and the record."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from service.errors import NameTaken
from service.forecasting.predictions.scores.forecasters import ForecasterRecord
from service.store.database import insert
from service.store.tables import forecast_score, forecaster


class NamedForecaster(NamedTuple):
    """A forecaster with a public name; `record` is None before it is computed."""

    id: str
    name: str
    record: ForecasterRecord | None


_RECORD = TypeAdapter(ForecasterRecord)
_NAMED = select(forecaster.c.id, forecaster.c.name, forecaster.c.record).where(forecaster.c.name.is_not(None))


def id_of(db: Connection, caller: str, new_id: str, now: int) -> str:
    """The id of a caller, which is `new_id` from its first forecast or name on."""
    row = {"id": new_id, "caller": caller, "created_at": now}
    db.execute(insert(db, forecaster).values(row).on_conflict_do_nothing(index_elements=[forecaster.c.caller]))
    return db.execute(select(forecaster.c.id).where(forecaster.c.caller == caller)).scalar_one()


def name_of(db: Connection, caller: str) -> str | None:
    """The public name of a caller; None without one."""
    return db.scalar(select(forecaster.c.name).where(forecaster.c.caller == caller))


def rename(db: Connection, caller: str, name: str | None) -> None:
    """Give a forecaster another public name, or none; raises NameTaken if another one has it."""
    values = {"name": name} if name else {"name": None, "record": None, "record_at": None}
    try:
        db.execute(update(forecaster).where(forecaster.c.caller == caller).values(values))
    except IntegrityError:
        raise NameTaken(f"Another forecaster is called {name}.") from None


def forget(db: Connection, key_id: str) -> None:
    """Remove what ties forecasters to a key or its end users; their forecasts stay under ids that name nobody."""
    caller = forecaster.c.caller
    own = or_(caller == f"key:{key_id}", caller.startswith(f"key:{key_id}:", autoescape=True))
    db.execute(update(forecaster).where(own).values(caller=None, name=None, record=None, record_at=None))


def count(db: Connection) -> int:
    """The number of forecasters, with a name or without."""
    return db.scalar(select(func.count()).select_from(forecaster)) or 0


def named(db: Connection) -> list[NamedForecaster]:
    """The forecasters with a public name, in the order of their names."""
    return [_named(row) for row in db.execute(_NAMED.order_by(forecaster.c.name))]


def find(db: Connection, name: str) -> NamedForecaster | None:
    """The forecaster with this public name."""
    row = db.execute(_NAMED.where(forecaster.c.name == name)).first()
    return _named(row) if row else None


def outdated(db: Connection) -> list[str]:
    """The ids of named forecasters without a record, or with scores since it was computed."""
    is_newer = exists().where(
        forecast_score.c.forecaster == forecaster.c.id, forecast_score.c.resolved_at >= forecaster.c.record_at
    )
    query = select(forecaster.c.id).where(forecaster.c.name.is_not(None), forecaster.c.record_at.is_(None) | is_newer)
    return list(db.scalars(query.order_by(forecaster.c.id)))


def keep_record(db: Connection, id: str, record: ForecasterRecord, at: int) -> None:
    """Store the record of a forecaster as of the world second `at`, if it still has a name."""
    row = update(forecaster).where(forecaster.c.id == id, forecaster.c.name.is_not(None))
    db.execute(row.values(record=_RECORD.dump_json(record).decode(), record_at=at))


def _named(row: Row) -> NamedForecaster:
    return NamedForecaster(row.id, row.name, _RECORD.validate_json(row.record) if row.record else None)
