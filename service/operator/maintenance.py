"""Back up, restore, move and migrate the database."""

from __future__ import annotations

import argparse
import time
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy.exc import OperationalError

from service.config import Settings, SettingsError
from service.operator.commands import CommandOutput, CommandTable
from service.store import migrations, world
from service.store.answers import ERASED_FILE
from service.store.backup import backup, move, restore
from service.store.database import Database, database_name, opened, revision_at
from service.store.secret import VARIABLES, is_set


def copy(arguments: argparse.Namespace, settings: Settings) -> CommandOutput:
    """Copy an SQLite database of any version to a file; the service may be running."""
    require_database(settings)
    with closing(Database(settings.database)) as database:
        backup(database, arguments.file)
        with suppress(OperationalError), database.writing() as db:  # a backup is good although it cannot be noted
            world.beat(db, int(time.time()), world.BACKUP)
    return {"file": str(arguments.file), "bytes": arguments.file.stat().st_size, "keep_with_it": _secrets(settings)}


def bring_back(arguments: argparse.Namespace, settings: Settings) -> CommandOutput:
    """Make the SQLite database from a backup, after its ledger and its pages were verified; the service must not run.

    An existing database is not overwritten. Its world is that of the backup.
    """
    database, world, verification = restore(arguments.file, settings)
    return {
        "database": str(database),
        "start": f"WORLD={world} make run",
        "ledger_rows": verification.rows,
        "ledger_roots": verification.roots,
        "ledger_head": verification.head,
        "needs": _secrets(settings),
    }


def move_to(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Copy the database into an empty PostgreSQL one and compare both; stop the service before, set DATABASE_URL after.

    The database until now stays as it is. The secrets stay the same: every API key goes on working.
    """
    url = settings.model_copy(update={"database_url": arguments.url}).database
    if not url.startswith("postgresql"):
        raise SettingsError("The new address must begin with postgresql://.")
    counts, verification = move(database, url)
    return {
        "database": database_name(url),
        "rows": sum(counts.values()),
        "tables": CommandTable(("table", "rows"), [{"table": name, "rows": n} for name, n in counts.items()]),
        "ledger_rows": verification.rows,
        "ledger_head": verification.head,
        "needs": _secrets(settings),
    }


def migrate(arguments: argparse.Namespace, settings: Settings) -> CommandOutput:
    """Bring the schema of the database up to date; with --check only say whether it is, with exit code 2 if not."""
    before, newest = require_database(settings), migrations.head()
    if arguments.check and before != newest:
        raise SettingsError(f"The database is at revision {before}; this version needs {newest}.")
    if not arguments.check:
        opened(settings.database).close()
    return {"revision": newest, "before": before}


def require_database(settings: Settings) -> str:
    """The revision of the database; raises SettingsError where there is none."""
    revision = revision_at(settings.database)
    if revision is None:
        raise SettingsError(
            f"There is no database of the service in {settings.data_dir}: set DATA_DIR, WORLD, DATABASE_URL as it has."
        )
    return revision


def require_current_database(settings: Settings) -> None:
    """Raise SettingsError where there is no database, or one of an earlier version that no start has brought up."""
    revision = require_database(settings)
    if revision < migrations.head():
        raise SettingsError(
            f"The database is at revision {revision}; this version needs {migrations.head()}: "
            "start the service, or run `python -m service.operator migrate`."
        )


def file_argument(parser: argparse.ArgumentParser, meaning: str) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help=meaning)


def _secrets(settings: Settings) -> str:
    """What belongs to the database: its secrets, as names of variables or files, and the list of what was erased."""
    folder = settings.data_dir
    names = [variable if is_set(settings, file) else str(folder / file) for file, variable in VARIABLES.items()]
    names += [str(folder / ERASED_FILE)] if (folder / ERASED_FILE).is_file() else []
    return " and ".join(names)
