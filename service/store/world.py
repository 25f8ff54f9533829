"""Which world this database belongs to, and how its time runs: one row, written at the first start."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, Row, select, update

from service.errors import NotFound, WrongWorld
from service.market.clock import WorldClock
from service.store.database import insert
from service.store.tables import world


@dataclass(frozen=True)
class Settled:
    """What a database was settled for: its clock, the length of its bars (s) and where its history begins."""

    clock: WorldClock
    step: int
    history_from: int


def settle(
    db: Connection, *, fingerprint: str, step: int, history_from: int, clock: WorldClock, wall: float
) -> Settled:
    """Settle an empty database for a world, or make sure that it is already settled for the same one.

    The arguments are what the feed says of itself, `clock` being the one of a first start at the unix second
    `wall`. Later starts go on with the stored clock and history, so that bars keep their anchor. A clock of
    another speed goes on from the present world instant. Raises WrongWorld when the data is another world's.
    """
    first = {"name": clock.world, "fingerprint": fingerprint, "step": step, "history_from": history_from}
    line = {key: value for key, value in asdict(clock).items() if key != "world"}
    db.execute(insert(db, world).values(id=1, **first, **line).on_conflict_do_nothing())
    row = db.execute(select(world).with_for_update()).one()
    _check(row, clock.world, fingerprint, step)
    stored = _clock(row)
    if stored.speed != clock.speed:
        stored = replace(stored, speed=clock.speed, world_origin=stored.at(int(wall)), wall_origin=int(wall))
        db.execute(
            update(world).values(speed=stored.speed, world_origin=stored.world_origin, wall_origin=stored.wall_origin)
        )
    return Settled(stored, row.step, row.history_from)


def find_clock(db: Connection) -> WorldClock:
    """The clock of the world that this database holds. Raises NotFound before the first start."""
    row = db.execute(select(world)).one_or_none()
    if row is None:
        raise NotFound("This database holds no world yet: start the service first.")
    return _clock(row)


def _clock(row: Row) -> WorldClock:
    return WorldClock(row.name, row.world_origin, row.wall_origin, row.speed, row.ends)


def _check(row: Row, name: str, fingerprint: str, step: int) -> None:
    if (row.name, row.fingerprint, row.step) == (name, fingerprint, step):
        return
    raise WrongWorld(
        f"This database holds {_words(row.name, row.fingerprint, row.step)}, the settings ask for "
        f"{_words(name, fingerprint, step)}: use another DATA_DIR or DATABASE_URL."
    )


def _words(name: str, fingerprint: str, step: int) -> str:
    return f"the {name} world {fingerprint!r} in bars of {step} s"
