"""The texts of strangers and who wrote them: withdraw a text, block a caller, erase what belongs to an email."""

from __future__ import annotations

import argparse
import time

from service.access import quota
from service.access.keys import normalised
from service.config import Settings
from service.errors import InvalidRequest, ResourceNotFound
from service.jobs import committing
from service.market.instants import iso
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.store import keys, predictions, world
from service.store.answers import note_erased
from service.store.database import Database

FOREIGN = ("challenge", "imported")


def register_blocks(verbs: Commands) -> None:
    """Say who may read and no longer write: an address, a key, or an end user of a key."""
    add(verbs, "list", list_blocks)
    for name, run in (("add", add_block), ("remove", remove_block)):
        add(verbs, name, run).add_argument("caller", metavar="ADDRESS|KEY_ID[:END_USER]")


def withdraw(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Take the text of a challenge or of an imported market from every table and page, for good.

    The canonical sentence takes its place. A question that only its text could decide is void. `author` can be given to
    `blocks add`. The ledger has a hash of the text; what version 1.2 recorded stays there.
    """
    with database.writing() as db:
        record = predictions.find_prediction(db, arguments.id)
        if record is None or record.category not in FOREIGN:
            raise ResourceNotFound(f"There is no challenge or imported market {arguments.id}.")
        note_erased(settings.data_dir, "text", [record.id])
        withdrawn = committing.withdraw_texts(db, [record.id], world.find_clock(db).at(time.time()))
    database.overwrite()
    return {"id": record.id, "withdrawn": bool(withdrawn), "author": record.author}


def forget(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Erase the keys of an email with its questions, votes and webhooks, and the texts of its challenges.

    The votes of a free key are kept under a hash of its address, which nothing ties to the key.

    A backup from before still has them, and the service erases them again when it starts with it. The ledger has only
    hashes of these texts; what version 1.2 recorded stays there.
    """
    with database.writing() as db:
        ids = [key.id for key in keys.listed_keys(db, normalised(arguments.email))]
        note_erased(settings.data_dir, "key", ids)
        counts = committing.forget(db, ids, world.find_clock(db).at(time.time()))
    database.overwrite()
    return counts


def list_blocks(_arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List who is blocked, and since when."""
    with database.reading() as db:
        rows = [{"caller": caller, "since": iso(at)} for caller, at in keys.blocked_callers(db).items()]
    return CommandTable(("caller", "since"), rows)


def add_block(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Refuse whatever a caller sends with a body: questions, challenges, votes, forecasts and registrations."""
    caller, now = _caller(arguments.caller), int(time.time())
    with database.writing() as db:
        keys.add_block(db, caller, now)
    return {"caller": caller, "since": iso(now)}


def remove_block(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Let a caller write again."""
    caller = _caller(arguments.caller)
    with database.writing() as db:
        if not keys.remove_block(db, caller):
            raise ResourceNotFound(f"{caller} is not blocked.")
    return {"caller": caller}


def _caller(words: str) -> str:
    """The name that limits count a caller by; an IPv6 address is its /64. Raises InvalidRequest for anything else."""
    if keys.ID.fullmatch(words.partition(":")[0]):
        return f"key:{words}"
    network = quota.network(words)
    if network == quota.NO_ADDRESS:
        raise InvalidRequest(f"{words} is neither an address nor the id of a key.")
    return f"address:{network}"
