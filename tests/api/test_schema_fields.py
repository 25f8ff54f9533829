"""Every schema has its name as title, and every field its description."""

from __future__ import annotations

import pytest

from service.api.schema_fields import DESCRIPTIONS, FIELDS, INSTANTS, complete

NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}
INSTANT, FIELD = next(iter(INSTANTS)), next(iter(FIELDS))


def completed(properties: dict, name: str = "A schema of this test") -> dict:
    schemas = {name: {"properties": properties}}
    complete(schemas)
    assert schemas[name]["title"] == name
    return schemas[name]["properties"]


def test_a_field_has_the_description_of_its_name():
    assert completed({FIELD: {"type": "number"}}) == {FIELD: {"type": "number", "description": FIELDS[FIELD]}}


def test_a_schema_may_describe_its_own_field():
    name = next(name for name in DESCRIPTIONS if name not in ("instants", "fields"))
    field, sentence = next(iter(DESCRIPTIONS[name].items()))
    assert completed({field: dict(NULLABLE)}, name)[field]["description"] == sentence


def test_of_a_field_that_is_never_null_no_null_is_mentioned():
    field, sentence = next((field, sentence) for field, sentence in FIELDS.items() if "; null" in sentence)
    assert completed({field: {"type": "string"}})[field]["description"] == sentence.partition("; null")[0]
    assert completed({field: dict(NULLABLE)})[field]["description"] == sentence


@pytest.mark.parametrize("field", [INSTANT, FIELD])
def test_a_written_description_stays(field: str):
    shape = {"type": "string", "description": "Its own."}
    assert completed({field: dict(shape)}) == {field: shape}


def test_an_instant_has_its_format_also_beside_null():
    fields = completed({INSTANT: {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    assert fields[INSTANT]["anyOf"] == [{"type": "string", "format": "date-time"}, {"type": "null"}]


def test_a_default_of_null_is_left_out():
    """Generated clients would otherwise require the field."""
    assert "default" not in completed({FIELD: {"default": None}})[FIELD]
    assert completed({FIELD: {"default": 5}})[FIELD]["default"] == 5
