"""The API keys, and the secrets that they are hashed with and the ledger is signed with."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from service.access.keys import normalised
from service.access.quota import PLANS
from service.config import Settings, SettingsError
from service.ledger.roots import public_key
from service.market.instants import DAY, iso
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.store import forecasts, keys, ledger, secret, world
from service.store.database import Database
from service.store.keys import KeyRow
from service.store.secret import FILE, FINGERPRINT_DIGITS, LEDGER_FILE, OLD_FILE, VARIABLES

COLUMNS = ("key_id", "plan", "delegating", "email", "app_name", "created_at", "last_used_at", "revoked_at")
OVERLAP_DAYS = 30


def register_keys(verbs: Commands) -> None:
    """List, create, upgrade and revoke API keys."""
    add(verbs, "list", list_keys).add_argument("--email", help="only the keys of this email")
    grant = add(verbs, "grant", grant_key)
    grant.add_argument("key_id", metavar="KEY_ID")
    grant.add_argument("plan", choices=PLANS)
    mint = add(verbs, "mint", mint_key)
    mint.add_argument("--email", required=True, help="the owner of the key")
    mint.add_argument("--app-name", help="the application that uses the key")
    mint.add_argument("--plan", choices=PLANS, default="free")
    mint.add_argument("--delegating", action="store_true", help="may name end users, each with its own quota")
    add(verbs, "revoke", revoke_key).add_argument("key_id", metavar="KEY_ID")


def register_secrets(verbs: Commands) -> None:
    """Show which secrets the database belongs to, rotate them, or let it belong to a new key secret."""
    add(verbs, "list", list_secrets)
    rotation = add(verbs, "rotate", rotate_secret)
    rotation.add_argument("secret", choices=sorted(VARIABLES))
    rotation.add_argument("--days", type=int, default=OVERLAP_DAYS, help="for how long an old key secret is valid")
    add(verbs, "replace-key-secret", replace_key_secret)


def list_keys(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List all keys, including revoked ones, or those of one email."""
    with database.reading() as db:
        rows = keys.listed_keys(db, arguments.email and normalised(arguments.email))
    return CommandTable(COLUMNS, [_printed(row) for row in rows])


def grant_key(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Set the plan of a key."""
    with database.writing() as db:
        return _printed(keys.grant_plan(db, arguments.key_id, arguments.plan))


def mint_key(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Create a key and print it; it cannot be shown again."""
    with database.writing() as db:
        secret.verify_fingerprint(db, settings, "key-secret")
        key, row = keys.register_key(
            db,
            secret.key_secret(settings),
            normalised(arguments.email),
            time.time(),
            app_name=arguments.app_name,
            plan=arguments.plan,
            delegating=arguments.delegating,
        )
    return {"api_key": key, **_printed(row)}


def revoke_key(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Revoke a key permanently, and take the names of its forecasters from the table."""
    with database.writing() as db:
        forecasts.forget_forecasters(db, arguments.key_id)
        return _printed(keys.revoke_key(db, arguments.key_id, time.time()))


def list_secrets(_arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Show the fingerprints of the secrets that the database belongs to."""
    with database.reading() as db:
        fingerprints = secret.stored_fingerprints(db)
    rows = [{"secret": name, "fingerprint": value} for name, value in sorted(fingerprints.items())]
    return CommandTable(("secret", "fingerprint"), rows)


def replace_key_secret(_arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Let the database belong to the present key secret, where the old one is lost; all keys issued before are void."""
    with database.writing() as db:
        return {"secret": FILE, "fingerprint": secret.replace_key_secret(db, settings)}


def rotate_secret(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Put a new secret in place of one; afterwards restart the service, and copy the files to its other machines.

    A replaced key secret is accepted for some days more: an API key that is used meanwhile stays valid for good, and
    webhooks are signed with both. A replaced ledger key signs its hand-over to the new one, which verifiers follow.
    An interrupted rotation is finished by the next one.
    """
    name, path = arguments.secret, settings.data_dir / arguments.secret
    if not path.exists():
        state = f"{VARIABLES[name]} is set" if secret.secret_exists(settings, name) else f"there is no {path}"
        raise SettingsError(f"Only a secret in a file can be rotated, but {state}: put the secret into {path} first.")
    until = int(time.time()) + arguments.days * DAY
    is_key_secret = name == FILE
    result = _replace_key_secret(database, path, until) if is_key_secret else _hand_ledger_over(database, settings)
    secret.put_in_place(path, copy_to=path.with_name(OLD_FILE) if is_key_secret else None)
    return {"secret": name, "file": str(path), **result}


def _replace_key_secret(database: Database, path: Path, until: int) -> dict[str, Any]:
    fingerprint = secret.fingerprint_of(secret.prepare(path))
    with database.writing() as db:
        if secret.stored_fingerprints(db).get(FILE) != fingerprint:
            secret.hand_on(db, FILE, fingerprint, until)
    return {"fingerprint": fingerprint, "old_accepted_until": iso(until), "old_file": str(path.with_name(OLD_FILE))}


def _hand_ledger_over(database: Database, settings: Settings) -> dict[str, Any]:
    before, after = secret.ledger_key(settings), bytes.fromhex(secret.prepare(settings.data_dir / LEDGER_FILE).decode())
    public = public_key(after)
    with database.writing() as db:
        if ledger.signing_key(db) != public:
            entry = ledger.hand_over(db, before, after, world.find_clock(db).at(time.time()))
            secret.hand_on(db, LEDGER_FILE, public[:FINGERPRINT_DIGITS])
            return {"fingerprint": public[:FINGERPRINT_DIGITS], "public_key": public, "seq": entry.seq}
    return {"fingerprint": public[:FINGERPRINT_DIGITS], "public_key": public}


def _printed(row: KeyRow) -> dict[str, Any]:
    """The printed fields of a key: all except its hash."""
    fields = {"key_id": row.id, **asdict(row)}
    instants = ("created_at", "last_used_at", "revoked_at")
    return {name: fields[name] and iso(fields[name]) if name in instants else fields[name] for name in COLUMNS}
