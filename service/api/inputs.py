"""Reading what a caller sent: first bounded and checked for form, then validated.

A body is one JSON object of at most 16 KiB and 16 levels, in UTF-8. Control characters and lone surrogates
are refused in every text, because they harm terminals, logs and databases. Only a `question` may have line breaks and
tabs, which are read as spaces.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeVar, get_args, get_origin

from flask import request
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WithJsonSchema, model_validator
from pydantic_core import ErrorDetails
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from service.errors import FieldError, InvalidRequest, RequestPart
from service.market.instants import DAY, iso, unix

MAX_BODY_BYTES = 16 * 1024
MAX_DEPTH = 16
MAX_QUERY_BYTES = 2048
MAX_FAULTS = 20

STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
LINES = str.maketrans("\t\r\n", "   ")
DATE = "20[0-9]{2}-[0-9]{2}-[0-9]{2}"
TIME = "T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
INSTANT = re.compile(f"{DATE}({TIME})?")

Model = TypeVar("Model", bound=BaseModel)


def _begin(text: str) -> int:
    """The unix second at which a date or instant begins; without an offset it is UTC."""
    if not INSTANT.fullmatch(text):
        raise ValueError("must be a date or an instant in ISO 8601, such as 2026-11-21 or 2026-11-21T08:00:00Z")
    return unix(text)


def _end(text: str) -> int:
    """The unix second at which an instant is, or at which a date is over."""
    return _begin(text) + (DAY if "T" not in text else 0)


_INSTANT_SCHEMA = WithJsonSchema({"type": "string", "pattern": f"^{INSTANT.pattern}$"})

# The beginning and the end of a window, as unix seconds.
WindowStart = Annotated[int, BeforeValidator(_begin), _INSTANT_SCHEMA]
WindowEnd = Annotated[int, BeforeValidator(_end), _INSTANT_SCHEMA]


def require_order(since: int, until: int) -> None:
    """Raise InvalidRequest if a window of unix seconds ends before it starts."""
    if since > until:
        message = f"must not be after the end, which is {iso(until)}"
        raise InvalidRequest("The window ends before it starts.", [FieldError("since", message, "out_of_range")])


class _Input(BaseModel):
    """What a caller sends; the case of a value that has to be one of a few, which are lower case, does not matter."""

    @model_validator(mode="before")
    @classmethod
    def _ignore_case(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        return {name: _lower(value) if name in _choices(cls) else value for name, value in values.items()}


@cache
def _choices(model: type[BaseModel]) -> frozenset[str]:
    """The names of the fields that allow only some texts, alone, beside None or in a list."""
    return frozenset(name for name, field in model.model_fields.items() if _has_literal(field.annotation))


def _has_literal(annotation: Any) -> bool:
    """Whether a type lists texts, itself or in its parts."""
    return get_origin(annotation) is Literal or any(map(_has_literal, get_args(annotation)))


def _lower(value: Any) -> Any:
    if isinstance(value, list):
        return [_lower(item) for item in value]
    return value.lower() if isinstance(value, str) else value


def split_commas(text: object) -> object:
    """The values of a parameter that stand with commas between them."""
    return text.split(",") if isinstance(text, str) else text


class Body(_Input):
    """A JSON object of a request, with no unknown field and no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Query(_Input):
    """The query of an address; an unknown parameter is refused, not ignored. As it stands, it has no parameters."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def read_body(model: type[Model]) -> Model:
    """The body of this request as `model`; raises InvalidRequest, or a 413 or 415 of werkzeug."""
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    encoding = request.headers.get("Content-Encoding", "identity")
    if request.mimetype != "application/json" or charset not in ("utf-8", "utf8") or encoding != "identity":
        raise UnsupportedMediaType
    raw = request.get_data()
    if len(raw) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    return _validated(model, parse_object(raw), "body")


def read_query(model: type[Model]) -> Model:
    """The query of this request as `model`; raises InvalidRequest."""
    if len(request.query_string) > MAX_QUERY_BYTES:
        raise InvalidRequest(f"A query may have at most {MAX_QUERY_BYTES} bytes.")
    return _validated(model, _without_duplicates(request.args.items(multi=True)), "query")


def parse_object(raw: bytes) -> dict[str, Any]:
    """The JSON object in `raw`; raises InvalidRequest for anything else."""
    if not raw.strip():
        raise InvalidRequest("The body is empty; send a JSON object.")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest("The body is not UTF-8.") from None
    if depth(text) > MAX_DEPTH:
        raise InvalidRequest(f"The body is nested deeper than {MAX_DEPTH} levels.")
    try:
        value = json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InvalidRequest(f"The body is not JSON: {error}.") from None
    except ValueError:
        raise InvalidRequest("The body holds a number of too many digits.") from None
    if not isinstance(value, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return value


def depth(text: str) -> int:
    """The nesting depth of a JSON text, counted without parsing it."""
    deepest = level = 0
    for bracket in re.sub(r"[^][{}]", "", STRING.sub("", text)):
        level += 1 if bracket in "[{" else -1
        deepest = max(deepest, level)
    return deepest


def _validated(model: type[Model], values: Mapping[str, object], place: RequestPart) -> Model:
    faults = [(name, "malformed", "holds a control character or a lone surrogate") for name in _unprintable(values)]
    if not faults:
        try:
            return model.model_validate(values)
        except ValidationError as error:
            faults = [_fault(details, model) for details in error.errors(include_url=False, include_input=False)]
    errors = [FieldError(_shown(name), message, code, place) for name, code, message in faults[:MAX_FAULTS]]
    raise InvalidRequest(f"The {place} is not valid.", errors)


FAULTS: dict[str, tuple[str, str]] = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))


def _fault(details: ErrorDetails, model: type[BaseModel]) -> tuple[str, str, str]:
    """The name of a field, and the code and sentence of what is wrong with it."""
    code, sentence = FAULTS.get(details["type"], ("invalid", "is not valid"))
    context = {"allowed": ", ".join(model.model_fields) or "none"} | details.get("ctx", {})
    if "pattern" in context:
        field, form = model.model_fields.get(str(details["loc"][-1])), f"of the form {context['pattern']}"
        context["form"] = f"like {field.examples[0]}: {field.description}" if field and field.examples else form
    return ".".join(map(str, details["loc"])), code, sentence.format_map(context)


def _unprintable(value: object, name: str = "") -> Iterable[str]:
    """The names of the texts within `value` that contain a forbidden character."""
    if isinstance(value, str) and CONTROL_CHARACTERS.search(value.translate(LINES) if name == "question" else value):
        yield name
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _unprintable(key, name)
            yield from _unprintable(inner, f"{name}.{key}".lstrip("."))


def _without_duplicates(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """The pairs as a dict; a repeated name is refused, because readers differ in which value they take."""
    values: dict[str, object] = {}
    for name, value in pairs:
        if name in values:
            raise InvalidRequest("A name is given twice.", [FieldError(_shown(name), "is given twice", "repeated")])
        values[name] = value
    return values


def _shown(name: str) -> str:
    return CONTROL_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", name)[:100]


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidRequest(f"{name} is not JSON; unknown is null.")
