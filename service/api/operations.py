"""What stands between the address and the view: key, input, limit and form, and the record of it for the docs.

    @blueprint.post("/register")
    @operation(tag="Keys", limit="registration")
    def register(body: Registration) -> RegisteredKey:
        \"\"\"Register for a key.\"\"\"

A view gets `body`, `query` and `caller` when it names them. Its return annotation is the shape of the answer;
its docstring is what the docs publish. Everything that can be known at import time is worked out there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, Literal, get_type_hints

from flask import Response, g
from pydantic import BaseModel, TypeAdapter

from service.api.auth import identify
from service.api.idempotency import answer_once
from service.api.inputs import read_body, read_query
from service.api.limits import LIMITS
from service.errors import NinefoldError

# The attribute of a view that holds its Operation.
OPERATION = "operation"


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A view as the docs describe it. The first five fields are read off the view, the others are declared.

    `returns`: the shape of the answer, None for an answer without a body. `key`: whether an API key is
    required, welcome or not looked at. `limit`: the row of LIMITS that pays for it. `media`: the media type
    of the answer; `also`: further media types and what they hold. `raises`: the refusals that do not follow
    from the rest. `cached`: the answer carries an ETag and may be a 304. `retryable`: it supports an
    Idempotency-Key.
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
    also: Mapping[str, str] = field(default_factory=dict)
    raises: tuple[type[NinefoldError], ...] = ()
    cached: bool = False
    retryable: bool = False


def operation(*, returns: Any = None, **declared: Any) -> Callable[[Callable], Callable]:
    """Authenticate, validate, charge, answer, in this order, so that bad input costs nothing.

    `declared` are fields of Operation. `returns` is for a view that answers with a finished Response: the
    shape of what is in it.
    """

    def decorate(view: Callable) -> Callable:
        hints = get_type_hints(view, include_extras=True)
        shape = returns or hints.get("return", type(None))
        summary, _, description = (inspect.getdoc(view) or "").partition("\n")
        described = Operation(
            summary=summary,
            description=description.strip(),
            body=hints.get("body"),
            query=hints.get("query"),
            returns=None if shape is type(None) else TypeAdapter(shape),
            **declared,
        )
        answer = wraps(view)(_answering(view, described, wants_caller="caller" in hints))
        setattr(answer, OPERATION, described)
        return answer

    return decorate


def _answering(view: Callable, operation: Operation, *, wants_caller: bool) -> Callable[..., Response]:
    """The view with what stands before and after it."""
    body, query, key = operation.body, operation.query, operation.key

    @wraps(view)
    def respond(**arguments: Any) -> Response:
        return _response(view(**arguments), operation)

    charged = LIMITS[operation.limit](respond) if operation.limit else respond

    def answer(**arguments: Any) -> Response:
        if key != "unused":
            g.caller = identify(key == "required")
        if wants_caller:
            arguments["caller"] = g.caller
        if body:
            arguments["body"] = read_body(body)
        if query:
            arguments["query"] = read_query(query)
        if operation.retryable:
            return answer_once(g.caller, partial(charged, **arguments))
        return charged(**arguments)

    return answer


def _response(result: Any, operation: Operation) -> Response:
    if isinstance(result, Response):
        return result
    if operation.returns is None:
        return Response(status=operation.status)
    return Response(operation.returns.dump_json(result), operation.status, mimetype=operation.media)
