"""The canonical text of JSON, over which hashes are computed: one value has one text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service import canonical

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


def test_keys_are_sorted_and_nothing_is_escaped_or_padded():
    assert canonical.write({"b": [1, 2.5, None], "a": {"é": "ü\n", "Z": True}}) == (
        '{"a":{"Z":true,"é":"ü\\n"},"b":[1,2.5,null]}'
    )


@given(VALUES)
def test_a_value_survives_and_its_text_is_written_again(value):
    text = canonical.write(value)
    assert canonical.read(text) == value
    assert canonical.write(canonical.read(text)) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_keys_does_not_matter(value):
    assert canonical.write(dict(reversed(value.items()))) == canonical.write(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]])
def test_no_text_holds_a_nan_or_an_infinity(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical.write(value)
