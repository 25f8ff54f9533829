"""A retry under the same Idempotency-Key: free, and answered with the bytes of the first answer, for 24 hours.

Requests are the same if their method, address and content are, however their JSON is written. A stream is finished
although its caller disconnects. Its last event is kept as the document that a retry gets. What is kept is encrypted,
because an answer may hold an API key.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flask import Response, request
from pydantic import BaseModel
from sqlalchemy import Connection

from service.access.keys import digest
from service.api import streaming
from service.api.auth import KEY_HEADER, Caller
from service.api.services import services
from service.api.windows import request_limits, settle
from service.errors import FieldError, IdempotencyMismatch, InvalidRequest
from service.store import idempotency
from service.store.idempotency import Replay

HEADER = "Idempotency-Key"
ENVIRON = "HTTP_IDEMPOTENCY_KEY"
# Of a caller who registers: whoever shares the address and guesses the word would get the same API key.
LEAST_WITHOUT_KEY = 16
KEY = re.compile("[!-~]{1,255}")
PARAMETER = {
    "name": HEADER,
    "description": "a word of your own for this request: for 24 hours a retry with the same one is free and answered "
    f"the same; to register one of at least {LEAST_WITHOUT_KEY} characters, which nobody can guess",
    "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
}
NONCE_BYTES = 12


@dataclass(frozen=True)
class Retryable:
    """A request that may be sent again: whose it is, under which key, and a digest of what it asks."""

    caller: str
    key: str
    digest: str

    def keep(self, db: Connection, status: int, body: bytes) -> None:
        """Store an answer, encrypted under a key that only this service can derive."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        content = nonce + self._cipher(services().key_secrets.current).encrypt(nonce, body, None)
        idempotency.finish(db, self.caller, self.key, status, content)

    def response(self, replay: Replay) -> Response:
        """The answer that was stored; raises IdempotencyMismatch once its secret is valid no more."""
        nonce, content = replay.body[:NONCE_BYTES], replay.body[NONCE_BYTES:]
        for secret in services().key_secrets.valid(services().now()):
            with suppress(InvalidTag):
                body = self._cipher(secret).decrypt(nonce, content, None)
                headers = {"Idempotent-Replayed": "true"}
                return Response(body, replay.status, headers, mimetype="application/json")
        raise IdempotencyMismatch(f"The answer under this {HEADER} can be read no more. Use a new one.")

    def _cipher(self, secret: bytes) -> AESGCM:
        return AESGCM(hmac.digest(secret, f"idempotency\n{self.caller}\n{self.key}".encode(), "sha256"))


def settle_and_keep(db: Connection, body: bytes) -> None:
    """Settle the charge of this request and keep its answer, in the transaction that stores what it has made.

    So a retry makes nothing twice and costs nothing, whatever ended the request.
    """
    settle(db)
    limits = request_limits.get(None)
    if limits and limits.retry_store:
        limits.retry_store(db, 200, body)


def attempt_of(
    caller: Caller, body: BaseModel | None, *, ends_key: bool = False, is_keyless: bool = False
) -> Retryable:
    """This request, which carries an Idempotency-Key; raises InvalidRequest for an unusable one.

    A request that ends its API key belongs to that very key, so that its retry is answered although the key is dead.
    """
    key = request.environ[ENVIRON]
    least = LEAST_WITHOUT_KEY if is_keyless else 1
    if not KEY.fullmatch(key) or len(key) < least:
        message = f"must be {least} to 255 printable ASCII characters without spaces"
        raise InvalidRequest(f"The {HEADER} header is not valid.", [FieldError(HEADER, message, place="header")])
    content = f"{request.method} {request.path}\n" + (body.model_dump_json() if body else "")
    secret = services().key_secrets.current
    owner = f"ended:{digest(request.headers[KEY_HEADER], secret)}" if ends_key else caller.id
    return Retryable(owner, key, hashlib.sha256(content.encode()).hexdigest())


def answer_once(attempt: Retryable, answer: Callable[[], Response]) -> Response:
    """What `answer` gives, or gave when this request came first: a success is kept, else the key is free again.

    Raises RequestConflict while the first is being answered, IdempotencyMismatch when it asked something else.
    """
    if first := find_answer(attempt):
        return first
    current = services()
    with current.database.writing() as db:
        replay = idempotency.begin(db, attempt.caller, attempt.key, attempt.digest, int(current.now()))
    if replay:
        return attempt.response(replay)
    request_limits.get().retry_store = attempt.keep
    try:
        response = answer()
    except BaseException:
        _conclude(attempt, 500, None)
        raise
    conclude = partial(_conclude, attempt, response.status_code)
    if not streaming.keep(response, conclude):
        is_success = response.status_code < 400 and not response.is_streamed
        conclude(response.get_data() if is_success else None)
    return response


def find_answer(attempt: Retryable) -> Response | None:
    with services().database.reading() as db:
        replay = idempotency.find_replay(db, attempt.caller, attempt.key, attempt.digest, int(services().now()))
    return replay and attempt.response(replay)


def _conclude(attempt: Retryable, status: int, body: bytes | None) -> None:
    """Keep the body under the key, unless one is kept; without one the key is free again."""
    with services().database.writing() as db:
        if body is None:
            idempotency.release(db, attempt.caller, attempt.key)
        else:
            attempt.keep(db, status, body)
