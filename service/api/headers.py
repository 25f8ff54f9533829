"""Headers of every answer: the id of its request, what a browser may do with it, and what a view or hook adds here.

They are added around the application: werkzeug checks and copies each header of a response that it knows of, and
for an answer of ready bytes ten of them would take a third of the time of a bare answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import getrandbits
from typing import TYPE_CHECKING, Any

from flask import Flask, request

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

# What a page of any origin may read, refusals included. Everything else is for pages of this host.
EMBEDDABLE = "/api/widget/"
CROSS_ORIGIN = [("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", "*")]
PREFLIGHT = [
    ("Access-Control-Allow-Methods", "GET"),
    ("Access-Control-Allow-Headers", "*"),
    ("Access-Control-Max-Age", "86400"),
]

Headers = list[tuple[str, str]]

_ADDED = "ninefold.headers"


def register(app: Flask) -> None:
    """Give every request of `app` an id, and every answer its headers."""
    inner = app.wsgi_app

    def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        id = request_id(environ.get("HTTP_X_REQUEST_ID"))
        logs.request_id.set(id)

        def start(status: str, headers: Headers, *exc_info: Any) -> Callable[[bytes], object]:
            headers = [*headers, *environ.get(_ADDED, ())]
            headers += [*_missing(headers), *ALWAYS, *_cross_origin(environ), ("X-Request-ID", id)]
            return start_response(status, headers, *exc_info)

        return inner(environ, start)

    app.wsgi_app = wsgi_app


def add(headers: Headers) -> None:
    """Add headers to the answer of this request, whatever its status becomes."""
    request.environ.setdefault(_ADDED, []).extend(headers)


def request_id(sent: str | None) -> str:
    """A caller's own id if it is short and plain, so that it can be found in two logs; else a new one.

    It needs no secrecy, and the kernel's random bytes would let another thread interrupt each request.
    """
    return sent if sent and REQUEST_ID.fullmatch(sent) else f"{getrandbits(64):016x}"


def _missing(headers: Headers) -> Headers:
    names = {name for name, _ in headers}
    return [header for header in DEFAULTS if header[0] not in names]


def _cross_origin(environ: WSGIEnvironment) -> Headers:
    """What lets a page of another origin read the answer, where that is allowed."""
    if not environ.get("PATH_INFO", "").startswith(EMBEDDABLE):
        return []
    return CROSS_ORIGIN + PREFLIGHT if environ["REQUEST_METHOD"] == "OPTIONS" else CROSS_ORIGIN
