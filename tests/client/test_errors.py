"""Every refusal of the service, or of a proxy before it, is one of the client's errors."""

from __future__ import annotations

import httpx
import pytest
from flask import Flask

from service.client import (
    BadRequest,
    Client,
    Conflict,
    Forbidden,
    HistoryPending,
    NotFound,
    RateLimited,
    Refused,
    ServerFault,
    Unauthorized,
    Unavailable,
)
from service.errors import HistoryArriving
from tests.client.conftest import recorded


def test_bad_input_is_reported_by_field(client: Client):
    with pytest.raises(BadRequest) as refusal:
        client.register("no address")
    assert [error["field"] for error in refusal.value.errors] == ["email"]
    assert refusal.value.request_id


def test_a_used_up_limit_says_when_it_opens_again(client: Client):
    for _ in range(120):
        client.docs()
    with pytest.raises(RateLimited) as refusal:
        client.docs()
    assert (refusal.value.limit, refusal.value.remaining) == (120, 0)
    assert refusal.value.reset_at.endswith("Z")
    assert 0 < refusal.value.retry_after_s <= 60


def test_a_service_that_is_not_ready_says_what_is_missing(client: Client):
    assert client.alive() == {"status": "alive"}
    with pytest.raises(Unavailable, match="no price bars yet") as refusal:
        client.ready()
    assert refusal.value.retry_after_s > 0


def test_an_arriving_history_is_an_error_of_its_own(app: Flask, client: Client):
    """The client knows it by the code that the service sends; the message and the seconds are the service's."""

    def refuse():
        raise HistoryArriving("The price history is arriving: about 40 s left.", retry_after_s=40)

    app.view_functions["prices.current"] = refuse
    with pytest.raises(HistoryPending) as refusal:
        client.prices()
    assert str(refusal.value) == "The price history is arriving: about 40 s left."
    assert (refusal.value.status, refusal.value.retry_after_s) == (503, 40)


STATUSES = {
    BadRequest: (400, 413, 415, 422),
    Unauthorized: (401,),
    Forbidden: (403,),
    NotFound: (404,),
    Conflict: (409,),
    RateLimited: (429,),
    Unavailable: (503,),
    ServerFault: (302, 500, 502),
}


@pytest.mark.parametrize(("kind", "status"), [(kind, status) for kind in STATUSES for status in STATUSES[kind]])
@pytest.mark.parametrize("body", [b'{"detail": "Because.", "code": "why"}', b"<html>Bad gateway</html>", b"[]", b""])
def test_every_refusal_is_a_client_error_even_from_a_proxy(status: int, kind: type[Refused], body: bytes):
    client, _ = recorded(httpx.Response(status, content=body))
    with client, pytest.raises(kind) as refusal:
        client.prices()
    assert (type(refusal.value), refusal.value.status) == (kind, status)
    assert str(refusal.value) == ("Because." if b"Because" in body else f"The service answered {status}.")


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b"[]", b"\xff"])
def test_an_answer_that_is_no_json_object_is_a_fault(body: bytes):
    client, _ = recorded(httpx.Response(200, content=body))
    with client, pytest.raises(ServerFault, match="not JSON"):
        client.prices()
