"""Every refusal and fault as problem+json (RFC 9457); the one place where an error becomes an HTTP status."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Any

import structlog
from flask import Flask, Response, request
from pydantic import BaseModel, Field
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service import errors, logs
from service.errors import FieldError, NinefoldError, RequestPart
from service.store.database import AWAY, fault_of

MEDIA_TYPE = "application/problem+json"

# The nearest class in an error's hierarchy decides; an error without one is a fault of ours, a 500.
STATUS: dict[type[NinefoldError], int] = {
    errors.InvalidRequest: 400,
    errors.AssumedReading: 422,
    errors.AccessDenied: 401,
    errors.PlanRequired: 403,
    errors.CallerBlocked: 403,
    errors.RegistrationClosed: 403,
    errors.ResourceNotFound: 404,
    errors.RequestConflict: 409,
    errors.IdempotencyMismatch: 422,
    errors.LimitReached: 429,
    errors.ServiceUnavailable: 503,
    errors.PackagesMissing: 501,
}

# What routing and parsing refuse before any view runs: status -> code and sentence.
HTTP: dict[int, tuple[str, str]] = {
    400: ("invalid_request", "The request could not be read."),
    404: ("not_found", "There is nothing at this address."),
    405: (
        "method_not_allowed",
        "This address does not accept this method; the Allow header lists the methods it accepts.",
    ),
    413: ("body_too_large", "The body is larger than 16 KiB."),
    415: ("unsupported_media_type", "Send the body as application/json in UTF-8, not compressed."),
    431: ("headers_too_large", "The headers are too large in total."),
    501: ("invalid_request", "Of all values of Transfer-Encoding only chunked is understood."),
}
# The fields of a problem that some kinds of errors have beyond their sentence.
MEMBERS = ("abstained", "limit", "remaining", "reset_at", "retry_after_s")
FAULT = ("internal_error", "Something went wrong on our side. It was logged under this request id.")

log = structlog.get_logger(__name__)


class InvalidField(BaseModel):
    """A field of the request, where it is (`in`), and what is wrong with it. `code` is stable."""

    field: str
    place: RequestPart = Field(serialization_alias="in")
    code: str
    message: str

    @classmethod
    def of(cls, error: FieldError) -> InvalidField:
        place = error.place or ("body" if request.method in ("POST", "PATCH") else "query")
        return cls(field=error.field, place=place, code=error.code, message=error.message)


class Problem(BaseModel):
    """Why a request was not answered. `code` is stable; `detail` is written for people."""

    type: str = Field(description="`urn:ninefold:problem:` and the code", examples=["urn:ninefold:problem:not_found"])
    title: str = Field(description="the HTTP status as text", examples=["Not Found"])
    status: int = Field(description="the HTTP status", examples=[404])
    detail: str = Field(description="what is wrong with this request", examples=["There is nothing at this address."])
    code: str = Field(description="stable identifier of the kind of problem", examples=["not_found"])
    request_id: str = Field(description="quote it when you ask for help", examples=["5f0c2a9be41d7c36"])
    errors: list[InvalidField] | None = Field(None, description="for bad input: each field and what is wrong with it")
    suggestions: list[str] | None = Field(
        None, description="for a refused question: questions close to it that would be accepted"
    )
    abstained: dict[str, str] | None = Field(
        None, description="for too few votes: the reason of each voter that did not vote"
    )
    limit: int | None = Field(None, description="429: calls allowed in the window")
    remaining: int | None = Field(None, description="429: calls left in the window")
    reset_at: datetime | None = Field(None, description="429: when the window resets")
    retry_after_s: int | None = Field(None, description="429, 503 and `in_progress`: seconds after which to try again")

    @classmethod
    def of(cls, status: int, code: str, detail: str, **members: Any) -> Problem:
        """The problem of a status and code; type and title follow from them."""
        kind, title = f"urn:ninefold:problem:{code}", HTTPStatus(status).phrase
        return cls(type=kind, title=title, status=status, detail=detail, code=code, **members)


def status_of(error: type[NinefoldError]) -> int:
    return next((STATUS[cls] for cls in error.__mro__ if cls in STATUS), 500)


def register(app: Flask) -> None:
    app.register_error_handler(NinefoldError, _answer_ours)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(ModuleNotFoundError, lambda error: _answer_ours(errors.PackagesMissing.of(error)))
    for fault in AWAY:
        app.register_error_handler(fault, _answer_database)
    app.register_error_handler(Exception, _answer_fault)


def problem(status: int, code: str, detail: str, **members: Any) -> Response:
    """The response that describes a problem; `members` are optional fields of Problem."""
    body = Problem.of(status, code, detail, request_id=logs.request_id.get(), **members)
    response = Response(body.model_dump_json(exclude_none=True, by_alias=True), status, mimetype=MEDIA_TYPE)
    if body.retry_after_s is not None:
        response.headers["Retry-After"] = str(body.retry_after_s)
    if status == 401:
        response.headers["WWW-Authenticate"] = "ApiKey"
    return response


def _answer_ours(error: NinefoldError) -> Response:
    status = status_of(type(error))
    if status == 500:
        return _answer_fault(error)
    if isinstance(error.__cause__, errors.UnreadQuestion) or isinstance(error, errors.UnreadQuestion):
        log.error("question_unread", exc_info=error)
    members = {name: value for name, value in vars(error).items() if name in MEMBERS}
    if isinstance(error, errors.InvalidRequest):
        members = {"errors": list(map(InvalidField.of, error.errors)) or None, "suggestions": error.suggestions or None}
    return problem(status, error.code, error.detail, **members)


def refusal(status: int) -> Response:
    code, detail = HTTP.get(status, HTTP[400] if status < 500 else FAULT)
    return problem(status, code, detail)


def _answer_http(error: HTTPException) -> Response:
    response = refusal(error.code or 500)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return response


def _answer_database(error: Exception) -> Response:
    """The database is unreachable, locked or full: retrying may help, or the operator has to act."""
    detail = str(getattr(error, "orig", error)).partition("\n")[0]
    log.error("database_fault", error=type(error).__name__, detail=detail)
    return _answer_ours(errors.ServiceUnavailable(fault_of(error) or "The database does not answer."))


def _answer_fault(error: Exception) -> Response:
    """An unexpected fault: the log gets the trace, the caller gets the id it is logged under."""
    if fault_of(error):
        return _answer_database(error)
    log.error("unexpected_fault", exc_info=error)
    return problem(500, *FAULT)
