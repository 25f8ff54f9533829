"""Who is calling: a key in X-API-Key, on whose behalf in X-End-User, from which address.

A key is looked up by the id inside it and compared in constant time; the key of an unknown id is compared too.
It is never logged and never part of an error.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass, replace

from flask import request

from service.access import quota
from service.access.keys import NOBODY, digest, key_id, matches
from service.access.quota import Plan
from service.api.services import services
from service.errors import CallerBlocked, FieldError, InvalidKey, InvalidRequest, MissingKey
from service.store import keys
from service.store.keys import KeyRow

KEY_HEADER = "X-API-Key"
END_USER_HEADER = "X-End-User"
KEY_ID_ENVIRON = "ninefold.key_id"  # of the key that was accepted, for the log
END_USER = re.compile("[ -~]{1,64}")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a request is counted for; without a key, its address."""

    address: str

    @property
    def id(self) -> str:
        """The name that limits, forecasts and idempotency count by, at most 128 characters."""
        return f"address:{self.address}"

    @property
    def voter(self) -> str:
        """Who has one vote: a hash of the address, of IPv6 its /48, also with a free key: one person may hold many."""
        network = quota.wide_network(self.address.removesuffix("/64")) or self.address
        return f"address:{hmac.new(services().key_secrets.current, network.encode(), 'sha256').hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class KeyHolder(Caller):
    """A caller with a key; `end_user` is the person on whose behalf a delegating key calls."""

    key_id: str
    plan: Plan
    is_delegating: bool
    end_user: str | None

    @property
    def id(self) -> str:
        return f"key:{self.key_id}" if self.end_user is None else f"key:{self.key_id}:{self.end_user}"

    @property
    def voter(self) -> str:
        return self.id if self.is_delegating or self.plan == "paid" else Caller(self.address).voter


def identify(is_required: bool) -> Caller:
    """The caller of this request; raises MissingKey, InvalidKey, or InvalidRequest for a bad X-End-User.

    An invalid key is refused even where none is required.
    """
    value = request.headers.get(KEY_HEADER)
    if value is None and is_required:
        raise MissingKey(f"Send your API key in the {KEY_HEADER} header; POST /api/v1/register gives you one.")
    if value is None:
        return Caller(address())
    row = authenticated(value)
    now = services().now()
    if row.last_used_at is None or row.last_used_at <= now - keys.TOUCH_INTERVAL_S:
        with services().database.writing() as db:
            keys.touch_key(db, row.id, now)
    end_user = request.headers.get(END_USER_HEADER) if row.delegating else None
    if end_user is not None and not END_USER.fullmatch(end_user):
        fault = FieldError(END_USER_HEADER, "must be 1 to 64 printable ASCII characters", place="header")
        raise InvalidRequest(f"The {END_USER_HEADER} header is not valid.", [fault])
    return holder(row, end_user)


def require_unblocked(caller: Caller) -> None:
    """Raise CallerBlocked where the operator blocked the caller, its key or its address."""
    names = {caller.id, f"address:{caller.address}"}
    if isinstance(caller, KeyHolder):
        names.add(f"key:{caller.key_id}")
    with services().database.reading() as db:
        if keys.is_blocked(db, names):
            raise CallerBlocked("The operator of this service lets you read and no longer write.")


def address() -> str:
    """The address of this request as limits count it."""
    return quota.network(request.remote_addr)


def holder(row: KeyRow, end_user: str | None = None) -> KeyHolder:
    """The sender of this request as the holder of a key."""
    request.environ[KEY_ID_ENVIRON] = row.id
    return KeyHolder(address(), row.id, row.plan, row.delegating, end_user)


def authenticated(value: str) -> KeyRow:
    """The row of a live key; raises InvalidKey."""
    id = key_id(value)
    with services().database.reading() as db:
        row = keys.find_key(db, id)
    key_hash, secrets = row.hash if row else NOBODY, services().key_secrets.valid(services().now())
    hits = [secret for secret in secrets if matches(value, key_hash, secret)]
    if row is None or not hits:
        raise InvalidKey("The API key is not valid.")
    if hits[0] == secrets[0]:
        return row
    with services().database.writing() as db:
        keys.hash_key_again(db, row, digest(value, secrets[0]))
    return replace(row, hash=digest(value, secrets[0]))
