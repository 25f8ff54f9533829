from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from structlog.testing import capture_logs

from service import errors
from service.api.errors import STATUS, status_of
from service.errors import FieldError, NinefoldError
from service.market.assets import ASSETS
from tests.api.web import refusal_of

MEMBERS = {"type", "title", "status", "detail", "code", "request_id"}


def family(root: type = NinefoldError) -> list[type[NinefoldError]]:
    """Every class of service.errors below `root`."""
    kinds = [kind for kind in root.__subclasses__() if kind.__module__ == errors.__name__]
    return [*kinds, *(kin for kind in kinds for kin in family(kind))]


LIMIT_FIELDS = {"limit": 10, "remaining": 0, "reset_at": 1_800_000_000, "retry_after_s": 7}
PLAIN = {
    400: (errors.InvalidQuestion, errors.NotAMarketQuestion, errors.UnreadQuestion),
    401: (errors.MissingKey, errors.InvalidKey),
    403: (errors.PlanRequired, errors.CallerBlocked, errors.RegistrationClosed),
    404: (errors.ResourceNotFound,),
    409: (errors.RequestConflict, errors.VotingClosed, errors.KeyReplaced, errors.TooManyWebhooks, errors.NameTaken),
    422: (errors.IdempotencyMismatch, errors.AssumedReading),
    501: (errors.PackagesMissing,),
}
REFUSALS = [
    (errors.InvalidRequest("No.", [FieldError("asset", "unknown")]), 400, {"errors"}),
    (errors.LimitReached("No.", **LIMIT_FIELDS), 429, set(LIMIT_FIELDS)),
    (errors.QuotaExhausted("No.", **LIMIT_FIELDS), 429, set(LIMIT_FIELDS)),
    (errors.ServiceUnavailable("No."), 503, {"retry_after_s"}),
    (errors.Busy("No."), 503, {"retry_after_s"}),
    (errors.NoVoters("No.", abstained={"vol": "too little history"}), 503, {"retry_after_s", "abstained"}),
    (errors.RequestConflict("No.", retry_after_s=2), 409, {"retry_after_s"}),
    (errors.HistoryArriving("No.", retry_after_s=40), 503, {"retry_after_s"}),
    *((kind("No."), status, set()) for status, kinds in PLAIN.items() for kind in kinds),
]


@pytest.fixture
def answer_to(app: Flask):
    """What the application answers when a view raises."""

    def answer(error: Exception):
        def view():
            raise error

        app.add_url_rule("/api/raises", "raises", view)
        return app.test_client().get("/api/raises")

    return answer


@pytest.mark.parametrize(("error", "status", "fields"), REFUSALS, ids=lambda value: type(value).__name__)
def test_a_refusal_is_a_problem_with_the_fields_of_its_kind(answer_to, error, status, fields):
    """It has the code of its kind and no field of another kind."""
    answer = answer_to(error)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert set(answer.json) == MEMBERS | fields
    names = ("code", "type", "status", "detail")
    assert [answer.json[name] for name in names] == [error.code, f"urn:ninefold:problem:{error.code}", status, "No."]


def test_every_kind_of_refusal_is_tried_or_an_internal_error():
    kinds = {type(error) for error, *_ in REFUSALS}
    leaves = {kind for kind in family() if not kind.__subclasses__()}
    assert {kind for kind in leaves - kinds if status_of(kind) < 500} == set()
    assert set(STATUS) <= set(family())


def test_each_wrong_field_says_its_place_code_and_words_of_ours(client: FlaskClient, headers: dict):
    """No sentence of pydantic's reaches a caller."""
    answers = [
        client.get("/api/v1/candles?asset=pepe&limit=x&foo=1"),
        client.get("/api/v1/ledger?first_seq=0"),
        client.post("/api/v1/register", json={"app_name": 5}),
        client.post("/api/v1/register?foo=1", json={"email": "a@example.com"}),
        client.post("/api/v1/predictions/x/forecast", json={"p_yes": 7}, headers=headers),
        client.post("/api/v1/register", json={"email": "a@example.com"}, headers={"Idempotency-Key": "1"}),
        client.get("/api/v1/ledger/roots?since=yesterday"),
        client.get("/api/v1/webhooks/x/deliveries?cursor=0", headers=headers),
    ]
    rows = [
        (row["field"], row["in"], row["code"], row["message"]) for answer in answers for row in answer.json["errors"]
    ]
    *assets, last = ASSETS
    assert rows == [
        ("limit", "query", "wrong_type", "must be a whole number"),
        ("asset", "query", "not_allowed", f"must be {', '.join(map(repr, assets))} or {last!r}"),
        ("foo", "query", "unknown", "is unknown; allowed: limit, cursor, since, until, asset, interval"),
        ("first_seq", "query", "out_of_range", "must be at least 1"),
        ("email", "body", "required", "is required"),
        ("app_name", "body", "wrong_type", "must be a text"),
        ("foo", "query", "unknown", "is unknown; allowed: none"),
        ("p_yes", "body", "out_of_range", "must be at most 0.999"),
        ("Idempotency-Key", "header", "invalid", "must be 16 to 255 printable ASCII characters without spaces"),
        ("since", "query", "malformed", "must be like 2026-11-01: the first day that is wanted"),
        ("cursor", "query", "malformed", "must be of the form ^[1-9][0-9]{0,8}$"),
    ]


@pytest.mark.parametrize(("place", "wait"), [(1, "7"), (3, "5"), (5, "30"), (7, "40")])
def test_a_retryable_refusal_says_when(answer_to, place: int, wait: str):
    """A used up limit says when it opens again in ISO 8601."""
    answer = answer_to(REFUSALS[place][0])
    assert (answer.headers["Retry-After"], answer.json["retry_after_s"]) == (wait, int(wait))
    assert answer.json.get("reset_at") == ("2027-01-15T08:00:00Z" if wait == "7" else None)


@pytest.mark.parametrize("error", [ZeroDivisionError("secret"), errors.SourceFailed("secret"), RuntimeError("secret")])
def test_an_internal_error_is_logged_and_reveals_nothing(answer_to, error):
    """The log has the request id that the caller gets."""
    with capture_logs() as log:
        answer = answer_to(error)
    assert refusal_of(answer) == (500, "internal_error")
    assert "secret" not in answer.text
    assert (log[0]["event"], log[0]["exc_info"]) == ("unexpected_fault", error)
    assert len(answer.json["request_id"]) == 16


@pytest.mark.parametrize("kind", [InterfaceError, InternalError, OperationalError])
def test_an_unavailable_database_is_a_retryable_503(answer_to, kind):
    """Drivers disagree about the class of a broken connection: the server's own timeout is an internal error."""
    with capture_logs() as log:
        answer = answer_to(kind("SELECT secret", None, Exception("secret")))
    assert refusal_of(answer) == (503, "unavailable")
    assert "secret" not in answer.text
    assert log[0]["event"] == "database_fault"


NOWHERE = ("/api/v1/nothing", "/api/v1/docs/", "/api//v1//docs", "/api/v1/%00", "/../etc/passwd")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        *(("GET", path, 404, "not_found") for path in NOWHERE),
        ("GET", "/api/v1/register", 405, "method_not_allowed"),
        *((method, "/api/v1/docs", 405, "method_not_allowed") for method in ("POST", "BREW")),
        ("POST", "/api/v1/register", 415, "unsupported_media_type"),
    ],
)
def test_an_unrouted_request_is_a_problem_and_never_a_page(client: FlaskClient, method, path, status, code):
    answer = client.open(path, method=method)
    assert (*refusal_of(answer), answer.mimetype) == (status, code, "application/problem+json")


def test_head_and_a_refused_key_answer_by_http(client: FlaskClient):
    assert client.post("/api/v1/docs").headers["Allow"] == "GET, HEAD, OPTIONS"
    document, head = client.get("/api/v1/docs"), client.head("/api/v1/docs")
    assert (head.status_code, head.data, head.content_length) == (200, b"", document.content_length)
    assert client.head("/api/v1/nothing").status_code == 404
    for answer in (client.get("/api/v1/me"), client.post("/api/v1/webhooks", data=b"{")):  # before its body is read
        assert (*refusal_of(answer), answer.headers["WWW-Authenticate"]) == (401, "missing_api_key", "ApiKey")
