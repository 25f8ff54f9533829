"""The operator's command line: `python -m service.operator --help`.

It uses the database that the environment configures (DATA_DIR, WORLD, DATABASE_URL), also while the service runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.exc import OperationalError

from service import config
from service.config import Settings
from service.errors import NinefoldError
from service.operator import challenges, keys, ledger
from service.operator.commands import Command, CommandOutput, add, as_json, readable
from service.store.backup import backup
from service.store.database import Database
from service.store.secret import FILE, LEDGER_FILE


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns 0 on success and 2 on failure."""
    arguments = _parser().parse_args(words)
    try:
        output = _run(arguments.command, arguments)
    except NinefoldError as error:
        return _refuse(error.detail)
    except OperationalError as error:
        return _refuse(f"The database does not answer: {error.orig}")
    print(as_json(output) if arguments.json else readable(output))
    return 0


def copy(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Copy an SQLite database to a file; the service may be running."""
    backup(database, arguments.file)
    secrets = {
        "KEY_SECRET": (settings.key_secret, FILE),
        "LEDGER_KEY": (settings.ledger_key, LEDGER_FILE),
    }
    needed = [
        name if chosen.get_secret_value() else str(settings.data_dir / file) for name, (chosen, file) in secrets.items()
    ]
    return {"file": str(arguments.file), "bytes": arguments.file.stat().st_size, "keep_with_it": " and ".join(needed)}


def _run(command: Command, arguments: argparse.Namespace) -> CommandOutput:
    settings = config.read()
    database = Database(settings.database)
    try:
        database.migrate()
        return command(arguments, database, settings)
    finally:
        database.close()


def _refuse(detail: str) -> int:
    print(f"error: {detail}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.operator", description=(__doc__ or "").partition("\n")[0])
    nouns = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, noun in {"keys": keys, "challenges": challenges, "ledger": ledger}.items():
        parser_of_noun = nouns.add_parser(name, help=noun.__doc__, description=noun.__doc__)
        noun.register(parser_of_noun.add_subparsers(required=True, metavar="COMMAND"))
    add(nouns, "backup", copy).add_argument(
        "file", metavar="FILE", type=Path, help="the copy to create; must not exist yet"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
