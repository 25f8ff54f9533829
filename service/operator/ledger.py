"""The ledger: copied out for whoever wants to verify it, and corrected by a row more."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from service.config import Settings
from service.errors import InvalidRequest, NotFound, Unavailable
from service.ledger.chain import Row
from service.operator.commands import Answer, add
from service.store import ledger, world
from service.store.database import Database


def export(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """Write the whole ledger as lines of JSON, which `python -m service.ledger verify` checks."""
    lines = 0
    try:
        # Ends of lines are hashed by nobody and yet must be the same everywhere.
        with database.reading() as db, open(asked.file, "x", encoding="utf-8", newline="\n") as file:
            for line in ledger.export(db):
                file.write(f"{line}\n")
                lines += 1
    except FileExistsError:
        raise InvalidRequest(f"{asked.file} exists already; an export overwrites nothing.") from None
    except OSError as error:
        raise Unavailable(f"The export could not be written: {error}.") from error
    return {"file": str(asked.file), "bytes": asked.file.stat().st_size, "lines": lines}


def correct(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """Record what is wrong with a row; the row itself stays as it is."""
    note = asked.note.strip()
    if not note:
        raise InvalidRequest("Say in the note what is wrong with the row and what is right.")
    with database.writing() as db:
        now = world.find_clock(db).at(time.time())
        wrong = ledger.find(db, asked.seq)
        if wrong is None:
            raise NotFound(f"There is no row {asked.seq} in the ledger.")
        row = Row("correction", wrong.subject, {"corrects": asked.seq, "note": note}, wrong.backfilled)
        (entry,) = ledger.append(db, [row], now)
    return {"seq": entry.seq, "corrects": asked.seq, "subject": entry.subject, "recorded_at": entry.recorded_at}


def register(verbs) -> None:
    """The commands on the ledger."""
    add(verbs, "export", export).add_argument("file", metavar="FILE", type=Path, help="must not exist yet")
    correcting = add(verbs, "correct", correct)
    correcting.add_argument("seq", metavar="SEQ", type=int)
    correcting.add_argument("--note", required=True, help="what is wrong and what is right; it is published")
