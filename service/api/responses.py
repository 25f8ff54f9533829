"""Responses: the headers of every answer, documents in the encoding that a caller accepts, and tables as files.

Headers are added around the application: werkzeug checks and copies each header of a response that it knows of, and
for an answer of ready bytes ten of them would take a third of the time of a bare answer. A prepared document was
serialised, hashed and compressed when it was made, and is served without further work. Its ETag is weak because one
document has three encodings. It is compared here because werkzeug's own comparison adds half the time of a response.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from random import getrandbits
from typing import TYPE_CHECKING, Any, TypeVar

from flask import Flask, Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from service import logs
from service.api.services import latest
from service.documents import adapter
from service.store.snapshots import Snapshot, make_snapshot
from service.tabular import Table

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
COMMON_HEADERS = [("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer")]
# Unless it says otherwise, an answer is for its caller alone, and a page in it may load nothing.
DEFAULTS = [("Cache-Control", "no-store"), ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")]

# Pages of any origin may call the API, with a key too: a key travels in a header that the page itself sets, never in a
# cookie, so a browser adds nothing of its user. A preflight request is answered here, for addresses that do not exist
# too: the page can then read the refusal of its request.
API = "/api/"
EXPOSED_HEADERS = (
    "RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, "
    "ETag, Link, Content-Disposition, Idempotent-Replayed, WWW-Authenticate, X-Request-ID"
)
CROSS_ORIGIN = [("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", EXPOSED_HEADERS)]
PREFLIGHT = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE"),
    ("Access-Control-Allow-Headers", "*"),
    ("Access-Control-Max-Age", "86400"),
]

ENCODINGS = ("zstd", "gzip")
# Below this number of bytes compression saves no packet.
LEAST_BYTES = 1024
TEXT_TYPES = frozenset({"application/json", "application/problem+json", "text/csv", "text/plain"})
# Compressed in itself.
PARQUET = "application/vnd.apache.parquet"
VARY = ("Vary", "Accept-Encoding")

CSV = "text/csv"

STATIC = Path(__file__).parent / "static"
FILE_MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/manifest+json",
    ".md": "text/markdown; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
HOUR_S = 3600

Headers = list[tuple[str, str]]
Kind = TypeVar("Kind")

_extra_headers: ContextVar[Headers] = ContextVar("added_headers")


def register(app: Flask) -> None:
    """Give every request of `app` an id, and every answer its headers and an encoding that its caller accepts."""
    app.after_request(_compress)
    inner = app.wsgi_app

    def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_api = environ.get("PATH_INFO", "").startswith(API)
        if is_api and environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ:
            start_response("204 No Content", PREFLIGHT)
            return ()
        id, extra_headers = request_id(environ.get("HTTP_X_REQUEST_ID")), []
        logs.request_id.set(id)
        _extra_headers.set(extra_headers)

        def start(status: str, headers: Headers, *exc_info: Any) -> Callable[[bytes], object]:
            headers = [*headers, *extra_headers]
            names = {name for name, _ in headers}
            headers += [header for header in DEFAULTS if header[0] not in names]
            headers += [*COMMON_HEADERS, *(CROSS_ORIGIN if is_api else ()), ("X-Request-ID", id)]
            return start_response(status, headers, *exc_info)

        return inner(environ, start)

    app.wsgi_app = wsgi_app


def add_headers(headers: Headers) -> None:
    """Add headers to the answer of this request, whatever its status becomes."""
    _extra_headers.get().extend(headers)


def discard_headers() -> None:
    """Drop what was added so far: it belonged to an answer that is not sent."""
    _extra_headers.get().clear()


def request_id(value: str | None) -> str:
    """A caller's own id if it is short and plain, so that it can be found in two logs; else a new one.

    It needs no secrecy, and the kernel's random bytes would let another thread interrupt each request.
    """
    return value if value and REQUEST_ID.fullmatch(value) else f"{getrandbits(64):016x}"


@dataclass(frozen=True)
class BodyBytes:
    """A body that, unlike a Snapshot, is hashed and compressed when it is sent, in the encoding that is asked for."""

    body: bytes

    @property
    def etag(self) -> str:
        return sha256(self.body).hexdigest()[:32]

    @property
    def gzip(self) -> bytes:
        return gzip.compress(self.body, 3, mtime=0)

    @property
    def zstd(self) -> bytes:
        return zstd.compress(self.body)


class _Encoded(Response):
    """A response whose encoding has been chosen."""


def _compress(response: Response) -> Response:
    """Compress a response of at least 1 KiB that is text, complete and not yet encoded."""
    if isinstance(response, _Encoded) or response.mimetype not in TEXT_TYPES or response.is_streamed:
        return response
    body = response.get_data()
    if len(body) < LEAST_BYTES:
        return response
    add_headers([VARY])
    encoding = chosen(request.environ.get("HTTP_ACCEPT_ENCODING", ""))
    if encoding != "identity":
        response.set_data(getattr(BodyBytes(body), encoding))
        add_headers([("Content-Encoding", encoding)])
    return response


def document(
    content: Snapshot | BodyBytes, *, max_age: int | None, media: str = "application/json", is_final: bool = False
) -> Response:
    """The document in an encoding that the caller accepts, or 304 when the caller already has it.

    Caches may keep it for `max_age` seconds, and serve it for as long again while they fetch a new one; one that
    `is_final` never changes, so they need not ask again. None is for documents that need a key: no cache may keep
    them, but the caller may still send their ETag.
    """
    tag = f'W/"{content.etag}"'
    environ = request.environ
    renewal = "immutable" if is_final else f"stale-while-revalidate={max_age}"
    policy = "no-store" if max_age is None else f"public, max-age={max_age}, {renewal}"
    add_headers([("ETag", tag), ("Cache-Control", policy), VARY])
    tags = environ.get("HTTP_IF_NONE_MATCH")
    if tags and _matches(tags, tag):
        return _Encoded(status=304)
    encoding = "identity" if media == PARQUET else chosen(environ.get("HTTP_ACCEPT_ENCODING", ""))
    if encoding == "identity":
        return _Encoded(content.body, content_type=media)
    add_headers([("Content-Encoding", encoding)])
    return _Encoded(getattr(content, encoding), content_type=media)


@cache
def static(path: Path) -> Snapshot:
    """A file that is served as it is, compressed once."""
    return make_snapshot(path.name, 0, path.read_bytes())


def static_file(path: Path, max_age: int, policy: str | None = None) -> Response:
    """A file as it is; `policy` is the Content-Security-Policy of a page."""
    response = document(static(path), max_age=max_age, media=FILE_MEDIA[path.suffix])
    if policy:
        response.headers["Content-Security-Policy"] = policy
    return response


def _matches(header: str, tag: str) -> bool:
    """Whether an If-None-Match header names `tag`, by the weak comparison of RFC 9110."""
    if header in (tag, "*"):
        return True
    opaque = tag.removeprefix("W/")
    return any(candidate.strip().removeprefix("W/") == opaque for candidate in header.split(","))


@lru_cache(maxsize=256)
def chosen(accept: str) -> str:
    """The encoding that an Accept-Encoding header prefers; at equal preference zstd comes before gzip.

    A forbidden identity is sent all the same when nothing else is accepted either (RFC 9110, 12.5.3).
    """
    quality = parse_accept_header(accept, Accept).quality
    best = max(ENCODINGS, key=quality)
    return best if quality(best) > 0 and quality(best) >= quality("identity") else "identity"


def described(row: str) -> Mapping[str, str]:
    """What a file holds, by its media type; `row` is what each row is about."""
    return {CSV: f"a line for each {row}, after a header line", PARQUET: "the same table, its columns with their types"}


def wanted() -> str | None:
    """The media type of the file that this request prefers, None for JSON; the answer depends on its Accept header."""
    add_headers([("Vary", "Accept")])
    best = request.accept_mimetypes.best_match(["application/json", CSV, PARQUET])
    return best if best in (CSV, PARQUET) else None


def file(table: Table, media: str, max_age: int | None) -> Response:
    """The table as a file of this media type, named for its address; `max_age` as in `document`."""
    if media == PARQUET:
        suffix, content = "parquet", table.to_parquet()
    else:
        suffix, content, media = "csv", table.to_csv(), f"{CSV}; charset=utf-8"
    name = f"{request.path.rpartition('/')[2]}.{suffix}"
    add_headers([("Content-Disposition", f'attachment; filename="{name}"')])
    return document(BodyBytes(content), max_age=max_age, media=media)


def snapshot(name: str, kind: type[Kind], table: Callable[[Kind], Table], max_age: int | None) -> Response:
    """A stored document, or the `table` of its kind as the file that is preferred."""
    media, content = wanted(), latest(name)
    if media is None:
        return document(content, max_age=max_age)
    return file(table(adapter(kind).validate_json(content.body)), media, max_age)
