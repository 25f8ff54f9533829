"""Show which secrets the database belongs to, rotate them, or let it belong to a new key secret."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from service.config import Settings, SettingsError
from service.ledger.roots import public_key
from service.market.instants import DAY, iso
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.store import ledger, secret, world
from service.store.database import Database
from service.store.secret import (
    FILE,
    FINGERPRINT_DIGITS,
    LEDGER_FILE,
    OLD_FILE,
    VARIABLES,
    fingerprint_of,
    ledger_key,
    prepare,
    put_in_place,
    replace_key_secret,
    secret_exists,
)

OVERLAP_DAYS = 30


def listed(_arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Show the fingerprints of the secrets that the database belongs to."""
    with database.reading() as db:
        stored = secret.stored_fingerprints(db)
    rows = [{"secret": name, "fingerprint": value} for name, value in sorted(stored.items())]
    return CommandTable(("secret", "fingerprint"), rows)


def replace(_arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Let the database belong to the present key secret, where the old one is lost; all keys issued before are void."""
    with database.writing() as db:
        return {"secret": FILE, "fingerprint": replace_key_secret(db, settings)}


def rotate(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Put a new secret in place of one; afterwards restart the service, and copy the files to its other machines.

    A replaced key secret is accepted for some days more: an API key that is used meanwhile stays valid for good, and
    webhooks are signed with both. A replaced ledger key signs its hand-over to the new one, which verifiers follow.
    An interrupted rotation is finished by the next one.
    """
    name, path = arguments.secret, settings.data_dir / arguments.secret
    if not path.exists():
        here = f"{VARIABLES[name]} is set" if secret_exists(settings, name) else f"there is no {path}"
        raise SettingsError(f"Only a secret in a file can be rotated, but {here}: put the secret into {path} first.")
    until = int(time.time()) + arguments.days * DAY
    is_key_secret = name == FILE
    rotated = _replace_key_secret(database, path, until) if is_key_secret else _hand_ledger_over(database, settings)
    put_in_place(path, keep=path.with_name(OLD_FILE) if is_key_secret else None)
    return {"secret": name, "file": str(path), **rotated}


def _replace_key_secret(database: Database, path: Path, until: int) -> dict[str, Any]:
    fingerprint = fingerprint_of(prepare(path))
    with database.writing() as db:
        if secret.stored_fingerprints(db).get(FILE) != fingerprint:
            secret.hand_on(db, FILE, fingerprint, until)
    return {"fingerprint": fingerprint, "old_accepted_until": iso(until), "old_file": str(path.with_name(OLD_FILE))}


def _hand_ledger_over(database: Database, settings: Settings) -> dict[str, Any]:
    before, after = ledger_key(settings), bytes.fromhex(prepare(settings.data_dir / LEDGER_FILE).decode())
    public = public_key(after)
    with database.writing() as db:
        if ledger.signing_key(db) != public:
            entry = ledger.hand_over(db, before, after, world.find_clock(db).at(time.time()))
            secret.hand_on(db, LEDGER_FILE, public[:FINGERPRINT_DIGITS])
            return {"fingerprint": public[:FINGERPRINT_DIGITS], "public_key": public, "seq": entry.seq}
    return {"fingerprint": public[:FINGERPRINT_DIGITS], "public_key": public}


def register(verbs: Commands) -> None:
    """Add the commands for secrets."""
    add(verbs, "list", listed)
    rotating = add(verbs, "rotate", rotate)
    rotating.add_argument("secret", choices=sorted(VARIABLES))
    rotating.add_argument("--days", type=int, default=OVERLAP_DAYS, help="for how long an old key secret is valid")
    add(verbs, "replace-key-secret", replace)
