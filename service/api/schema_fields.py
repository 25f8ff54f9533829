"""What every schema of the description has beside its types: a title of its own, and what each field means."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DESCRIPTIONS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("field_descriptions.toml").read_text(encoding="utf-8")
)
INSTANTS, FIELDS = DESCRIPTIONS["instants"], DESCRIPTIONS["fields"]
# What a sentence says of null, which is left out where a field is never null.
ABOUT_NULL = re.compile("[;,] null[^;]*")
NULL = {"type": "null"}


def complete(schemas: Mapping[str, dict[str, Any]]) -> None:
    """Give each schema its name as title, each field its description, and each instant its format."""
    for name, schema in schemas.items():
        schema["title"] = name
        own = DESCRIPTIONS.get(name, {})
        for field, shape in schema.get("properties", {}).items():
            if shape.get("default", ...) is None:
                del shape["default"]  # openapi-typescript would require every field of a body that has a default
            _complete(field, shape, own)


def _complete(field: str, shape: dict[str, Any], own: Mapping[str, str]) -> None:
    sentence = own.get(field) or INSTANTS.get(field) or FIELDS.get(field)
    if "description" in shape or sentence is None:
        return
    shape["description"] = sentence if NULL in shape.get("anyOf", ()) else ABOUT_NULL.sub("", sentence)
    if field in INSTANTS:
        for text in _texts(shape):
            text.setdefault("format", "date-time")


def _texts(shape: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The text that a field is, alone or beside null."""
    return (option for option in shape.get("anyOf", (shape,)) if option.get("type") == "string")
