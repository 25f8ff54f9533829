"""Sends the files of the public pages over HTTP."""

from __future__ import annotations

import socket
from typing import Any

from flask import Flask, Response, request
from waitress.server import create_server

from notebooks.public_pages.markup import HOME
from notebooks.public_pages.publisher import HTML, NOT_FOUND, Site

HOST = "127.0.0.1"
# A browser opens up to six connections and keeps them.
CONNECTIONS, IDLE_S, THREADS = 2000, 30, 4
FINAL_S = 365 * 24 * 3600
# plotly.js writes style sheets into the page; its charts hold pictures as data.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Encoding",
}


def application(site: Site) -> Flask:
    """The WSGI application over a site."""
    app = Flask("public_pages", static_folder=None)

    @app.get("/", defaults={"name": HOME})
    @app.get("/<name>")
    def send(name: str) -> Response:
        file = site.find(name)
        if file is None:
            return _missing(site)
        response = Response(file.body, content_type=file.media_type, headers=HEADERS)
        if request.accept_encodings["gzip"]:
            response.set_data(file.gzip_body)
            response.content_encoding = "gzip"
        response.set_etag(file.etag)
        response.cache_control.no_cache = None if file.is_final else True
        response.cache_control.max_age = FINAL_S if file.is_final else None
        response.cache_control.immutable = file.is_final
        response.make_conditional(request)
        return response

    @app.errorhandler(404)
    def missing(_error: Exception) -> Response:
        return _missing(site)

    return app


def open_server(site: Site, port: int) -> Any:
    """A server that listens on a port of this machine; its `run` serves. Raises OSError if the port is in use."""
    return create_server(
        application(site),
        sockets=[socket.create_server((HOST, port))],
        threads=THREADS,
        connection_limit=CONNECTIONS,
        channel_timeout=IDLE_S,
        asyncore_use_poll=True,
        ident=None,
    )


def _missing(site: Site) -> Response:
    page = site.find(NOT_FOUND)
    return Response(page.body if page else b"", status=404, content_type=HTML, headers=HEADERS)
