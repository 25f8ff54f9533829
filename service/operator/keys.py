"""List, create, upgrade and revoke API keys."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from typing import Any

from service.access.keys import normalised
from service.access.quota import PLANS
from service.config import Settings
from service.market.instants import iso
from service.operator.commands import CommandOutput, Commands, CommandTable, add
from service.store import forecasts, keys, secret
from service.store.database import Database
from service.store.keys import KeyRow
from service.store.secret import key_secret

COLUMNS = ("key_id", "plan", "delegating", "email", "app_name", "created_at", "last_used_at", "revoked_at")


def listed(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """List all keys, including revoked ones, or those of one email."""
    with database.reading() as db:
        rows = keys.listed_keys(db, arguments.email and normalised(arguments.email))
    return CommandTable(COLUMNS, [_printed(row) for row in rows])


def grant(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Set the plan of a key."""
    with database.writing() as db:
        return _printed(keys.grant_plan(db, arguments.key_id, arguments.plan))


def mint(arguments: argparse.Namespace, database: Database, settings: Settings) -> CommandOutput:
    """Create a key and print it; it cannot be shown again."""
    with database.writing() as db:
        secret.verify_fingerprint(db, settings, "key-secret")
        key, row = keys.register_key(
            db,
            key_secret(settings),
            normalised(arguments.email),
            time.time(),
            app_name=arguments.app_name,
            plan=arguments.plan,
            delegating=arguments.delegating,
        )
    return {"api_key": key, **_printed(row)}


def revoke(arguments: argparse.Namespace, database: Database, _settings: Settings) -> CommandOutput:
    """Revoke a key permanently, and take the names of its forecasters from the table."""
    with database.writing() as db:
        forecasts.forget_forecasters(db, arguments.key_id)
        return _printed(keys.revoke_key(db, arguments.key_id, time.time()))


def register(verbs: Commands) -> None:
    """Add the commands for keys."""
    add(verbs, "list", listed).add_argument("--email", help="only the keys of this email")
    granting = add(verbs, "grant", grant)
    granting.add_argument("key_id", metavar="KEY_ID")
    granting.add_argument("plan", choices=PLANS)
    minting = add(verbs, "mint", mint)
    minting.add_argument("--email", required=True, help="the owner of the key")
    minting.add_argument("--app-name", help="the application that uses the key")
    minting.add_argument("--plan", choices=PLANS, default="free")
    minting.add_argument("--delegating", action="store_true", help="may name end users, each with its own quota")
    add(verbs, "revoke", revoke).add_argument("key_id", metavar="KEY_ID")


def _printed(row: KeyRow) -> dict[str, Any]:
    """The printed fields of a key: all except its hash."""
    fields = {"key_id": row.id, **asdict(row)}
    instants = {name: fields[name] and iso(fields[name]) for name in ("created_at", "last_used_at", "revoked_at")}
    return {name: {**fields, **instants}[name] for name in COLUMNS}
