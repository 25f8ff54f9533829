"""Responses in the encoding that the caller accepts: prepared documents as they are stored, any other when it is sent.

A prepared document was serialised, hashed and compressed when it was made, and is served without further work. Its
ETag is weak because one document has three encodings. It is compared here because werkzeug's own comparison adds half
the time of a bare response.
"""

from __future__ import annotations

import gzip
import sys
from functools import lru_cache
from hashlib import sha256
from typing import Protocol

from flask import Flask, Response, request

from service.api.headers import add

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ENCODINGS = ("zstd", "gzip")
# Below this number of bytes compression saves no packet.
LEAST_BYTES = 1024
COMPRESSED = frozenset({"application/json", "application/problem+json", "text/csv", "text/plain"})
# Compressed in itself.
PARQUET = "application/vnd.apache.parquet"
VARY = ("Vary", "Accept-Encoding")


class Prepared(Protocol):
    """A document in its three encodings, such as a stored snapshot; `etag` is a digest of `body`."""

    @property
    def etag(self) -> str: ...

    @property
    def body(self) -> bytes: ...

    @property
    def gzip(self) -> bytes: ...

    @property
    def zstd(self) -> bytes: ...


class BodyBytes:
    """A body that is hashed and compressed when it is sent, in the encoding that is asked for alone."""

    def __init__(self, body: bytes) -> None:
        self.body = body

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


def register(app: Flask) -> None:
    """Let `app` compress every response of at least 1 KiB that is text, complete and not yet encoded."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    if isinstance(response, _Encoded) or response.mimetype not in COMPRESSED or response.is_streamed:
        return response
    body = response.get_data()
    if len(body) < LEAST_BYTES:
        return response
    add([VARY])
    encoding = chosen(request.environ.get("HTTP_ACCEPT_ENCODING", ""))
    if encoding != "identity":
        response.set_data(getattr(BodyBytes(body), encoding))
        add([("Content-Encoding", encoding)])
    return response


def document(
    prepared: Prepared, *, max_age: int | None, media: str = "application/json", is_final: bool = False
) -> Response:
    """The document in an encoding that the caller accepts, or 304 when the caller already has it.

    Caches may keep it for `max_age` seconds, and serve it for as long again while they fetch a new one; one that
    `is_final` never changes, so they need not ask again. None is for documents that need a key: no cache may keep
    them, but the caller may still send their ETag.
    """
    tag = f'W/"{prepared.etag}"'
    if max_age is None:
        policy = "no-store"
    else:
        policy = f"public, max-age={max_age}, " + ("immutable" if is_final else f"stale-while-revalidate={max_age}")
    headers = [("ETag", tag), ("Cache-Control", policy), VARY]
    environ = request.environ
    wanted = environ.get("HTTP_IF_NONE_MATCH")
    if wanted and _matches(wanted, tag):
        add(headers)
        return _Encoded(status=304)
    encoding = "identity" if media == PARQUET else chosen(environ.get("HTTP_ACCEPT_ENCODING", ""))
    if encoding == "identity":
        add(headers)
        return _Encoded(prepared.body, content_type=media)
    add([*headers, ("Content-Encoding", encoding)])
    return _Encoded(getattr(prepared, encoding), content_type=media)


def _matches(header: str, tag: str) -> bool:
    """Whether an If-None-Match header names `tag`, by the weak comparison of RFC 9110."""
    if header in (tag, "*"):
        return True
    opaque = tag.removeprefix("W/")
    return any(candidate.strip().removeprefix("W/") == opaque for candidate in header.split(","))


@lru_cache(maxsize=256)
def chosen(accepted: str) -> str:
    """The encoding that an Accept-Encoding header prefers; at equal preference zstd comes before gzip.

    A forbidden identity is sent all the same when nothing else is accepted either (RFC 9110, 12.5.3).
    """
    weights = dict(_weight(part) for part in accepted.lower().split(",") if part.strip())
    preferences = {name: weights.get(name, weights.get("*", 0.0)) for name in ENCODINGS}
    best = max(ENCODINGS, key=lambda name: preferences[name])
    return best if preferences[best] > 0 and preferences[best] >= weights.get("identity", 0.0) else "identity"


def _weight(part: str) -> tuple[str, float]:
    name, _, parameter = part.partition(";")
    _, _, quality = parameter.partition("q=")
    try:
        return name.strip(), float(quality) if quality else 1.0
    except ValueError:
        return name.strip(), 0.0
