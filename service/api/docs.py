"""The API's own documentation: three documents and a page, all derived from the registered operations.

They are built for the first reader and kept, and served as bytes like any other document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app

from service.api import openapi
from service.api.auth import KEY_HEADER
from service.api.limits import LIMITS
from service.api.openapi import SECURITY, SECURITY_SCHEMES, Route, parameters, refusals, shape
from service.api.openapi_texts import DESCRIPTION, LINKS, NAME, VERSION
from service.api.operations import operation
from service.api.responses import HOUR_S, STATIC, document, static_file
from service.store.snapshots import Snapshot, make_snapshot

docs = Blueprint("docs", __name__)

# Of this package only the script is used; its code is not imported.
RAPIDOC = distribution("flask-openapi3-rapidoc")
SCRIPT = Path(str(RAPIDOC.locate_file("flask_openapi3_rapidoc/templates/rapidoc/js/rapidoc-min.js")))
MONTH_S = 30 * 86400
# The page loads its script and the description from this service, and nothing from another host.
PAGE_LOADS = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class ApiIndex:
    """Where to begin: the version of the API, and the addresses of its descriptions and of its main documents."""

    name: str
    version: str
    links: dict[str, str]


@docs.get("/api/v1")
@operation(tag="Documentation", limit="descriptions")
def index() -> ApiIndex:
    """The addresses to begin with: descriptions of the API, its policy and changes, and its main documents."""
    return ApiIndex(NAME, VERSION, LINKS)


@docs.get("/api/v1/docs")
@operation(tag="Documentation", limit="descriptions", returns=dict[str, Any], is_cached=True, is_deprecated=True)
def legacy() -> Response:
    """The public API as plain JSON, version 1.0. Kept for existing clients; new ones use /api/openapi.json."""
    return document(_described("legacy"), max_age=HOUR_S)


@docs.get("/api/openapi-lite.json")
@operation(tag="Documentation", limit="descriptions", returns=dict[str, Any], is_cached=True)
def lite() -> Response:
    """The OpenAPI description without response schemas."""
    return document(_described("lite"), max_age=HOUR_S)


docs.add_url_rule("/api/v1/openapi-lite.json", endpoint="lite_alias", view_func=lite)


@docs.get("/api/openapi.json")
@operation(tag="Documentation", limit="descriptions", returns=dict[str, Any], is_cached=True)
def full() -> Response:
    """The complete OpenAPI 3.1 description."""
    return document(_described("full"), max_age=HOUR_S)


@docs.get("/docs")
@operation(tag="Documentation", limit="descriptions", returns=str, media="text/html", is_cached=True)
def page() -> Response:
    """The documentation as a page where each endpoint can be tried. It loads nothing from another host."""
    return static_file(STATIC / "docs.html", HOUR_S, PAGE_LOADS)


@docs.get(f"/docs/rapidoc-{RAPIDOC.version}.js")
@LIMITS["descriptions"]
def script() -> Response:
    """The script of the page. It is not part of the API, so the OpenAPI document does not list it."""
    return static_file(SCRIPT, MONTH_S)


def _described(name: str) -> Snapshot:
    documents: dict[str, Snapshot] = current_app.extensions.setdefault("ninefold-docs", {})
    if name not in documents:
        description = DESCRIPTIONS[name](openapi.routes(current_app))
        documents[name] = make_snapshot(name, 0, json.dumps(description, ensure_ascii=False, allow_nan=False).encode())
    return documents[name]


def describe_lite(routes: Iterable[Route]) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        operation = route.operation
        answers = {operation.status: HTTPStatus(operation.status).phrase}
        answers |= {status: ", ".join(codes) for status, codes in refusals(route).items()}
        description: dict[str, Any] = {
            "operationId": route.id,
            "summary": operation.summary,
            "security": SECURITY[operation.key],
            "parameters": list(parameters(route)),
            "responses": {str(status): {"description": sentence} for status, sentence in answers.items()},
        }
        if operation.body:
            content = {"application/json": {"schema": shape(operation.body)}}
            description["requestBody"] = {"required": True, "content": content}
        paths.setdefault(route.path, {})[route.method.lower()] = description
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{NAME} (OpenAPI-lite)", "version": VERSION, "description": DESCRIPTION},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"securitySchemes": SECURITY_SCHEMES},
    }


def describe_legacy(routes: Iterable[Route]) -> dict[str, Any]:
    return {
        "name": NAME,
        "version": "1.0",
        "description": DESCRIPTION,
        "authentication": {"type": "apiKey", "in": "header", "name": KEY_HEADER, "from": "POST /api/v1/register"},
        "endpoints": [
            {
                "method": route.method,
                "path": route.path,
                "description": route.operation.summary,
                "auth": {"required": "key", "welcome": "key or none", "unused": "none"}[route.operation.key],
                "parameters": [parameter["name"] for parameter in parameters(route)],
                "body": list(route.operation.body.model_fields) if route.operation.body else [],
                "limit": LIMITS[route.operation.limit].summary if route.operation.limit else None,
                "answers": route.operation.media,
                "refusals": sorted(code for codes in refusals(route).values() for code in codes),
            }
            for route in routes
        ],
        "links": {"openapi": "/api/openapi.json", "openapi_lite": "/api/openapi-lite.json", "page": "/docs"},
    }


DESCRIPTIONS = {"full": openapi.describe, "lite": describe_lite, "legacy": describe_legacy}
