"""The OpenAPI 3.1 document, derived from the registered operations and nothing else."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Flask
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core.core_schema import DataclassField, ModelField, TypedDictField

from service import errors
from service.api import idempotency, openapi_texts
from service.api.auth import END_USER, END_USER_HEADER, KEY_HEADER
from service.api.errors import FAULT, HTTP, MEDIA_TYPE, Problem, status_of
from service.api.limits import LIMITS
from service.api.openapi_texts import DESCRIPTION, HEADERS, NAME, ORIGIN, PATH_PARAMETERS, TAGS, VERSION, SampleCall
from service.api.operations import OPERATION, Operation
from service.errors import NinefoldError

# Captured answers, one file per operation: `make examples` writes them.
EXAMPLES = Path(__file__).parent / "examples"
REF = "#/components/schemas/{model}"
SECURITY_SCHEMES = {"ApiKey": {"type": "apiKey", "in": "header", "name": KEY_HEADER}}
SECURITY = {"required": [{"ApiKey": []}], "welcome": [{}, {"ApiKey": []}], "unused": []}
END_USER_PARAMETER = {
    "name": END_USER_HEADER,
    "description": "the end user on whose behalf a delegating key calls; ignored for any other key",
    "schema": {"type": "string", "pattern": f"^{END_USER.pattern}$"},
}
# The tags of what is computed from prices, and so refused while the price history arrives.
PRICE_TAGS = frozenset({"Oracle", "Market", "Predictions", "Challenges", "Strategies", "Bot Battle", "Intelligence"})

FIELD_TEXTS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("field_descriptions.toml").read_text(encoding="utf-8")
)
INSTANTS, FIELDS = FIELD_TEXTS["instants"], FIELD_TEXTS["fields"]
# What a sentence says of null, which is left out where a field is never null.
ABOUT_NULL = re.compile("[;,] null[^;]*")
NULL = {"type": "null"}


class Route(NamedTuple):
    """An operation and the address it answers at, with `{name}` for what varies in it."""

    method: str
    path: str
    id: str
    operation: Operation


class Shapes(GenerateJsonSchema):
    """JSON Schema without titles; a response has every field, null where a value is unknown."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False

    def normalize_name(self, name: str) -> str:
        """A class that shares its name with another is prefixed with its file: `BattleSummary`."""
        *_, file, class_name = ("", *name.split("."))
        return super().normalize_name(file.title().replace("_", "") + class_name)

    def field_is_required(self, field: ModelField | DataclassField | TypedDictField, total: bool) -> bool:
        return self.mode == "serialization" or super().field_is_required(field, total)


def routes(app: Flask) -> list[Route]:
    operations = []
    for rule in app.url_map.iter_rules():
        if operation := getattr(app.view_functions[rule.endpoint], OPERATION, None):
            path = re.sub(r"<(?:[^:>]+:)?([^>]+)>", r"{\1}", rule.rule)
            (method,) = (rule.methods or set()) - {"HEAD", "OPTIONS"}
            operations.append(Route(method, path, rule.endpoint.replace(".", "_"), operation))
    return operations


def describe(routes: list[Route]) -> dict[str, Any]:
    shapes, schemas = _schemas([route.operation for route in routes])
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, shapes)
    refusals_by_name = {name: refusal for route in routes for name, refusal in _refusals(route).items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": NAME, "version": VERSION, "description": DESCRIPTION},
        "servers": [{"url": "/"}],
        "tags": [
            {"name": tag} | ({"description": TAGS[tag]} if tag in TAGS else {})
            for tag in dict.fromkeys(route.operation.tag for route in routes)
        ],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": dict(sorted(refusals_by_name.items())),
            "headers": {
                name: {"description": sentence, "schema": {"type": kind}}
                for headers in HEADERS.values()
                for name, (kind, sentence) in headers.items()
            },
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def parameters(route: Route) -> Iterator[dict[str, Any]]:
    operation = route.operation
    for name in re.findall(r"{(\w+)}", route.path):
        parameter = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        sentence, example = PATH_PARAMETERS.get(name, ("", ""))
        yield parameter | ({"description": sentence, "example": example} if sentence else {})
    if operation.query:
        schema = shape(operation.query)
        for name, field in schema["properties"].items():
            yield _in_query(name, field, is_required=name in schema.get("required", ()))
    headers = [idempotency.PARAMETER] if route.method != "GET" else []
    headers += [END_USER_PARAMETER] if operation.key != "unused" else []
    for header in (*headers, *operation.headers):
        yield {"in": "header", "required": False, **header}


def _in_query(name: str, schema: dict[str, Any], *, is_required: bool) -> dict[str, Any]:
    """A query parameter. A query cannot express null, so an optional parameter is left out instead."""
    rest = {key: value for key, value in schema.items() if key != "description"}
    if rest.get("default", ...) is None:
        (variant,) = (option for option in rest.pop("anyOf") if option != {"type": "null"})
        rest = variant | {key: value for key, value in rest.items() if key != "default"}
    description = {key: schema[key] for key in ("description",) if key in schema}
    return {"name": name, "in": "query", "required": is_required, **description, "schema": rest}


def shape(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(schema_generator=Shapes)


def refusals(route: Route) -> dict[int, dict[str, str]]:
    """The refusals of a route: status -> code -> sentence."""
    sentences: dict[int, dict[str, str]] = {}
    for kind in _raised(route):
        sentences.setdefault(status_of(kind), {})[kind.code] = (inspect.getdoc(kind) or "").partition("\n")[0]
    for status in (413, 415) if route.operation.body else ():
        sentences[status] = dict([HTTP[status]])
    sentences[500] = dict([FAULT])
    return dict(sorted(sentences.items()))


def _raised(route: Route) -> Iterator[type[NinefoldError]]:
    operation = route.operation
    yield from operation.raises
    yield errors.InvalidRequest  # an unknown query parameter, wherever else nothing is read
    if operation.key == "required":
        yield errors.MissingKey
    if operation.key != "unused":
        yield errors.InvalidKey
    if operation.body:
        yield errors.CallerBlocked
    if operation.limit:
        yield from LIMITS[operation.limit].refusals
    if route.method != "GET":
        yield errors.RequestConflict
        yield errors.IdempotencyMismatch
    yield errors.ServiceUnavailable
    if operation.tag in PRICE_TAGS or errors.ServiceUnavailable in operation.raises:
        yield errors.HistoryArriving


def _schemas(operations: list[Operation]) -> tuple[dict[object, dict[str, Any]], dict[str, Any]]:
    """The schema of every body and every answer, by what it is of, and the definitions these point to."""
    bodies = {operation.body: TypeAdapter(operation.body) for operation in operations if operation.body}
    answers = {id(operation): operation.returns for operation in operations if operation.returns}
    inputs: list[tuple[Any, JsonSchemaMode, TypeAdapter[Any]]] = [
        (Problem, "serialization", TypeAdapter(Problem)),
        *((key, "validation", adapter) for key, adapter in bodies.items()),
        *((key, "serialization", adapter) for key, adapter in answers.items()),
    ]
    shapes, rest = TypeAdapter.json_schemas(inputs, ref_template=REF, schema_generator=Shapes)
    schemas = rest["$defs"]
    # A problem leaves out what does not belong to its kind.
    schemas["Problem"]["required"] = [name for name, field in Problem.model_fields.items() if field.is_required()]
    complete(schemas)
    return {key: schema for (key, _), schema in shapes.items()}, schemas


def complete(schemas: Mapping[str, dict[str, Any]]) -> None:
    """Give each schema its name as title, each field its description, and each instant its format."""
    for name, schema in schemas.items():
        schema["title"] = name
        texts = FIELD_TEXTS.get(name, {})
        for field, shape in schema.get("properties", {}).items():
            if shape.get("default", ...) is None:
                del shape["default"]  # openapi-typescript would require every field of a body that has a default
            sentence = texts.get(field) or INSTANTS.get(field) or FIELDS.get(field)
            if "description" in shape or sentence is None:
                continue
            shape["description"] = sentence if NULL in shape.get("anyOf", ()) else ABOUT_NULL.sub("", sentence)
            if field in INSTANTS:
                for option in shape.get("anyOf", (shape,)):
                    if option.get("type") == "string":
                        option.setdefault("format", "date-time")


def _operation(route: Route, shapes: Mapping[object, dict[str, Any]]) -> dict[str, Any]:
    operation = route.operation
    description: dict[str, Any] = {
        "operationId": route.id,
        "summary": operation.summary,
        "description": operation.description,
        "tags": [operation.tag],
        "security": SECURITY[operation.key],
        "parameters": list(parameters(route)),
        "responses": _responses(route, shapes),
        "x-codeSamples": openapi_texts.samples(_sample_call(route)),
    }
    if operation.is_deprecated:
        description["deprecated"] = True
    if operation.body:
        # Without an example RapiDoc fills in every field, which some bodies refuse.
        example = {"value": _sample_body(operation.body)}
        content = {"schema": shapes[operation.body], "examples": {"sample": example}}
        description["requestBody"] = {"required": True, "content": {"application/json": content}}
    return description


def _sample_call(route: Route) -> SampleCall:
    operation = route.operation
    url = ORIGIN + re.sub(r"{(\w+)}", lambda name: PATH_PARAMETERS.get(name[1], ("", name[1]))[1], route.path)
    if operation.query and (query := _required_values(shape(operation.query))):
        url += f"?{urlencode(query)}"
    media, body = operation.media if operation.returns else None, operation.body and _sample_body(operation.body)
    return SampleCall(route.method, url, operation.key == "required", body, media)


def _sample_body(model: type[BaseModel]) -> dict[str, Any]:
    """The required fields of a body; where none is required, the first field."""
    schema = shape(model)
    first, field = next(iter(schema["properties"].items()))
    return _required_values(schema) or {first: _first_value(field)}


def _required_values(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The required fields of an input by their first example or option."""
    return {name: _first_value(schema["properties"][name]) for name in schema.get("required", ())}


def _first_value(field: Mapping[str, Any]) -> Any:
    options = [field, *field.get("anyOf", ())]
    return next((value for option in options for value in option.get("examples", option.get("enum", ()))), None)


def _responses(route: Route, shapes: Mapping[object, dict[str, Any]]) -> dict[str, Any]:
    operation = route.operation
    headers = (HEADERS["limit"] if operation.limit else {}) | (HEADERS["cache"] if operation.is_cached else {})
    headers |= HEADERS["deprecation"] if operation.is_deprecated else {}
    if operation.query and "limit" in operation.query.model_fields:
        headers |= HEADERS["page"]
    answer: dict[str, Any] = {"description": HTTPStatus(operation.status).phrase, "headers": _headers(headers)}
    if operation.returns:
        answer["content"] = _content(route, shapes[id(operation)])
    responses = {str(operation.status): answer}
    if operation.is_cached:
        responses["304"] = {"description": "The caller's copy is still current", "headers": _headers(headers)}
    references = {name[:3]: {"$ref": f"#/components/responses/{name}"} for name in _refusals(route)}
    return responses | references


def _refusals(route: Route) -> dict[str, dict[str, Any]]:
    """The refusals of a route by names that begin with the status; those with the same name are the same."""
    limits = HEADERS["limit"] if route.operation.limit else {}
    return {
        "-".join((str(status), *codes, *(("limited",) if limits else ()))): _refusal(status, codes, limits)
        for status, codes in refusals(route).items()
    }


def _content(route: Route, schema: dict[str, Any]) -> dict[str, Any]:
    content = {route.operation.media: {"schema": schema}}
    if example := _captured(route.id):
        # RapiDoc does not show the `example` that OpenAPI has for a single one.
        content[route.operation.media]["examples"] = {"answer": {"value": example}}
    for media, sentence in route.operation.alternatives.items():
        form = {} if media.startswith("text/") else {"format": "binary"}
        content[media] = {"schema": {"type": "string", **form, "description": sentence}}
    return content


def _captured(operation_id: str) -> Any:
    """The answer that was captured of an operation, None where none was."""
    document, table = (EXAMPLES / f"{operation_id}.{suffix}" for suffix in ("json", "csv"))
    if document.exists():
        return json.loads(document.read_text(encoding="utf-8"))
    return table.read_text(encoding="utf-8") if table.exists() else None


def _refusal(status: int, codes: dict[str, str], limits: Mapping[str, object]) -> dict[str, Any]:
    headers = {**limits} | (HEADERS["retry"] if status in (429, 503) else {})
    problems = {code: Problem.of(status, code, text, request_id="5f0c2a9be41d7c36") for code, text in codes.items()}
    examples = {code: {"value": body.model_dump(mode="json", exclude_none=True)} for code, body in problems.items()}
    content = {MEDIA_TYPE: {"schema": {"$ref": REF.format(model="Problem")}, "examples": examples}}
    return {"description": HTTPStatus(status).phrase, "headers": _headers(headers), "content": content}


def _headers(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
