"""A document is served as it was stored: in the encoding the caller accepts, with an ETag."""

from __future__ import annotations

import gzip
import sys

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient

from service.api.encoding import chosen
from tests.api.documents import BODY, PATH, add_document

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture
def app(make_app, sqlite) -> Flask:
    app = make_app(sqlite)
    add_document(app, sqlite)
    app.add_url_rule("/bytes/<int:size>", "bytes", lambda size: Response(b"x" * size, mimetype="application/json"))
    app.add_url_rule("/stream", "stream", lambda: Response(iter([BODY]), mimetype="application/json"))
    app.add_url_rule("/picture", "picture", lambda: Response(BODY, mimetype="image/png"))
    return app


def test_a_document_is_served_as_it_lies_and_may_be_kept(client: FlaskClient):
    answer = client.get(PATH)
    assert (answer.data, answer.mimetype) == (BODY, "application/json")
    assert answer.headers["Cache-Control"] == "public, max-age=30, stale-while-revalidate=30"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in answer.headers


@pytest.mark.parametrize(("encoding", "decompress"), [("gzip", gzip.decompress), ("zstd", zstd.decompress)])
def test_compressed_it_is_the_same_document_under_the_same_weak_tag(client: FlaskClient, encoding, decompress):
    answer = client.get(PATH, headers={"Accept-Encoding": encoding})
    assert answer.headers["Content-Encoding"] == encoding
    assert decompress(answer.data) == BODY
    assert len(answer.data) < len(BODY) / 5
    assert answer.headers["ETag"] == client.get(PATH).headers["ETag"]
    assert answer.headers["ETag"].startswith('W/"')


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("", "identity"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "gzip"),
        ("GZIP", "gzip"),
        ("br", "identity"),
        ("*", "zstd"),
        ("zstd;q=0, *", "gzip"),
        ("gzip;q=1.0, zstd;q=0.5", "gzip"),
        ("zstd; q=0.8, gzip; q=0.8", "zstd"),
        ("gzip;q=0", "identity"),
        ("identity, gzip;q=0.5", "identity"),
        ("identity;q=0.5, gzip;q=0.5", "gzip"),
        ("identity;q=0, gzip", "gzip"),
        ("gzip;q=high", "identity"),
        ("gzip;", "gzip"),
        (", ,", "identity"),
    ],
)
def test_the_encoding_is_the_one_the_caller_likes_best(accepted: str, encoding: str):
    assert chosen(accepted) == encoding


def test_a_current_tag_gets_a_304_without_a_body(client: FlaskClient):
    tag = client.get(PATH).headers["ETag"]
    for candidate in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        answer = client.get(PATH, headers={"If-None-Match": candidate, "Accept-Encoding": "gzip"})
        assert (answer.status_code, answer.data) == (304, b"")
        assert answer.headers["ETag"] == tag
        assert answer.headers["Cache-Control"].startswith("public")
        assert "Content-Encoding" not in answer.headers


@pytest.mark.parametrize("candidate", ['"other"', 'W/"other"', "W/", "", '"'])
def test_any_other_tag_gets_the_document(client: FlaskClient, candidate: str):
    assert client.get(PATH, headers={"If-None-Match": candidate}).status_code == 200


@pytest.mark.parametrize(("encoding", "decompress"), [("gzip", gzip.decompress), ("zstd", zstd.decompress)])
def test_any_answer_of_a_kibibyte_is_compressed(client: FlaskClient, encoding: str, decompress):
    answer = client.get("/bytes/1024", headers={"Accept-Encoding": encoding})
    assert (answer.headers["Content-Encoding"], decompress(answer.data)) == (encoding, b"x" * 1024)
    assert answer.headers["Content-Length"] == str(len(answer.data))
    assert answer.headers.getlist("Vary") == ["Accept-Encoding"]


def test_an_answer_that_could_be_compressed_says_so(client: FlaskClient):
    answer = client.get("/bytes/1024")
    assert (answer.data, answer.headers["Vary"]) == (b"x" * 1024, "Accept-Encoding")
    assert "Content-Encoding" not in answer.headers


@pytest.mark.parametrize("path", ["/bytes/1023", "/stream", "/picture"])
def test_small_streamed_and_packed_answers_are_left(client: FlaskClient, path: str):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert {"Content-Encoding", "Vary"}.isdisjoint(answer.headers.keys())


def test_a_prepared_document_is_not_compressed_again(client: FlaskClient):
    answer = client.get(PATH, headers={"Accept-Encoding": "gzip"})
    assert answer.headers.getlist("Content-Encoding") == ["gzip"]
    assert answer.headers.getlist("Vary") == ["Accept-Encoding"]


def test_a_refusal_is_compressed_like_an_answer(client: FlaskClient):
    wrong = {f"a long name of a field that does not exist {n}": 1 for n in range(20)}
    answer = client.post("/api/v1/register", json=wrong, headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (400, "gzip")
