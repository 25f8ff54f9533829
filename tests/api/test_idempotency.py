"""A retry under the same Idempotency-Key is free and answered the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from threading import Barrier, Thread

import pytest
from flask import Blueprint, Flask, Response

from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import operation
from service.errors import ServiceUnavailable
from service.market.instants import DAY


class Wish(Body):
    want: str = "a number"


@pytest.fixture
def meet() -> Barrier:
    """Where a slow view and its test meet."""
    return Barrier(2, timeout=20)


@pytest.fixture
def app(make_app: Callable[..., Flask], sqlite, meet: Barrier) -> Flask:
    """The application with a view that gives another number each time it is asked."""
    room, numbers = Blueprint("room", __name__), count(1)

    @room.post("/number")
    @operation(tag="Room", limit="daily", key="required", retryable=True, returns=dict[str, int])
    def number(body: Wish, caller: Caller) -> dict[str, int] | Response:
        """Another number."""
        if body.want == "nothing":
            raise ServiceUnavailable("No voters are available.")
        if body.want == "a stream":
            return Response(iter([str(next(numbers))]), mimetype="text/event-stream")
        if body.want == "a meeting":
            meet.wait()
            meet.wait()
        return {"number": next(numbers)}

    app = make_app(sqlite)
    app.register_blueprint(room)
    return app


@pytest.fixture
def ask(app: Flask, api_key: str) -> Iterator[Callable]:
    def ask(want: str = "a number", once: str | None = "once", key: str = api_key):
        headers = {"X-API-Key": key} | ({"Idempotency-Key": once} if once else {})
        return app.test_client().post("/number", json={"want": want}, headers=headers)

    return ask


@pytest.fixture
def used(client, api_key: str) -> Callable[[], int]:
    """How many calls of today's quota are used."""
    return lambda: client.get("/api/v1/me", headers={"X-API-Key": api_key}).json["used"]


def test_a_retry_is_free_and_identical(ask, used):
    first, again = ask(), ask()
    assert (again.status_code, again.data) == (200, first.data)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert used() == 1


def test_without_the_header_or_under_another_key_it_is_another_call(ask, used):
    assert [ask(once=once).json["number"] for once in (None, None, "a", "b")] == [1, 2, 3, 4]
    assert used() == 4


def test_the_last_answer_of_a_quota_can_be_retried(ask):
    for number in range(9):
        ask(once=str(number))
    last = ask(once="last")
    assert ask(once="eleventh").status_code == 429
    assert ask(once="last").data == last.data


def test_a_failed_request_may_be_retried_under_its_key(ask, used):
    assert ask("nothing").status_code == 503
    assert ask("nothing").status_code == 503
    assert ask("a number").status_code == 200
    assert used() == 1


def test_another_request_under_the_same_key_is_refused_and_free(ask, used):
    ask("a number")
    answer = ask("another number")
    assert (answer.status_code, answer.json["code"]) == (422, "idempotency_mismatch")
    assert used() == 1


def test_a_retry_during_the_first_request_is_a_free_conflict(ask, used, meet: Barrier):
    first: list = []
    asking = Thread(target=lambda: first.append(ask("a meeting")))
    asking.start()
    meet.wait()
    second = ask("a meeting")
    meet.wait()
    asking.join()
    assert (second.status_code, second.json["code"]) == (409, "in_progress")
    assert ask("a meeting").data == first[0].data
    assert used() == 1


def test_idempotency_keys_are_separate_for_each_caller(ask, client):
    other = client.post("/api/v1/register", json={"email": "other@example.com"}).json["api_key"]
    assert ask().data != ask(key=other).data


def test_an_idempotency_key_expires_after_a_day(ask, wall):
    first = ask()
    wall.time += DAY - 1
    assert ask().data == first.data
    wall.time += 1
    assert ask().data != first.data


def test_a_stream_is_not_kept(ask):
    assert (ask("a stream").text, ask("a stream").text) == ("1", "2")


@pytest.mark.parametrize("once", ["x" * 256, "two words", "tab\there", "ä"])
def test_an_unusable_key_is_bad_input(ask, used, once: str):
    answer = ask(once=once)
    assert (answer.status_code, answer.json["errors"][0]["field"]) == (400, "Idempotency-Key")
    assert used() == 0
