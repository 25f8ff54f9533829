"""Documents that were serialised, hashed and compressed when they were made, served as they lie.

The ETag is weak because one document has three encodings, and it is compared here: werkzeug's own comparison
costs half of a bare answer again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from flask import Response, request

ENCODINGS = ("zstd", "gzip")


class Prepared(Protocol):
    """A document in its three encodings; `etag` is a digest of `body`. A stored snapshot is one."""

    etag: str
    body: bytes
    gzip: bytes
    zstd: bytes


def document(prepared: Prepared, *, max_age: int | None, media: str = "application/json") -> Response:
    """The document in an encoding the caller takes, or 304 when the caller already has it.

    Caches may keep it for `max_age` seconds, and show it for as long again while they fetch a new one. None is for
    what takes a key to see: no cache may keep it, but its caller may still ask whether it has changed.
    """
    tag = f'W/"{prepared.etag}"'
    kept = "no-store" if max_age is None else f"public, max-age={max_age}, stale-while-revalidate={max_age}"
    headers = [("ETag", tag), ("Cache-Control", kept), ("Vary", "Accept-Encoding")]
    environ = request.environ
    known = environ.get("HTTP_IF_NONE_MATCH")
    if known and _matches(known, tag):
        return Response(status=304, headers=headers)
    encoding = chosen(environ.get("HTTP_ACCEPT_ENCODING", ""))
    if encoding == "identity":
        return Response(prepared.body, headers=headers, content_type=media)
    headers.append(("Content-Encoding", encoding))
    return Response(getattr(prepared, encoding), headers=headers, content_type=media)


def _matches(known: str, tag: str) -> bool:
    """Whether an If-None-Match header names `tag`, by the weak comparison of RFC 9110."""
    if known in (tag, "*"):
        return True
    opaque = tag.removeprefix("W/")
    return any(one.strip().removeprefix("W/") == opaque for one in known.split(","))


@lru_cache(maxsize=256)
def chosen(accepted: str) -> str:
    """The encoding that an Accept-Encoding header likes best, ours first where it likes several as much.

    An identity that is forbidden is sent all the same when nothing else is accepted either (RFC 9110, 12.5.3).
    """
    weights = dict(_weight(part) for part in accepted.lower().split(",") if part.strip())
    likings = {name: weights.get(name, weights.get("*", 0.0)) for name in ENCODINGS}
    best = max(ENCODINGS, key=likings.get)
    return best if likings[best] > 0 and likings[best] >= weights.get("identity", 0.0) else "identity"


def _weight(part: str) -> tuple[str, float]:
    name, _, parameter = part.partition(";")
    _, _, quality = parameter.partition("q=")
    try:
        return name.strip(), float(quality) if quality else 1.0
    except ValueError:
        return name.strip(), 0.0
