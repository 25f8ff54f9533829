from __future__ import annotations

import json
import re
from typing import Literal

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from service.api.inputs import MAX_BODY_BYTES, MAX_DEPTH, Query, depth, parse_object, read_query
from service.api.openapi import routes
from service.errors import InvalidRequest
from tests.api.web import refusal_of

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def nesting(value: object) -> int:
    """How deep a value nests, by walking it: the referee of `depth`."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return 1 + max(map(nesting, value), default=0)
    return 0


@settings(max_examples=50)
@given(VALUES)
def test_depth_is_what_a_parser_would_find(value):
    assert depth(json.dumps(value)) == nesting(value)


@settings(max_examples=50)
@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_any_object_of_ordinary_depth_is_read_as_it_was_written(value):
    if nesting(value) <= MAX_DEPTH:
        assert parse_object(json.dumps(value, ensure_ascii=False).encode()) == value


@settings(max_examples=50)
@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_an_invalid_request(raw):
    try:
        assert isinstance(parse_object(raw), dict)
    except InvalidRequest as refusal:
        refusal.detail.encode()


def nested(levels: int) -> bytes:
    return b'{"email":' * levels + b"1" + b"}" * levels


COMPLAINTS = {
    "empty": (b"", b" \n"),
    "must be a JSON object": (b"[]", b'"text"'),
    "not JSON": (b"{", b'{"email": "a@b.example",}', b"\xef\xbb\xbf{}", b"\0" * 20),
    "not UTF-8": (b"\xff\xfe{}",),
    "NaN": (b'{"email": NaN}',),
    "-Infinity": (b'{"email": -Infinity}',),
    "too many digits": (b'{"email": ' + b"9" * 5000 + b"}",),
    "given twice": (b'{"email": "a@b.example", "email": "c@d.example"}',),
    "deeper than 16": (nested(MAX_DEPTH + 1), nested(1500), b"[" * 10_000),
}


@pytest.mark.parametrize("complaint", COMPLAINTS)
def test_a_body_that_is_not_one_plain_object_is_a_bad_request(client: FlaskClient, complaint: str):
    for body in COMPLAINTS[complaint]:
        answer = client.post("/api/v1/register", data=body, content_type="application/json")
        assert refusal_of(answer)[:2] == (400, "invalid_request"), body
        assert complaint in answer.json["detail"], body


@pytest.mark.parametrize("name", ["email", "app_name"])
@pytest.mark.parametrize("text", ["a\\u0000b", "a\\u001bb", "a\\u007fb", "a\\u0085b", "a\\ud800b", "a\\udfffb"])
def test_unprintable_text_is_refused_with_the_name_of_its_field(client, name, text):
    """Control characters and lone surrogates."""
    body = json.dumps({"email": "you@example.com", name: "_"}).replace('"_"', f'"{text}"')
    answer = client.post("/api/v1/register", data=body, content_type="application/json")
    assert refusal_of(answer) == (400, "invalid_request", name)


def test_hostile_names_of_fields_are_shown_defused_and_few(client: FlaskClient):
    answer = client.post("/api/v1/register", json={f"f{number}": 1 for number in range(1000)})
    assert (answer.status_code, len(answer.json["errors"])) == (400, 20)
    answer = client.post("/api/v1/register", json={"\ud800" + "x" * 500: {"y": "\0"}})
    assert answer.status_code == 400
    assert all(len(error["field"]) <= 100 for error in answer.json["errors"])


MEDIA = ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16")
ARCHIVE = {"Content-Type": "application/json", "Content-Encoding": "gzip"}


@pytest.mark.parametrize("headers", [*({"Content-Type": media} for media in MEDIA), ARCHIVE, {}])
def test_a_body_other_than_utf_8_json_is_unsupported(client: FlaskClient, headers: dict):
    answer = client.post("/api/v1/register", data=b'{"email": "a@b.example"}', headers=headers)
    assert refusal_of(answer) == (415, "unsupported_media_type")


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_may_have_16_kib_and_not_a_byte_more(client: FlaskClient, is_chunked: bool):
    def send(size: int):
        body = b'{"email": "you@example.com"}'.ljust(size)
        form = {"environ_overrides": {"wsgi.input_terminated": True, "CONTENT_LENGTH": ""}} if is_chunked else {}
        return client.post("/api/v1/register", data=body, content_type="application/json", **form).status_code

    assert [send(size) for size in (MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 10_000_000)] == [200, 413, 413]


class AssetQuery(Query):
    asset: str = "btc"
    count: int = 1


@pytest.mark.parametrize(
    ("query", "field"),
    [("asset=btc&asset=eth", "asset"), ("asets=btc", "asets"), ("count=many", "count"), ("asset=%00", "asset")],
)
def test_a_query_is_refused_by_the_name_of_what_is_wrong_in_it(app: Flask, query: str, field: str):
    with app.test_request_context(f"/?{query}"), pytest.raises(InvalidRequest) as refusal:
        read_query(AssetQuery)
    assert [error.field for error in refusal.value.errors] == [field]


def test_a_query_is_read_into_its_types_and_bounded(app: Flask):
    with app.test_request_context("/?count=3"):
        assert read_query(AssetQuery) == AssetQuery(asset="btc", count=3)
    with app.test_request_context(f"/?asset={'x' * 3000}"), pytest.raises(InvalidRequest, match="2048"):
        read_query(AssetQuery)


class SideQuery(Query):
    side: Literal["yes", "no"] | None = None
    interval: Literal["1h", "all"] = "1h"


def test_the_case_of_an_enum_does_not_matter(app: Flask, client: FlaskClient):
    """In a query and in a body: this market does not exist, which is noticed after the body is read."""
    with app.test_request_context("/?side=YES&interval=ALL"):
        assert read_query(SideQuery) == SideQuery(side="yes", interval="all")
    assert client.post("/api/v1/predictions/none-such/vote", json={"vote": "YES"}).status_code == 404


def test_every_endpoint_refuses_an_unknown_parameter(app: Flask, client: FlaskClient, headers, usage):
    """One behaviour everywhere: a free 400, with the parameters that are allowed."""
    for path in (re.sub("{[^}]*}", "btc", route.path) for route in routes(app) if route.method == "GET"):
        answer = client.get(path, query_string={"colour": "red"}, headers=headers)
        assert refusal_of(answer)[:2] == (400, "invalid_request"), path
        messages = [error["message"] for error in answer.json["errors"] if error["field"] == "colour"]
        assert [message.startswith("is unknown; allowed: ") for message in messages] == [True], path
    assert usage() == 0
