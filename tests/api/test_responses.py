"""The headers and the form of an answer: what a browser and a cache may do with it, files, and pages of lists."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.access.quota import TELEMETRY_CALLS
from service.api import responses
from service.api.pages import HistoryListing, PageWindow, WindowQuery
from service.api.responses import CSV, PARQUET, chosen
from service.errors import InvalidRequest
from service.market.instants import HOUR
from service.store.pages import PageKey
from tests.api import opened
from tests.api.conftest import NOON
from tests.api.opened import BODY, PATH, add_document
from tests.api.web import TELEMETRY

DESCRIPTION = "/api/openapi-lite.json"
PAGE = {"Origin": "https://blog.example"}
METHOD, HEADERS = "Access-Control-Request-Method", "Access-Control-Request-Headers"
PREFLIGHT = PAGE | {METHOD: "POST", HEADERS: "x-api-key, content-type"}
KEPT, REPLACED = ("a", "Abc-9_z.1", "x" * 64), ("", "x" * 65, "a b", "<script>", "ä", "a;b")


@pytest.mark.parametrize("id", [*KEPT, *REPLACED])
def test_a_plain_request_id_comes_back_and_any_other_is_replaced(client: FlaskClient, id: str):
    answer = client.get("/api/nothing", headers={"X-Request-ID": id})
    assert answer.headers["X-Request-ID"] == answer.json["request_id"]
    assert (answer.json["request_id"] == id) == (id in KEPT)


@pytest.mark.parametrize("path", ["/healthz", "/api/nothing", "/docs", "/"])
def test_every_answer_has_the_security_headers(client: FlaskClient, headers, path: str):
    """A private one is not cacheable, nor is a refusal."""
    answer = client.get(path).headers
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert len(answer.getlist("Content-Security-Policy")) == len(answer.getlist("Cache-Control")) == 1
    for path in ("/api/v1/me", "/api/nothing"):
        assert client.get(path, headers=headers).headers["Cache-Control"] == "no-store"


class TestFromAnotherOrigin:
    def test_a_page_may_read_every_answer_of_the_api(self, client: FlaskClient, api_key: str):
        """Refusals included; never with the cookies of a browser, because nothing here is kept in one."""
        for rule in client.application.url_map.iter_rules():
            answer = client.get(rule.rule, headers=PAGE | {"X-API-Key": api_key})
            origins = answer.headers.getlist("Access-Control-Allow-Origin")
            assert origins == (["*"] if rule.rule.startswith("/api/") else []), rule.rule
            assert "Access-Control-Allow-Credentials" not in answer.headers

    def test_a_page_may_read_its_quota_and_the_etag(self, client: FlaskClient):
        for _ in range(TELEMETRY_CALLS + 1):
            answer = client.get(TELEMETRY, headers=PAGE)
        names = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (429, "*")
        assert {name for name in answer.headers if "Rate" in name or name == "Retry-After"} <= names
        assert {"ETag", "Link", "X-Request-ID"} <= names

    def test_an_unchanged_document_is_readable_too(self, client: FlaskClient):
        tag = client.get(DESCRIPTION, headers=PAGE).headers["ETag"]
        revalidation = client.get(DESCRIPTION, headers=PAGE | {"If-None-Match": tag})
        assert (revalidation.status_code, revalidation.headers["Access-Control-Allow-Origin"]) == (304, "*")

    @pytest.mark.parametrize("path", ["/api/v1/oracle", "/api/v1/me", "/api/v1/webhooks/x", "/api/nothing"])
    def test_a_preflight_is_allowed_for_a_day_and_free(self, client: FlaskClient, path: str):
        answer = client.options(path, headers=PREFLIGHT)
        assert (answer.status_code, answer.data) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == answer.headers["Access-Control-Allow-Headers"] == "*"
        assert {"GET", "POST", "PATCH", "DELETE"} <= set(answer.headers["Access-Control-Allow-Methods"].split(", "))
        assert answer.headers["Access-Control-Max-Age"] == "86400"
        assert "X-RateLimit-Limit" not in answer.headers


def test_options_lists_the_methods_and_has_no_body(client: FlaskClient):
    answer = client.options("/api/v1/oracle")
    assert (answer.status_code, answer.data, answer.mimetype) == (200, b"", None)
    assert set(answer.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}


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


def unpacked(answer: TestResponse, encoding: str) -> bytes:
    """The body of an answer that is sent in this encoding."""
    assert answer.headers.getlist("Content-Encoding") == [encoding]
    assert answer.headers.getlist("Vary") == ["Accept-Encoding"]
    assert answer.headers["Content-Length"] == str(len(answer.data))
    return {"gzip": gzip.decompress, "zstd": responses.zstd.decompress}[encoding](answer.data)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_compressed_it_is_the_same_document_under_one_tag(client: FlaskClient, encoding: str):
    answer = client.get(PATH, headers={"Accept-Encoding": encoding})
    assert unpacked(answer, encoding) == BODY
    assert len(answer.data) < len(BODY) / 5
    assert answer.headers["ETag"] == client.get(PATH).headers["ETag"]
    assert answer.headers["ETag"].startswith('W/"')


ENCODINGS = {
    "identity": ("", "br", "gzip;q=0", "identity, gzip;q=0.5", "gzip;q=high", ", ,"),
    "gzip": (
        *("gzip, deflate, br", "GZIP", "gzip;", "zstd;q=0, *", "gzip;q=1.0, zstd;q=0.5"),
        *("identity;q=0.5, gzip;q=0.5", "identity;q=0, gzip"),
    ),
    "zstd": ("gzip, deflate, br, zstd", "*", "zstd; q=0.8, gzip; q=0.8"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_encoding_is_the_one_the_caller_likes_best(encoding: str):
    assert {accept: chosen(accept) for accept in ENCODINGS[encoding]} == dict.fromkeys(ENCODINGS[encoding], encoding)


def test_a_current_tag_gets_a_304_without_a_body(client: FlaskClient):
    tag = client.get(PATH).headers["ETag"]
    for candidate in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        answer = client.get(PATH, headers={"If-None-Match": candidate, "Accept-Encoding": "gzip"})
        assert (answer.status_code, answer.data) == (304, b"")
        assert answer.headers["ETag"] == tag
        assert answer.headers["Cache-Control"].startswith("public")
        assert "Content-Encoding" not in answer.headers
    for candidate in ('"other"', 'W/"other"', "W/", "", '"'):
        assert client.get(PATH, headers={"If-None-Match": candidate}).status_code == 200


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_any_answer_of_a_kibibyte_is_compressed(client: FlaskClient, encoding: str):
    answer = client.get("/bytes/1024", headers={"Accept-Encoding": encoding})
    assert unpacked(answer, encoding) == b"x" * 1024


def test_an_answer_that_could_be_compressed_says_so(client: FlaskClient):
    answer = client.get("/bytes/1024")
    assert (answer.data, answer.headers["Vary"]) == (b"x" * 1024, "Accept-Encoding")
    assert "Content-Encoding" not in answer.headers


@pytest.mark.parametrize("path", ["/bytes/1023", "/stream", "/picture"])
def test_small_streamed_and_packed_answers_are_left(client: FlaskClient, path: str):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert {"Content-Encoding", "Vary"}.isdisjoint(answer.headers.keys())


def test_a_refusal_is_compressed_like_an_answer(client: FlaskClient):
    body = {f"a long name of a field that does not exist {n}": 1 for n in range(20)}
    answer = client.post("/api/v1/register", json=body, headers={"Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["Content-Encoding"]) == (400, "gzip")


FUND, JSON = "/api/apex/fund", "application/json"


@pytest.fixture
def fund(publish) -> None:
    publish("apex-fund", NOON, opened.fund())


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        *[("text/csv", CSV), (PARQUET, PARQUET), (f"text/csv;q=0.5,{PARQUET}", PARQUET)],
        *((accept, JSON) for accept in (JSON, "*/*", f"text/csv;q=0.5,{JSON}", "text/html")),
    ],
)
def test_a_file_is_sent_only_where_it_is_preferred(client: FlaskClient, fund, accept: str, expected: str):
    answer = client.get(FUND, headers={"Accept": accept})
    assert (answer.status_code, answer.mimetype) == (200, expected)
    assert answer.headers.getlist("Vary") == ["Accept", "Accept-Encoding"]


@pytest.mark.parametrize("accept", [CSV, PARQUET])
def test_a_file_has_an_etag_of_its_own(client: FlaskClient, fund, accept: str):
    document, file = client.get(FUND), client.get(FUND, headers={"Accept": accept})
    assert document.headers["ETag"] != file.headers["ETag"]
    revalidation = client.get(FUND, headers={"Accept": accept, "If-None-Match": file.headers["ETag"]})
    assert (revalidation.status_code, revalidation.data) == (304, b"")
    assert file.headers["Cache-Control"] == document.headers["Cache-Control"]
    assert file.headers["Content-Disposition"] == f'attachment; filename="fund.{"csv" if accept == CSV else "parquet"}"'


WINDOWS = HistoryListing("windows", lambda _, window: [window] * window.limit, lambda _: PageKey(NOON - 9, "a"))
OTHERS = HistoryListing("others", WINDOWS.select, WINDOWS.key)


@pytest.fixture
def links(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[list]:
    """The headers that are added to the answer of a request."""
    headers: list[tuple[str, str]] = []
    monkeypatch.setattr(responses, "add_headers", headers.extend)
    with app.test_request_context("/list?limit=1"):
        yield headers


def test_a_window_ends_now_at_the_latest(links):
    """One that ends before it begins is refused."""
    for query, since, until in (
        *[({}, 0, NOON), ({"until": "2029-01-01"}, 0, NOON)],
        ({"since": "2027-01-14", "until": "2027-01-15T10:00:00Z"}, NOON - 36 * HOUR, NOON - 2 * HOUR),
    ):
        (window,), _ = WINDOWS.page(WindowQuery(limit=1, **query))
        assert window == (since, until, 2, None)
    with pytest.raises(InvalidRequest):
        WINDOWS.page(WindowQuery(since="2026-11-21T10:00:00Z", until="2026-11-20T10:00:00Z"))


def test_a_cursor_belongs_to_its_selection(links: list):
    """Another window, another list or another filter is another scope."""
    _, cursor = WINDOWS.page(WindowQuery(limit=1, since="2026-11-20"))
    assert links == [("Link", f'</list?limit=1&cursor={cursor}>; rel="next"')]
    query = WindowQuery(limit=1, since="2026-11-20", cursor=cursor)
    (window,), _ = WINDOWS.page(query)
    assert (window.after, window.rising[0], window.falling[1]) == (PageKey(NOON - 9, "a"), NOON - 8, NOON - 10)
    for listing, other in ((OTHERS, query), (WINDOWS, WindowQuery(limit=1, cursor=cursor))):
        with pytest.raises(InvalidRequest):
            listing.page(other)


def test_a_cursor_beyond_the_window_leaves_nothing():
    assert PageWindow(0, NOON, 1, PageKey(NOON + 99, "a")).rising == (NOON + 1, NOON)
