"""Registering for a key, and what its holder may see and do with it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Annotated

from flask import Blueprint, request
from pydantic import AfterValidator, Field, WithJsonSchema

from service.access.keys import EMAIL, EXPECTED, LONGEST_EMAIL, normalised
from service.access.quota import PLANS, WEBHOOKS, Plan, QuotaStatus
from service.api.auth import KEY_HEADER, KeyHolder, authenticated, holder
from service.api.idempotency import settle_and_keep
from service.api.inputs import Body
from service.api.operations import operation
from service.api.services import services
from service.api.windows import daily_quota
from service.errors import InvalidKey, InvalidRequest, KeyReplaced, NameTaken, RegistrationClosed
from service.forecasting.predictions import SALT_BYTES
from service.forecasting.predictions.scores.forecasters import CLAIMS, NAMES, RESERVED_NAMES
from service.ledger.chain import LedgerRow
from service.ledger.commitments import text_hash
from service.market.instants import utc
from service.store import forecasts, ledger, notifications
from service.store import keys as stored
from service.store.keys import KeyRow
from service.store.snapshots import to_json

keys = Blueprint("keys", __name__, url_prefix="/api/v1")


def _email(text: str) -> str:
    try:
        return normalised(text)
    except InvalidRequest:
        raise ValueError(EXPECTED) from None


Email = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": EMAIL, "maxLength": LONGEST_EMAIL, "examples": ["you@example.com"]}),
    AfterValidator(_email),
]
AppName = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f]+$", max_length=80, examples=["my dashboard"])]


class Registration(Body):
    """A request for an API key."""

    email: Email
    app_name: AppName | None = None


class ForecasterName(Body):
    """The name under which a caller's forecasts are listed."""

    forecaster: Annotated[str, Field(pattern=f"^{NAMES}$")] | None = Field(
        description="3 to 32 of a-z, 0-9, _ and -, the first and last a letter or digit; null: not listed",
        examples=["sturdy-owl"],
    )


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
class PausedWebhook:
    """A webhook endpoint that gets nothing until it is resumed; `reason` is null where its owner paused it."""

    id: str
    url: str
    paused_at: datetime
    reason: str | None


@dataclass(frozen=True)
class Usage:
    """A key's plan and what is left of its day; for a delegating key, of its end user's.

    `forecaster` is the name in /api/v1/forecasters, null without one; `paused_webhooks`: see PATCH
    /api/v1/webhooks/{id}.
    """

    key_id: str
    plan: Plan
    delegating: bool
    end_user: str | None
    forecaster: str | None
    daily_limit: int
    used: int
    quota: Quota
    paused_webhooks: tuple[PausedWebhook, ...]


@dataclass(frozen=True)
class PlanTerms:
    """What a plan holds: calls a day, webhook endpoints, and how to get it."""

    plan: Plan
    daily_limit: int
    webhooks: int
    how_to_get: str


@dataclass(frozen=True)
class PlanList:
    """The plans, the smallest first."""

    count: int
    plans: tuple[PlanTerms, ...]


HOW_TO_GET: Mapping[Plan, str] = {
    "free": "POST /api/v1/register with your email address.",
    "paid": "The operator of this service grants it to a key; ask for it with the `key_id` of GET /api/v1/me.",
}


@keys.get("/plans")
@operation(tag="Keys", limit="descriptions")
def plans() -> PlanList:
    """The plans of API keys and what each one holds."""
    terms = [PlanTerms(plan, calls, WEBHOOKS[plan], HOW_TO_GET[plan]) for plan, calls in PLANS.items()]
    return PlanList(len(terms), tuple(terms))


@keys.post("/register")
@operation(tag="Keys", limit="registration", raises=(RegistrationClosed,))
def register(body: Registration) -> IssuedKey:
    """Register for an API key.

    The key is shown once and cannot be shown again. Registrations are limited by network address, not by email, because
    an email is not confirmed. Spellings that reach the same mailbox are the same email: upper case, and the dots and
    +tags that its provider ignores.
    """
    web = services()
    if web.settings.registration == "closed":
        raise RegistrationClosed("Registration is closed here: ask the operator of this service for a key.")
    with web.database.writing() as db:
        key, row = stored.register_key(db, web.key_secrets.current, body.email, web.now(), app_name=body.app_name)
    return _issued(key, row, daily_quota(holder(row)))


@keys.get("/me")
@operation(tag="Keys", limit="own data", key="required")
def usage(caller: KeyHolder) -> Usage:
    """The plan of your key and how much of today's quota is left; asking does not count against it."""
    return _usage(caller)


@keys.patch("/me")
@operation(tag="Keys", limit="votes", key="required", raises=(NameTaken,))
def rename(body: ForecasterName, caller: KeyHolder) -> Usage:
    """Choose the public name of your forecasts, change it, or give it up with null.

    Whoever has a name is listed in /api/v1/forecasters. Forecasts count from the first name on: otherwise one could
    choose after the outcomes which of many records to show. The ledger has a salted hash of each name. A name belongs
    to one forecaster at a time; the names of the voters, the pool and the market are taken, and so is every name that
    looks like a taken one or speaks for the service: `ninefold-official`.
    """
    name = body.forecaster
    if name and _is_reserved(name):
        raise NameTaken(f"{name} is a name of this service, or looks like one.")
    now = services().world_now
    with services().database.writing() as db:
        ledger.lock(db)  # first, as where a forecast is recorded; it also lets one name be chosen at a time
        id = forecasts.forecaster_id(db, caller.id, secrets.token_hex(16), now)
        others = forecasts.other_names(db, id)
        if name and name not in others and _look(name) in map(_look, others):
            raise NameTaken(f"Another forecaster has a name that looks like {name}.")
        if name != forecasts.forecaster_name(db, caller.id):
            salt = secrets.token_hex(SALT_BYTES)
            forecasts.rename_forecaster(db, caller.id, name, salt if name else None)
            was_named = forecasts.counts_since(db, caller.id) == 0  # by a version that had no such rows
            row = LedgerRow("name", id, {"name": text_hash(name, salt) if name else None}, backfilled=was_named)
            (entry,) = ledger.append(db, [row], now)
            forecasts.count_since(db, id, entry.seq)
    return _usage(caller)


# Characters, and pairs of them, that are taken for others.
LOOKALIKES = (("rn", "m"), ("nn", "m"), ("vv", "w"), ("cl", "d"), *zip("0134578i96vq", "oleastblgbug", strict=True))
# Letters of a reserved name that is found within a longer word: "team" is not in "steam".
LEAST_WITHIN = 5
# How like a reserved one a name is that is taken for it, from 0 to 1: "offical".
LIKENESS = 0.92


def _is_reserved(name: str) -> bool:
    """Whether a name is taken for one of the service, or has such a word in it, alone or within a longer one."""
    look, letters = _look(name), re.sub("[-_]", "", name)
    words = {_look(word.removesuffix("s")) for word in re.split("[-_]", name)}
    is_within = any(_look(claim) in look for claim in CLAIMS if len(claim) >= LEAST_WITHIN)
    looks = [*map(_look, RESERVED_NAMES)]
    is_like = get_close_matches(look, looks, 1, LIKENESS) or get_close_matches(letters, RESERVED_NAMES, 1, LIKENESS)
    return is_within or bool(is_like or words & {*map(_look, CLAIMS)})


def _look(name: str) -> str:
    """What names that are taken for each other have in common: `p00l` and `pool`, `own-ed` and `owned`, `bee`, `be`."""
    look, before = name.replace("-", "").replace("_", ""), ""
    while look != before:  # `c1` is `cl`, and `cl` is `d`
        before = look
        for confusion, letter in LOOKALIKES:
            look = look.replace(confusion, letter)
    return re.sub(r"(.)\1+", r"\1", look)


def _usage(caller: KeyHolder) -> Usage:
    today = daily_quota(caller)
    with services().database.reading() as db:
        webhooks = tuple(
            PausedWebhook(row.id, row.url, utc(row.paused_at), row.paused_reason)
            for row in notifications.key_webhooks(db, caller.key_id)
            if row.paused_at
        )
        name = forecasts.forecaster_name(db, caller.id)
    return Usage(
        key_id=caller.key_id,
        plan=caller.plan,
        delegating=caller.is_delegating,
        end_user=caller.end_user,
        forecaster=name,
        daily_limit=today.limit,
        used=today.limit - today.remaining,
        quota=_quota(today),
        paused_webhooks=webhooks,
    )


@keys.post("/me/rotate")
@operation(tag="Keys", limit="own data", key="required", ends_key=True, raises=(KeyReplaced,))
def rotate(caller: KeyHolder) -> IssuedKey:
    """Replace your key by a new one with the same id, plan and usage; the old one is dead at once.

    Send an Idempotency-Key: should the answer be lost, the same request with the old key gets the new one again. Of
    several rotations at the same time one wins.
    """
    quota = daily_quota(caller)
    try:
        row = authenticated(request.headers[KEY_HEADER])
        with services().database.writing() as db:
            answer = _issued(*stored.rotate_key(db, services().key_secrets.current, row), quota)
            settle_and_keep(db, to_json(answer))
    except InvalidKey:
        raise KeyReplaced("Another request has replaced this key at the same time.") from None
    return answer


@keys.delete("/me")
@operation(tag="Keys", limit="own data", key="required", status=204, ends_key=True)
def revoke(caller: KeyHolder) -> None:
    """Revoke your key for good; its forecasts stay in the ledger under an id that nothing ties to you any more."""
    with services().database.writing() as db:
        stored.revoke_key(db, caller.key_id, services().now())
        forecasts.forget_forecasters(db, caller.key_id)


def _issued(key: str, row: KeyRow, today: QuotaStatus) -> IssuedKey:
    created_at = utc(row.created_at)
    return IssuedKey(key, today.limit, row.id, row.plan, row.app_name, created_at, _quota(today))


def _quota(today: QuotaStatus) -> Quota:
    return Quota(today.limit, today.remaining, utc(today.reset_at))
