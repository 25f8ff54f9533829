"""The world and the clock of this database: one row, written at the first start; and the last writes to it."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, Row, delete, insert, select, update

from service.errors import ResourceNotFound, WrongWorld
from service.market.instants import WorldClock
from service.store.database import Database, add_rows, put_rows
from service.store.tables import heartbeat, idempotency, world


@dataclass(frozen=True)
class StoredWorld:
    """The world of a database: its clock, the length of its bars in seconds, and where its history begins."""

    clock: WorldClock
    step: int
    history_from: int


def claim_world(
    db: Connection, *, fingerprint: str, step: int, history_from: int, clock: WorldClock, wall: float
) -> StoredWorld:
    """Claim an empty database for a world, or check that it belongs to the same one; WrongWorld for another one.

    The arguments describe the feed; `clock` is that of a first start at the unix second `wall`. Later starts use the
    stored clock and history, so that stored bars stay valid; with another speed, from the present instant on.
    """
    first = {"name": clock.world, "fingerprint": fingerprint, "step": step, "history_from": history_from}
    line = {key: value for key, value in asdict(clock).items() if key != "world"}
    add_rows(db, world, [{"id": 1, **first, **line}])
    row = db.execute(select(world).with_for_update()).one()
    database_world, settings_world = (row.name, row.fingerprint, row.step), (clock.world, fingerprint, step)
    if database_world != settings_world:
        words = "the {} world {!r} in bars of {} s".format
        raise WrongWorld(
            f"This database holds {words(*database_world)}, the settings ask for {words(*settings_world)}: "
            "use another DATA_DIR or DATABASE_URL."
        )
    present = _clock(row)
    if present.speed != clock.speed:
        changes = {"speed": clock.speed, "world_origin": present.at(int(wall)), "wall_origin": int(wall)}
        present = replace(present, **changes)
        db.execute(update(world).values(changes))
    return StoredWorld(present, row.step, row.history_from)


def find_clock(db: Connection) -> WorldClock:
    """The clock of the world that this database holds. Raises ResourceNotFound before the first start."""
    row = db.execute(select(world)).one_or_none()
    if row is None:
        raise ResourceNotFound("This database is empty: start the service first.")
    return _clock(row)


def _clock(row: Row) -> WorldClock:
    return WorldClock(row.name, row.world_origin, row.wall_origin, row.speed, row.ends)


JOBS, BACKUP = 2, 3  # the rows of the job processes and of the last backup; `.deploy/backup.sh` writes the second
SILENT_S = 60  # real seconds after which job processes that looked nowhere are taken for ended
ANSWER_BYTES = 65_536  # more than an answer and what is stored beside it


def beat(db: Connection, now: int, writer: int = JOBS) -> None:
    """Note the wall second `now` at which a job process looked what is due, or a backup was made."""
    put_rows(db, heartbeat, [{"id": writer, "at": now}])


def rehearse(database: Database, now: int) -> None:
    """Store as much as a question does, at the wall second `now`, and delete it; raises what the database raises.

    A full disk still takes a value that replaces another one.
    """
    key, body = secrets.token_hex(8), secrets.token_bytes(ANSWER_BYTES)
    row = {"caller": "readyz", "key": key, "digest": "", "created_at": now, "status": 200, "body": body}
    with database.writing() as db:
        db.execute(insert(idempotency).values(row))
    with database.writing() as db:
        db.execute(delete(idempotency).where(idempotency.c.caller == "readyz", idempotency.c.key == key))


def silence_s(db: Connection, now: float, writer: int = JOBS) -> float | None:
    """Seconds since the last `beat`; None before the first."""
    last = db.scalar(select(heartbeat.c.at).where(heartbeat.c.id == writer))
    return None if last is None else max(0.0, now - last)
