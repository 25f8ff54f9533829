"""A retry under the same Idempotency-Key is free and answered the same."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier, Thread

import pytest
from flask import Blueprint, Flask, Response
from sqlalchemy import select
from werkzeug.test import TestResponse

from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import operation
from service.errors import ServiceUnavailable
from service.store.tables import idempotency
from tests.api.web import refusal_of


class Wish(Body):
    wish: str = "a number"


@pytest.fixture
def meet() -> Barrier:
    """Where a slow view and its test meet."""
    return Barrier(2, timeout=20)


@pytest.fixture
def app(make_app: Callable[..., Flask], sqlite, meet: Barrier) -> Flask:
    """The application with a view that gives another number each time it is asked."""
    room, numbers = Blueprint("room", __name__), count(1)

    @room.post("/number")
    @operation(tag="Room", limit="daily", key="required", returns=dict[str, int])
    def number(body: Wish, caller: Caller) -> dict[str, int] | Response:
        """Another number."""
        if body.wish == "nothing":
            raise ServiceUnavailable("No voters are available.")
        if body.wish == "a stream":
            return Response(iter([str(next(numbers))]), mimetype="text/event-stream")
        if body.wish == "a meeting":
            meet.wait()
            meet.wait()
        return {"number": next(numbers)}

    app = make_app(sqlite)
    app.register_blueprint(room)
    return app


@pytest.fixture
def post(call, api_key: str) -> Callable:
    def post(wish: str = "a number", retry_key: str | None = "once", key: str = api_key) -> TestResponse:
        headers = {"Idempotency-Key": retry_key} if retry_key else {}
        return call("POST", "/number", key=key, json={"wish": wish}, headers=headers)

    return post


def test_a_retry_is_free_and_identical(post, usage):
    first, retry = post(), post()
    assert (retry.status_code, retry.data) == (200, first.data)
    assert retry.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert usage() == 1


def test_under_another_retry_key_it_is_another_call(post, usage, other_key: str):
    """As it is without the header, and of another caller."""
    assert [post(retry_key=retry_key).json["number"] for retry_key in (None, None, "a", "b")] == [1, 2, 3, 4]
    assert usage() == 4
    assert post(retry_key="a", key=other_key).json["number"] == 5


def test_the_last_answer_of_a_quota_can_be_retried(post):
    for number in range(9):
        post(retry_key=str(number))
    last = post(retry_key="last")
    assert post(retry_key="eleventh").status_code == 429
    assert post(retry_key="last").data == last.data


def test_a_failed_request_may_be_retried_under_its_key(post, usage):
    assert [post(wish).status_code for wish in ("nothing", "nothing", "a number")] == [503, 503, 200]
    assert usage() == 1


def test_another_request_under_the_same_key_is_refused_and_free(post, usage):
    post("a number")
    assert refusal_of(post("another number")) == (422, "idempotency_mismatch")
    assert usage() == 1


def test_a_retry_during_the_first_request_is_a_free_conflict(post, usage, meet: Barrier):
    first: list = []
    thread = Thread(target=lambda: first.append(post("a meeting")))
    thread.start()
    meet.wait()
    second = post("a meeting")
    meet.wait()
    thread.join()
    assert (*refusal_of(second), second.headers["Retry-After"]) == (409, "in_progress", "2")
    assert post("a meeting").data == first[0].data
    assert usage() == 1


def test_a_retry_is_known_however_its_json_is_written(post, app, api_key):
    """Spaces, and the order and presence of values that are the default, are no difference."""
    headers = {"X-API-Key": api_key, "Idempotency-Key": "once", "Content-Type": "application/json"}
    bodies = (b'{"wish": "a number"}', b'{"wish":"a number"}\n', b"{}")
    answers = [app.test_client().post("/number", data=body, headers=headers).data for body in bodies]
    assert answers == [post().data] * 3


def test_every_write_may_be_retried(call, sqlite, api_key):
    """Also one without a daily charge; its answer is no text in the database, because it may hold an API key."""
    for method, path, key, body in (
        ("POST", "/api/v1/register", None, {"email": "a@example.com"}),
        ("PATCH", "/api/v1/me", api_key, {"forecaster": "owl"}),
    ):
        headers = {"Idempotency-Key": "a" * 16}
        first, retry = (call(method, path, key=key, json=body, headers=headers) for _ in range(2))
        assert (first.json, "Idempotent-Replayed" in first.headers) == (retry.json, False)
        assert retry.headers["Idempotent-Replayed"] == "true"
    with sqlite.reading() as db:
        bodies = db.scalars(select(idempotency.c.body)).all()
    assert len(bodies) == 2
    assert not any(b"nf_live" in body or b"key_id" in body for body in bodies)


def test_a_lost_rotation_is_answered_again_to_the_old_key(client, headers):
    """The old key is dead for everything else, and under another Idempotency-Key."""
    retry_headers = {**headers, "Idempotency-Key": "once"}
    first, retry = (client.post("/api/v1/me/rotate", headers=retry_headers) for _ in range(2))
    assert (first.status_code, retry.data) == (200, first.data)
    assert client.post("/api/v1/me/rotate", headers={**headers, "Idempotency-Key": "twice"}).status_code == 401
    assert client.get("/api/v1/me", headers=retry_headers).status_code == 401
    new = {"X-API-Key": first.json["api_key"], "Idempotency-Key": "once"}
    assert client.delete("/api/v1/me", headers=new).status_code == 204
    assert client.delete("/api/v1/me", headers=new).headers["Idempotent-Replayed"] == "true"


def test_of_rotations_at_the_same_time_one_wins(web, key):
    """The others are refused, and the key of the winner is valid."""
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: web.send("POST", "/api/v1/me/rotate", key=key), range(8)))
    (winner,) = (answer for answer in answers if answer.status_code == 200)
    assert {answer.json.get("code") for answer in answers} <= {None, "key_replaced", "invalid_api_key"}
    assert web.send("GET", "/api/v1/me", key=winner.json["api_key"]).status_code == 200


def test_a_stream_is_not_kept(post):
    assert (post("a stream").text, post("a stream").text) == ("1", "2")


@pytest.mark.parametrize("retry_key", ["x" * 256, "two words", "tab\there", "ä"])
def test_an_unusable_key_is_bad_input(post, usage, retry_key: str):
    assert refusal_of(post(retry_key=retry_key)) == (400, "invalid_request", "Idempotency-Key")
    assert usage() == 0
