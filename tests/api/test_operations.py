"""A view is authenticated, validated and charged, in this order; its annotations are its documentation."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Blueprint, Flask

from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import OPERATION, operation


class Wish(Body):
    want: str


@operation(tag="Test", limit="daily", key="required")
def grant(body: Wish, caller: Caller) -> dict[str, str]:
    """Grant a wish.

    Within reason.
    """
    return {"granted": body.want, "to": caller.id}


@operation(tag="Test", limit=None, status=204)
def forget() -> None:
    """Forget everything."""


@pytest.fixture
def app(make_app: Callable[..., Flask], sqlite) -> Flask:
    views = Blueprint("wishes", __name__)
    views.post("/wish")(grant)
    views.post("/forget")(forget)
    app = make_app(sqlite)
    app.register_blueprint(views)
    return app


def test_a_missing_key_is_refused_before_the_body_is_read(client):
    assert client.post("/wish", data=b"{").json["code"] == "missing_api_key"


def test_bad_input_is_not_charged_and_a_good_call_is(client, api_key):
    headers = {"X-API-Key": api_key}
    refusal = client.post("/wish", json={"wish": "rain"}, headers=headers)
    assert (refusal.status_code, refusal.headers["X-RateLimit-Remaining"]) == (400, "10")
    answer = client.post("/wish", json={"want": "rain"}, headers=headers)
    assert answer.json == {"granted": "rain", "to": f"key:{api_key.split('_')[2]}"}
    assert answer.headers["X-RateLimit-Remaining"] == "9"


def test_an_operation_without_a_result_has_an_empty_body(client):
    answer = client.post("/forget")
    assert (answer.status_code, answer.data) == (204, b"")


def test_the_docstring_and_the_annotations_are_published():
    documentation = getattr(grant, OPERATION)
    assert (documentation.summary, documentation.description) == ("Grant a wish.", "Within reason.")
    assert (documentation.body, documentation.query, documentation.status) == (Wish, None, 200)
    assert getattr(forget, OPERATION).returns is None
