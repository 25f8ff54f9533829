"""Headers of every answer: the id of its request, what a browser may do with it, and what a view or hook adds here.

They are added around the application: werkzeug checks and copies each header of a response that it knows of, and
for an answer of ready bytes ten of them would take a third of the time of a bare answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from random import getrandbits
from typing import TYPE_CHECKING, Any

from flask import Flask

from service import logs

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
ALWAYS = [("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer")]
# Unless it says otherwise, an answer is for its caller alone, and a page in it may load nothing.
DEFAULTS = [
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
]

# Pages of any origin may call the API, with a key too: a key travels in a header that the page itself sets, never in a
# cookie, so a browser adds nothing of its user. A preflight request is answered here, for addresses that do not exist
# too: the page can then read the refusal of its request.
API = "/api/"
READABLE = (
    "RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, "
    "ETag, Link, Content-Disposition, Idempotent-Replayed, WWW-Authenticate, X-Request-ID"
)
CROSS_ORIGIN = [("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", READABLE)]
PREFLIGHT = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE"),
    ("Access-Control-Allow-Headers", "*"),
    ("Access-Control-Max-Age", "86400"),
]

Headers = list[tuple[str, str]]

_added: ContextVar[Headers] = ContextVar("added_headers")


def register(app: Flask) -> None:
    """Give every request of `app` an id, and every answer its headers."""
    inner = app.wsgi_app

    def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_api = environ.get("PATH_INFO", "").startswith(API)
        if is_api and environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ:
            start_response("204 No Content", PREFLIGHT)
            return ()
        id, added = request_id(environ.get("HTTP_X_REQUEST_ID")), []
        logs.request_id.set(id)
        _added.set(added)

        def start(status: str, headers: Headers, *exc_info: Any) -> Callable[[bytes], object]:
            headers = [*headers, *added]
            headers += [*_missing(headers), *ALWAYS, *(CROSS_ORIGIN if is_api else ()), ("X-Request-ID", id)]
            return start_response(status, headers, *exc_info)

        return inner(environ, start)

    app.wsgi_app = wsgi_app


def add(headers: Headers) -> None:
    """Add headers to the answer of this request, whatever its status becomes."""
    _added.get().extend(headers)


def discard() -> None:
    """Drop what was added so far: it belonged to an answer that is not sent."""
    _added.get().clear()


def request_id(sent: str | None) -> str:
    """A caller's own id if it is short and plain, so that it can be found in two logs; else a new one.

    It needs no secrecy, and the kernel's random bytes would let another thread interrupt each request.
    """
    return sent if sent and REQUEST_ID.fullmatch(sent) else f"{getrandbits(64):016x}"


def _missing(headers: Headers) -> Headers:
    names = {name for name, _ in headers}
    return [header for header in DEFAULTS if header[0] not in names]
