"""A retry under the same Idempotency-Key: free, and answered with the bytes of the first answer, for 24 hours.

A stream is finished although its caller disconnects. Its last event is kept as the document that a retry gets.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from flask import Response, request
from sqlalchemy import Connection

from service.api import streaming
from service.api.auth import Caller
from service.api.services import services
from service.api.windows import request_limits, settle
from service.errors import FieldError, InvalidRequest
from service.store import idempotency
from service.store.idempotency import Replay

HEADER = "Idempotency-Key"
KEY = re.compile("[!-~]{1,255}")
PARAMETER = {
    "name": HEADER,
    "description": "a word of your own for this request: a retry with the same one is free and answered the same",
    "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
}


@dataclass(frozen=True)
class Retryable:
    """A request that may be sent again: whose it is, under which key, and a digest of what it asks."""

    caller: str
    key: str
    digest: str


def settle_and_keep(db: Connection, body: bytes) -> None:
    """Settle the charge of this request and keep its answer, in the transaction that stores what it has made.

    So a retry makes nothing twice and costs nothing, whatever ended the request.
    """
    settle(db)
    limits = request_limits.get(None)
    if limits and limits.retry_key:
        idempotency.finish(db, limits.caller.id, limits.retry_key, 200, body)


def answer_once(caller: Caller, answer: Callable[[], Response]) -> Response:
    """What `answer` gives, or gave when this request came first.

    Raises RequestConflict while the first is being answered, IdempotencyMismatch when it asked something else.
    """
    attempt = _retryable(caller)
    if attempt is None:
        return answer()
    with services().database.reading() as db:
        replay = idempotency.find_replay(db, attempt.caller, attempt.key, attempt.digest, int(services().now()))
    return _response(replay) if replay else _kept(attempt, answer)


def _retryable(caller: Caller) -> Retryable | None:
    """This request if it carries an Idempotency-Key; raises InvalidRequest for an unusable one."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not KEY.fullmatch(key):
        message = "must be 1 to 255 printable ASCII characters without spaces"
        raise InvalidRequest(f"The {HEADER} header is not valid.", [FieldError(HEADER, message)])
    content = f"{request.method} {request.path}\n".encode() + request.get_data()
    return Retryable(caller.id, key, hashlib.sha256(content).hexdigest())


def _kept(attempt: Retryable, answer: Callable[[], Response]) -> Response:
    """The first answer, kept when it is a success; else the key is free again."""
    current = services()
    with current.database.writing() as db:
        replay = idempotency.begin(db, attempt.caller, attempt.key, attempt.digest, int(current.now()))
    if replay:
        return _response(replay)
    request_limits.get().retry_key = attempt.key
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


def _conclude(attempt: Retryable, status: int, body: bytes | None) -> None:
    """Keep the body under the key, unless one is kept; without one the key is free again."""
    with services().database.writing() as db:
        if body is None:
            idempotency.release(db, attempt.caller, attempt.key)
        else:
            idempotency.finish(db, attempt.caller, attempt.key, status, body)


def _response(replay: Replay) -> Response:
    headers = {"Idempotent-Replayed": "true"}
    return Response(replay.body, replay.status, headers, mimetype="application/json")
