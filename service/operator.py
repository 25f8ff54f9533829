"""The operator's command line: `python -m service.operator --help`.

It works on the database that the environment names (DATA_DIR, WORLD, DATABASE_URL), beside a running service.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError

from service import config
from service.access.emails import normalised
from service.access.quota import PLANS
from service.config import Settings
from service.errors import NinefoldError
from service.market.instants import iso
from service.store import keys
from service.store.backup import backup
from service.store.database import Database
from service.store.keys import KeyRow
from service.store.secret import FILE, key_secret

Answer = dict[str, Any] | list[dict[str, Any]]

COLUMNS = ("key_id", "plan", "delegating", "email", "app_name", "created_at", "last_used_at", "revoked_at")


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it was done, 2 when it could not be."""
    asked = _parser().parse_args(words)
    try:
        answer = _run(asked.command, asked)
    except NinefoldError as error:
        return _refuse(error.detail)
    except OperationalError as error:
        return _refuse(f"The database does not answer: {error.orig}")
    print(json.dumps(answer, indent=2) if asked.json else _readable(answer))
    return 0


def listed(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """Every key ever issued, or those of one email."""
    with database.reading() as db:
        rows = keys.listed(db, asked.email and normalised(asked.email))
    return [_told(row) for row in rows]


def grant(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """Put a key on a plan."""
    with database.writing() as db:
        return _told(keys.grant(db, asked.key_id, asked.plan))


def mint(asked: argparse.Namespace, database: Database, settings: Settings) -> Answer:
    """Make a key and print it, for the only time."""
    with database.writing() as db:
        key, row = keys.register(
            db,
            key_secret(settings),
            normalised(asked.email),
            time.time(),
            app_name=asked.app_name,
            plan=asked.plan,
            delegating=asked.delegating,
        )
    return {"api_key": key, **_told(row)}


def revoke(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """End a key for good."""
    with database.writing() as db:
        return _told(keys.revoke(db, asked.key_id, time.time()))


def copy(asked: argparse.Namespace, database: Database, settings: Settings) -> Answer:
    """Copy an SQLite database while the service runs."""
    backup(database, asked.file)
    needed = "KEY_SECRET" if settings.key_secret.get_secret_value() else str(settings.data_dir / FILE)
    return {"file": str(asked.file), "bytes": asked.file.stat().st_size, "keep_with_it": needed}


def _run(command: Callable[..., Answer], asked: argparse.Namespace) -> Answer:
    settings = config.read()
    database = Database(settings.database)
    try:
        database.migrate()
        return command(asked, database, settings)
    finally:
        database.close()


def _told(row: KeyRow) -> dict[str, Any]:
    """A key as it is printed: everything but its hash."""
    told = {"key_id": row.id, **asdict(row)}
    instants = {name: told[name] and iso(told[name]) for name in ("created_at", "last_used_at", "revoked_at")}
    return {name: {**told, **instants}[name] for name in COLUMNS}


def _readable(answer: Answer) -> str:
    """A list as a table, one thing as its fields."""
    if isinstance(answer, dict):
        width = max(map(len, answer))
        return "\n".join(f"{name:{width}}  {_word(value)}" for name, value in answer.items())
    lines = [COLUMNS, *([_word(key[name]) for name in COLUMNS] for key in answer)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ("  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in table)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _refuse(detail: str) -> int:
    print(f"error: {detail}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.operator", description=__doc__.partition("\n")[0])
    nouns = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_keys(nouns.add_parser("keys", help="list, grant, mint or revoke API keys").add_subparsers(required=True))
    _command(nouns, "backup", copy).add_argument("file", metavar="FILE", type=Path, help="must not exist yet")
    return parser


def _add_keys(verbs) -> None:
    _command(verbs, "list", listed).add_argument("--email", help="only those of this email")
    granting = _command(verbs, "grant", grant)
    granting.add_argument("key_id", metavar="KEY_ID")
    granting.add_argument("plan", choices=PLANS)
    minting = _command(verbs, "mint", mint)
    minting.add_argument("--email", required=True, help="whose key it is")
    minting.add_argument("--app-name", help="what it is for")
    minting.add_argument("--plan", choices=PLANS, default="free")
    minting.add_argument("--delegating", action="store_true", help="it may name end users, each with the plan's quota")
    _command(verbs, "revoke", revoke).add_argument("key_id", metavar="KEY_ID")


def _command(commands, name: str, run: Callable[..., Answer]) -> argparse.ArgumentParser:
    """A command that is carried out by `run` and described by its docstring."""
    parser = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
