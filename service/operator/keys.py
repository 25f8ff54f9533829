"""API keys: listed, minted, put on a plan, ended."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from typing import Any

from service.access.emails import normalised
from service.access.quota import PLANS
from service.config import Settings
from service.market.instants import iso
from service.operator.commands import Answer, Table, add
from service.store import keys
from service.store.database import Database
from service.store.keys import KeyRow
from service.store.secret import key_secret

COLUMNS = ("key_id", "plan", "delegating", "email", "app_name", "created_at", "last_used_at", "revoked_at")


def listed(asked: argparse.Namespace, database: Database, _settings: Settings) -> Answer:
    """Every key ever issued, or those of one email."""
    with database.reading() as db:
        rows = keys.listed(db, asked.email and normalised(asked.email))
    return Table(COLUMNS, [_told(row) for row in rows])


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


def register(verbs) -> None:
    """The commands on keys."""
    add(verbs, "list", listed).add_argument("--email", help="only those of this email")
    granting = add(verbs, "grant", grant)
    granting.add_argument("key_id", metavar="KEY_ID")
    granting.add_argument("plan", choices=PLANS)
    minting = add(verbs, "mint", mint)
    minting.add_argument("--email", required=True, help="whose key it is")
    minting.add_argument("--app-name", help="what it is for")
    minting.add_argument("--plan", choices=PLANS, default="free")
    minting.add_argument("--delegating", action="store_true", help="it may name end users, each with the plan's quota")
    add(verbs, "revoke", revoke).add_argument("key_id", metavar="KEY_ID")


def _told(row: KeyRow) -> dict[str, Any]:
    """A key as it is printed: everything but its hash."""
    told = {"key_id": row.id, **asdict(row)}
    instants = {name: told[name] and iso(told[name]) for name in ("created_at", "last_used_at", "revoked_at")}
    return {name: {**told, **instants}[name] for name in COLUMNS}
