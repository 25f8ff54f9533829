"""The operator's command line: `python -m service.operator --help`.

It uses the database that the environment configures (DATA_DIR, WORLD, DATABASE_URL), also while the service runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

from dotenv import load_dotenv
from sqlalchemy.exc import OperationalError

from service import config, logs
from service.command_line import end_with
from service.errors import NinefoldError, PackagesMissing
from service.operator.check import check
from service.operator.commands import CommandOutput, CommandTable, add, as_json, readable
from service.operator.keys import register_keys, register_secrets
from service.operator.ledger import register_ledger
from service.operator.maintenance import bring_back, copy, file_argument, migrate, move_to, require_current_database
from service.operator.moderation import forget, register_blocks, withdraw
from service.operator.resolutions import register_answers, register_challenges
from service.operator.status import status
from service.store.database import opened

NOUNS = {
    "keys": register_keys,
    "challenges": register_challenges,
    "answers": register_answers,
    "blocks": register_blocks,
    "ledger": register_ledger,
    "secrets": register_secrets,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns 0 on success, 2 on failure, 1 where `check` finds what does not work."""
    arguments = _parser().parse_args(words)
    load_dotenv(".env")
    try:
        output = _run(arguments)
    except NinefoldError as error:
        return _refuse(error.detail)
    except ModuleNotFoundError as error:
        return _refuse(PackagesMissing.of(error).detail)
    except OperationalError as error:
        return _refuse(f"The database does not answer: {error.orig}")
    print(as_json(output) if arguments.json else readable(output))
    return 0 if not isinstance(output, CommandTable) or output.is_good else 1


def _run(arguments: argparse.Namespace) -> CommandOutput:
    settings = config.read()
    logs.configure(settings.log_level)
    if "offline" in arguments:
        return arguments.offline(arguments, settings)
    require_current_database(settings)
    with closing(opened(settings.database)) as database:
        return arguments.command(arguments, database, settings)


def _refuse(detail: str) -> int:
    print(f"error: {detail}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m service.operator", description=(__doc__ or "").partition("\n")[0])
    nouns = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, register in NOUNS.items():
        noun = nouns.add_parser(name, help=register.__doc__, description=register.__doc__)
        register(noun.add_subparsers(required=True, metavar="COMMAND"))
    add(nouns, "status", status)
    add(nouns, "check", check, "offline")
    file_argument(add(nouns, "backup", copy, "offline"), "the copy to create; must not exist yet")
    add(nouns, "move", move_to).add_argument("url", metavar="URL", help="postgresql://… of an empty database")
    file_argument(add(nouns, "restore", bring_back, "offline"), "a file that `backup` made")
    add(nouns, "migrate", migrate, "offline").add_argument(
        "--check", action="store_true", help="change nothing; exit code 2 if there is something to do"
    )
    add(nouns, "withdraw", withdraw).add_argument("id", metavar="ID", help="challenge-N, or the id of a market")
    add(nouns, "forget", forget).add_argument("email", metavar="EMAIL")
    return parser


if __name__ == "__main__":
    end_with(main)
