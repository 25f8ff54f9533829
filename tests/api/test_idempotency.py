"""A retry under the same Idempotency-Key is free and answered the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier, Thread

import pytest
from flask import Blueprint, Flask, Response
from sqlalchemy import select

from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import operation
from service.errors import ServiceUnavailable
from service.store.tables import idempotency


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
def post(app: Flask, api_key: str) -> Iterator[Callable]:
    def post(wish: str = "a number", retry_key: str | None = "once", key: str = api_key):
        headers = {"X-API-Key": key} | ({"Idempotency-Key": retry_key} if retry_key else {})
        return app.test_client().post("/number", json={"wish": wish}, headers=headers)

    return post


def test_a_retry_is_free_and_identical(post, usage):
    first, retry = post(), post()
    assert (retry.status_code, retry.data) == (200, first.data)
    assert retry.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert usage() == 1


def test_without_the_header_or_under_another_key_it_is_another_call(post, usage, client):
    """As it is of another caller."""
    assert [post(retry_key=retry_key).json["number"] for retry_key in (None, None, "a", "b")] == [1, 2, 3, 4]
    assert usage() == 4
    other = client.post("/api/v1/register", json={"email": "other@example.com"}).json["api_key"]
    assert post(retry_key="a", key=other).json["number"] == 5


def test_the_last_answer_of_a_quota_can_be_retried(post):
    for number in range(9):
        post(retry_key=str(number))
    last = post(retry_key="last")
    assert post(retry_key="eleventh").status_code == 429
    assert post(retry_key="last").data == last.data


def test_a_failed_request_may_be_retried_under_its_key(post, usage):
    assert post("nothing").status_code == 503
    assert post("nothing").status_code == 503
    assert post("a number").status_code == 200
    assert usage() == 1


def test_another_request_under_the_same_key_is_refused_and_free(post, usage):
    post("a number")
    answer = post("another number")
    assert (answer.status_code, answer.json["code"]) == (422, "idempotency_mismatch")
    assert usage() == 1


def test_a_retry_during_the_first_request_is_a_free_conflict(post, usage, meet: Barrier):
    first: list = []
    thread = Thread(target=lambda: first.append(post("a meeting")))
    thread.start()
    meet.wait()
    second = post("a meeting")
    meet.wait()
    thread.join()
    assert (second.status_code, second.json["code"], second.headers["Retry-After"]) == (409, "in_progress", "2")
    assert post("a meeting").data == first[0].data
    assert usage() == 1


def test_a_retry_is_known_however_its_json_is_written(post, app, api_key):
    """Spaces, and the order and presence of values that are the default, are no difference."""
    headers = {"X-API-Key": api_key, "Idempotency-Key": "once", "Content-Type": "application/json"}
    bodies = (b'{"wish": "a number"}', b'{"wish":"a number"}\n', b"{}")
    answers = [app.test_client().post("/number", data=body, headers=headers).data for body in bodies]
    assert answers == [post().data] * 3


def test_every_write_may_be_retried(client, sqlite, headers):
    """Also one without a daily charge; its answer is no text in the database, because it may hold an API key."""
    answers = [
        client.post("/api/v1/register", json={"email": "a@example.com"}, headers={"Idempotency-Key": "a" * 16})
        for _ in range(2)
    ]
    assert answers[0].json == answers[1].json
    names = [
        client.patch("/api/v1/me", json={"forecaster": "owl"}, headers={**headers, "Idempotency-Key": "1"})
        for _ in range(2)
    ]
    assert [answer.headers.get("Idempotent-Replayed") for answer in (*answers, *names)] == [None, "true"] * 2
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
    answer = post(retry_key=retry_key)
    assert (answer.status_code, answer.json["errors"][0]["field"]) == (400, "Idempotency-Key")
    assert usage() == 0
