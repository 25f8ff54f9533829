"""What stands between the address and the view: key, input, limit and form, and the record of it for the docs.

    @blueprint.post("/register")
    @operation(tag="Keys", limit="registration")
    def register(body: Registration) -> RegisteredKey:
        \"\"\"Register for a key.\"\"\"

A view gets `body`, `query` and `caller` when it names them. Its return annotation is the shape of the answer;
its docstring is what the docs publish; `{n} strategies` in it becomes their number. Everything that can be known at
import time is worked out there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, Literal, get_type_hints

from flask import Response, request
from pydantic import BaseModel, TypeAdapter

from service.api import idempotency, responses
from service.api.auth import KEY_HEADER, identify, require_unblocked
from service.api.inputs import Query, read_body, read_query
from service.api.limits import LIMITS, NO_LIMIT, request_limits
from service.errors import InvalidKey, NinefoldError
from service.trading.strategies import STRATEGIES

OPERATION = "operation"  # the attribute of a view that holds its Operation
# The name of the header in the environment of a request, where it is looked up faster than in `request.headers`.
KEY_ENVIRON = f"HTTP_{KEY_HEADER.upper().replace('-', '_')}"
# Since 28 November 2026; there has been a better description since the first edition.
DEPRECATION = [("Deprecation", "@1795824000"), ("Link", '</docs/policy>; rel="deprecation"')]


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A view as the docs describe it. The first five fields are read off the view, the others are declared.

    `returns`: the shape of the answer, None for an answer without a body. `key`: whether an API key is
    required, welcome or not looked at. `limit`: the row of LIMITS that pays for it. `media`: the media type
    of the answer; `alternatives`: further media types and what they hold. `raises`: the refusals that do not follow
    from the rest. `is_cached`: the answer carries an ETag and may be a 304. `ends_key`: after it the key of the
    request is valid no more. `headers`: further request headers, as OpenAPI describes parameters. `is_deprecated`: new
    clients use another operation.
    """

    summary: str
    description: str
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    returns: TypeAdapter | None
    tag: str
    limit: str | None
    key: Literal["required", "welcome", "unused"] = "unused"
    status: int = 200
    media: str = "application/json"
    alternatives: Mapping[str, str] = field(default_factory=dict)
    raises: tuple[type[NinefoldError], ...] = ()
    is_cached: bool = False
    ends_key: bool = False
    headers: tuple[Mapping[str, Any], ...] = ()
    is_deprecated: bool = False


def operation(*, returns: Any = None, **fields: Any) -> Callable[[Callable], Callable]:
    """Authenticate, validate, charge, answer, in this order, so that bad input costs nothing.

    `fields` are fields of Operation. `returns` is for a view that answers with a finished Response: the
    shape of what is in it.
    """

    def decorate(view: Callable) -> Callable:
        hints = get_type_hints(view, include_extras=True)
        shape = returns or hints.get("return", type(None))
        documentation = (inspect.getdoc(view) or "").replace("{n} strategies", f"{len(STRATEGIES)} strategies")
        summary, _, description = documentation.partition("\n")
        spec = Operation(
            summary=summary,
            description=description.strip(),
            body=hints.get("body"),
            query=hints.get("query"),
            returns=None if shape is type(None) else TypeAdapter(shape),
            **fields,
        )
        answer = _answering(view, spec, wants_caller="caller" in hints)
        setattr(answer, OPERATION, spec)
        return answer

    return decorate


def _answering(view: Callable, operation: Operation, *, wants_caller: bool) -> Callable[..., Response]:
    body, query, key = operation.body, operation.query, operation.key

    @wraps(view)
    def respond(**arguments: Any) -> Response:
        result = view(**arguments)
        if isinstance(result, Response):
            return result
        if operation.returns is None:
            return Response(status=operation.status)
        return Response(operation.returns.dump_json(result), operation.status, mimetype=operation.media)

    policy = LIMITS[operation.limit] if operation.limit else NO_LIMIT
    paid_call = policy.charge(respond)

    @wraps(view)
    def answer(**arguments: Any) -> Response:
        if operation.is_deprecated:
            responses.add_headers(DEPRECATION)
        limits, environ = request_limits.get(), request.environ
        if key != "unused":
            try:
                limits.caller = identify(key == "required")
            except InvalidKey:
                if not operation.ends_key or idempotency.ENVIRON not in environ:
                    raise
                replay = idempotency.find_answer(idempotency.attempt_of(limits.caller, None, ends_key=True))
                if replay is None:
                    raise
                return replay
        elif KEY_ENVIRON in environ:
            with suppress(InvalidKey):  # a wrong key is ignored where none is looked at
                limits.caller = identify(is_required=False)
        if wants_caller:
            arguments["caller"] = limits.caller
        if body:
            require_unblocked(limits.caller)
            arguments["body"] = read_body(body)
        if query:
            arguments["query"] = read_query(query)
        elif environ.get("QUERY_STRING"):
            read_query(Query)
        if idempotency.ENVIRON in environ and request.method not in ("GET", "HEAD"):
            is_keyless, content = key == "unused", arguments.get("body")
            attempt = idempotency.attempt_of(limits.caller, content, ends_key=operation.ends_key, is_keyless=is_keyless)
            return idempotency.answer_once(attempt, partial(paid_call, **arguments))
        return paid_call(**arguments)

    return policy.conclude(answer)
