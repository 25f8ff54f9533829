"""What every answer carries: the id of the request, and what a browser may do with the answer.

It wraps the whole application instead of hooking into it: werkzeug checks and copies every header that a hook
sets, and on an answer of ready bytes that would cost as much as the answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from flask import Flask

from service import logs

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
ALWAYS = [("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer")]
# An answer that says nothing else is for its caller alone, and a page in it may load nothing.
UNLESS_SAID = [
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
]

# What a page of any origin may read, refusals and all. Everything else stays with the pages of this host.
EMBEDDABLE = "/api/widget/"
CROSS_ORIGIN = [("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", "*")]
PREFLIGHT = [
    ("Access-Control-Allow-Methods", "GET"),
    ("Access-Control-Allow-Headers", "*"),
    ("Access-Control-Max-Age", "86400"),
]

Headers = list[tuple[str, str]]


def register(app: Flask) -> None:
    """Make `app` name every request and close every answer."""
    inner = app.wsgi_app

    def wsgi_app(environ: dict, start_response: Callable) -> Iterable[bytes]:
        named = request_id(environ.get("HTTP_X_REQUEST_ID"))
        logs.request_id.set(named)

        def start(status: str, headers: Headers, *exc_info) -> Callable:
            closing = [*_closing(headers), *_cross_origin(environ), ("X-Request-ID", named)]
            return start_response(status, [*headers, *closing], *exc_info)

        return inner(environ, start)

    app.wsgi_app = wsgi_app


def request_id(given: str | None) -> str:
    """A caller's own id when it is short and plain, so that it can be found in two logs; else a new one."""
    return given if given and REQUEST_ID.fullmatch(given) else os.urandom(8).hex()


def _closing(headers: Headers) -> Headers:
    said = {name for name, _ in headers}
    return ALWAYS + [one for one in UNLESS_SAID if one[0] not in said]


def _cross_origin(environ: dict) -> Headers:
    """What lets another origin's page read the answer, where it may."""
    if not environ.get("PATH_INFO", "").startswith(EMBEDDABLE):
        return []
    return CROSS_ORIGIN + PREFLIGHT if environ["REQUEST_METHOD"] == "OPTIONS" else CROSS_ORIGIN
