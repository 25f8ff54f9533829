"""Take the world back to a backup."""

from __future__ import annotations

import argparse
import time

from service.config import Settings
from service.errors import InvalidRequest
from service.market.instants import iso
from service.operator.commands import CommandOutput, Commands, add
from service.store import world
from service.store.database import Database
from service.store.rewinding import rewind


def take_back(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Go on from a restored backup with the ledger of the database before; the service must not run.

    What that ledger has beyond the backup stays in it, and corrections take it back.
    """
    note = arguments.note.strip()
    if not note:
        raise InvalidRequest("The note must state why the world is taken back; it is published.")
    with database.reading() as db:
        now = world.find_clock(db).at(time.time())
    before: str = arguments.database
    url = before if before.startswith("postgresql://") else f"sqlite:///{before}"
    result = rewind(database, settings.model_copy(update={"database_url": url}).database, note, now)
    return {
        "rewound_to": iso(now),
        "ledger_rows": result.verification.rows,
        "taken_over": result.rows,
        "roots": result.roots,
        "corrected": result.corrected,
        "ledger_head": result.verification.head,
    }


def register(verbs: Commands) -> None:
    """Add the commands for the world."""
    rewinding = add(verbs, "rewind", take_back)
    rewinding.add_argument("database", metavar="DATABASE", help="the one before: a file, or postgresql://…")
    rewinding.add_argument("--note", required=True, help="why; it is published with every correction")
