"""Registering for a key, and what its holder may see and do with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from service.access.emails import EMAIL, LONGEST_EMAIL, normalised
from service.access.quota import Plan, QuotaStatus
from service.api.auth import KeyHolder, holder
from service.api.inputs import Body
from service.api.limits import daily_quota
from service.api.operations import operation
from service.api.services import services
from service.market.instants import utc
from service.store import keys as stored
from service.store.keys import KeyRow

keys = Blueprint("keys", __name__, url_prefix="/api/v1")

LONGEST_APP_NAME = 80
PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]+$"

Email = Annotated[str, Field(pattern=EMAIL, max_length=LONGEST_EMAIL, examples=["you@example.com"])]
AppName = Annotated[str, Field(pattern=PRINTABLE, max_length=LONGEST_APP_NAME, examples=["my dashboard"])]


class Registration(Body):
    """A request for an API key."""

    email: Email
    app_name: AppName | None = None


@dataclass(frozen=True)
class Quota:
    """Calls of one UTC day: `limit` in all, `remaining` until `reset_at`."""

    limit: int
    remaining: int
    reset_at: datetime


@dataclass(frozen=True)
class IssuedKey:
    """A key, shown this once, and what it may do."""

    api_key: str
    daily_limit: int
    key_id: str
    plan: Plan
    app_name: str | None
    created_at: datetime
    quota: Quota


@dataclass(frozen=True)
class Usage:
    """A key's plan and what is left of its day; for a delegating key, of its end user's."""

    key_id: str
    plan: Plan
    delegating: bool
    end_user: str | None
    daily_limit: int
    used: int
    quota: Quota


@keys.post("/register")
@operation(tag="Keys", limit="registration")
def register(body: Registration) -> IssuedKey:
    """Register for an API key.

    The key is shown once and cannot be shown again. An email may hold three keys of its own: a fourth ends
    the one longest unused.
    """
    current = services()
    with current.database.writing() as db:
        issued = stored.register(db, current.key_secret, normalised(body.email), current.now(), app_name=body.app_name)
    return _issued(*issued)


@keys.get("/me")
@operation(tag="Keys", limit="telemetry", key="required")
def usage(caller: KeyHolder) -> Usage:
    """The plan of your key and how much of today's quota is left; asking does not count against it."""
    today = daily_quota(caller)
    used = today.limit - today.remaining
    return Usage(caller.key_id, caller.plan, caller.delegating, caller.end_user, today.limit, used, _quota(today))


@keys.post("/me/rotate")
@operation(tag="Keys", limit="telemetry", key="required")
def rotate(caller: KeyHolder) -> IssuedKey:
    """Replace your key by a new one with the same id, plan and usage; the old one is dead at once."""
    with services().database.writing() as db:
        issued = stored.rotate(db, services().key_secret, caller.key_id)
    return _issued(*issued)


@keys.delete("/me")
@operation(tag="Keys", limit="telemetry", key="required", status=204)
def revoke(caller: KeyHolder) -> None:
    """Revoke your key for good."""
    with services().database.writing() as db:
        stored.revoke(db, caller.key_id, services().now())


def _issued(key: str, row: KeyRow) -> IssuedKey:
    today = daily_quota(holder(row))
    created_at = utc(row.created_at)
    return IssuedKey(key, today.limit, row.id, row.plan, row.app_name, created_at, _quota(today))


def _quota(today: QuotaStatus) -> Quota:
    return Quota(today.limit, today.remaining, utc(today.reset_at))
