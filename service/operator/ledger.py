"""Export the ledger for verification, and add corrections to it."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from service.config import Settings
from service.errors import InvalidRequest, ResourceNotFound, ServiceUnavailable
from service.ledger.chain import LedgerRow
from service.operator.commands import CommandOutput, Commands, add
from service.store import ledger, world
from service.store.database import Database


def export(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Write the whole ledger as lines of JSON, for `python -m service.ledger verify`."""
    lines = 0
    try:
        # Line endings are not part of any hash, but the file must be the same on every system.
        with database.reading() as db, open(arguments.file, "x", encoding="utf-8", newline="\n") as file:
            for line in ledger.export(db):
                file.write(f"{line}\n")
                lines += 1
    except FileExistsError:
        raise InvalidRequest(f"{arguments.file} exists already; an export does not overwrite files.") from None
    except OSError as error:
        raise ServiceUnavailable(f"The export could not be written: {error}.") from error
    return {"file": str(arguments.file), "bytes": arguments.file.stat().st_size, "lines": lines}


def correct(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Add a row that states an error in an earlier row; the earlier row does not change."""
    note = arguments.note.strip()
    if not note:
        raise InvalidRequest("The note must state what is wrong in the row and what is right.")
    with database.writing() as db:
        now = world.find_clock(db).at(time.time())
        wrong = ledger.find_entry(db, arguments.seq)
        if wrong is None:
            raise ResourceNotFound(f"There is no row {arguments.seq} in the ledger.")
        row = LedgerRow("correction", wrong.subject, {"corrects": arguments.seq, "note": note}, wrong.backfilled)
        (entry,) = ledger.append(db, [row], now)
    return {"seq": entry.seq, "corrects": arguments.seq, "subject": entry.subject, "recorded_at": entry.recorded_at}


def register(verbs: Commands) -> None:
    """Add the commands for the ledger."""
    add(verbs, "export", export).add_argument(
        "file", metavar="FILE", type=Path, help="the file to create; must not exist yet"
    )
    correcting = add(verbs, "correct", correct)
    correcting.add_argument("seq", metavar="SEQ", type=int)
    correcting.add_argument("--note", required=True, help="what is wrong and what is right; it is published")
