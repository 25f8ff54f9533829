"""Documents that were serialised, hashed and compressed when they were made, served without further work.

The ETag is weak because one document has three encodings. It is compared here because werkzeug's own comparison
adds half the time of a bare response.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from flask import Response, request

from service.api.headers import add

ENCODINGS = ("zstd", "gzip")


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


def document(prepared: Prepared, *, max_age: int | None, media: str = "application/json") -> Response:
    """The document in an encoding that the caller accepts, or 304 when the caller already has it.

    Caches may keep it for `max_age` seconds, and serve it for as long again while they fetch a new one. None is for
    documents that need a key: no cache may keep them, but the caller may still send their ETag.
    """
    tag = f'W/"{prepared.etag}"'
    policy = "no-store" if max_age is None else f"public, max-age={max_age}, stale-while-revalidate={max_age}"
    headers = [("ETag", tag), ("Cache-Control", policy), ("Vary", "Accept-Encoding")]
    environ = request.environ
    wanted = environ.get("HTTP_IF_NONE_MATCH")
    if wanted and _matches(wanted, tag):
        add(headers)
        return Response(status=304)
    encoding = chosen(environ.get("HTTP_ACCEPT_ENCODING", ""))
    if encoding == "identity":
        add(headers)
        return Response(prepared.body, content_type=media)
    add([*headers, ("Content-Encoding", encoding)])
    return Response(getattr(prepared, encoding), content_type=media)


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
