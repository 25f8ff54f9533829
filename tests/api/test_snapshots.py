"""The documents of the jobs as one web process reads them: at most once a second."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api.snapshots import latest
from service.errors import ServiceUnavailable
from service.store import snapshots
from tests.api.documents import BODY, PATH, add_document


@pytest.fixture
def app(make_app, sqlite) -> Flask:
    app = make_app(sqlite)
    add_document(app, sqlite)
    return app


def test_a_new_document_is_seen_within_a_second_under_a_new_tag(client: FlaskClient, sqlite, wall):
    before = client.get(PATH)
    with sqlite.writing() as db:
        snapshots.save(db, "document", 2, b"{}")
    assert client.get(PATH).data == BODY
    wall.time += 1
    after = client.get(PATH, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, after.data) == (200, b"{}")


def test_a_clock_that_was_set_back_does_not_freeze_a_document(client: FlaskClient, sqlite, wall):
    client.get(PATH)
    with sqlite.writing() as db:
        snapshots.save(db, "document", 2, b"{}")
    wall.time -= 3600
    assert client.get(PATH).data == b"{}"


def test_a_document_that_does_not_exist_yet_is_unavailable(app: Flask):
    with app.test_request_context(), pytest.raises(ServiceUnavailable):
        latest("another")
