"""The operator's command line: `python -m service.operator --help`.

It works on the database that the environment names (DATA_DIR, WORLD, DATABASE_URL), beside a running service.
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
from service.operator.commands import Answer, Command, add, as_json, readable
from service.store.backup import backup
from service.store.database import Database
from service.store.secret import FILE, LEDGER_FILE


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it was done, 2 when it could not be."""
    asked = _parser().parse_args(words)
    try:
        answer = _run(asked.command, asked)
    except NinefoldError as error:
        return _refuse(error.detail)
    except OperationalError as error:
        return _refuse(f"The database does not answer: {error.orig}")
    print(as_json(answer) if asked.json else readable(answer))
    return 0


def copy(asked: argparse.Namespace, database: Database, settings: Settings) -> Answer:
    """Copy an SQLite database while the service runs."""
    backup(database, asked.file)
    secrets = {
        "KEY_SECRET": (settings.key_secret, FILE),
        "LEDGER_KEY": (settings.ledger_key, LEDGER_FILE),
    }
    needed = [
        name if chosen.get_secret_value() else str(settings.data_dir / file) for name, (chosen, file) in secrets.items()
    ]
    return {"file": str(asked.file), "bytes": asked.file.stat().st_size, "keep_with_it": " and ".join(needed)}


def _run(command: Command, asked: argparse.Namespace) -> Answer:
    settings = config.read()
    database = Database(settings.database)
    try:
        database.migrate()
        return command(asked, database, settings)
    finally:
        database.close()


def _refuse(detail: str) -> int:
    print(f"error: {detail}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.operator", description=__doc__.partition("\n")[0])
    nouns = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, noun in {"keys": keys, "challenges": challenges, "ledger": ledger}.items():
        described = {"help": noun.__doc__, "description": noun.__doc__}
        noun.register(nouns.add_parser(name, **described).add_subparsers(required=True, metavar="COMMAND"))
    add(nouns, "backup", copy).add_argument("file", metavar="FILE", type=Path, help="must not exist yet")
    return parser


if __name__ == "__main__":
    sys.exit(main())
