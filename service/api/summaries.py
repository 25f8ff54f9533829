"""The two short descriptions: OpenAPI without response schemas, and the plain list of version 1.0."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from service.api.auth import KEY_HEADER
from service.api.limits import LIMITS
from service.api.openapi import SECURITY, SECURITY_SCHEMES, Route, parameters, refusals, shape
from service.api.openapi_texts import DESCRIPTION, NAME, VERSION

LEGACY_VERSION = "1.0"


def lite(routes: Iterable[Route]) -> dict[str, Any]:
    """The OpenAPI-lite document: operations, their inputs and their refusals."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _brief(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{NAME} (OpenAPI-lite)", "version": VERSION, "description": DESCRIPTION},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"securitySchemes": SECURITY_SCHEMES},
    }


def legacy(routes: Iterable[Route]) -> dict[str, Any]:
    """The JSON documentation of version 1.0: one row per endpoint."""
    return {
        "name": NAME,
        "version": LEGACY_VERSION,
        "description": DESCRIPTION,
        "authentication": {"type": "apiKey", "in": "header", "name": KEY_HEADER, "from": "POST /api/v1/register"},
        "endpoints": [_row(route) for route in routes],
        "links": {"openapi": "/api/openapi.json", "openapi_lite": "/api/openapi-lite.json", "page": "/docs"},
    }


def _brief(route: Route) -> dict[str, Any]:
    operation = route.operation
    answers = {operation.status: HTTPStatus(operation.status).phrase}
    answers |= {status: ", ".join(codes) for status, codes in refusals(operation).items()}
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
    return description


def _row(route: Route) -> dict[str, Any]:
    operation = route.operation
    return {
        "method": route.method,
        "path": route.path,
        "description": operation.summary,
        "auth": {"required": "key", "welcome": "key or none", "unused": "none"}[operation.key],
        "parameters": [parameter["name"] for parameter in parameters(route)],
        "body": list(operation.body.model_fields) if operation.body else [],
        "limit": _limit(operation.limit),
        "answers": operation.media,
        "refusals": sorted(code for codes in refusals(operation).values() for code in codes),
    }


def _limit(name: str | None) -> str | None:
    if name is None:
        return None
    return LIMITS[name].summary
