"""The dtypes of a frame do not depend on its rows, and every value survives."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebooks.widgets.frames.schema import COUNT, FLAG, INSTANT, NUMBER, OPTIONAL_FLAG, TEXT, FrameSchema, one_of

WEATHER = one_of("sun", "rain")
WEATHERS = FrameSchema(
    {"station": TEXT},
    {"seen_at": INSTANT, "warmth": NUMBER, "drops": COUNT, "real": FLAG, "wet": OPTIONAL_FLAG, "weather": WEATHER},
)
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(lambda instant: instant.replace(microsecond=0))
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "station": st.text(st.characters(codec="utf-8")),
            "seen_at": st.none() | INSTANTS.map(lambda instant: f"{instant.isoformat()}Z"),
            "warmth": st.none() | st.floats(allow_nan=False) | st.integers(-(2**53), 2**53),
            "drops": st.none() | st.integers(-(2**63), 2**63 - 1),
            "real": st.booleans(),
            "wet": st.none() | st.booleans(),
            "weather": st.sampled_from([None, "sun", "rain"]),
            "colour": st.integers(),
        }
    )
)


def row(**parts: Any) -> dict[str, Any]:
    fields = {"station": "a", "seen_at": None, "warmth": None, "drops": None, "real": True, "wet": None}
    return fields | {"weather": None} | parts


def test_a_schema_can_be_written_as_text():
    """A name alone is a number, `a|b` is a closed vocabulary, and an unknown type is an error at import."""
    text = "seen_at:time warmth drops:count real:flag wet:maybe weather:sun|rain"
    assert FrameSchema.of("station:text", text) == WEATHERS
    assert FrameSchema.of("station:text", f"{text} weather", weather=WEATHER) == WEATHERS
    with pytest.raises(KeyError):
        FrameSchema.of("station:txt", "")


@given(rows=ROWS)
def test_dtypes_do_not_depend_on_the_rows(rows: list[dict[str, Any]]):
    frame, no_rows = WEATHERS.frame(rows), WEATHERS.frame([])
    assert frame.dtypes.to_dict() == no_rows.dtypes.to_dict() == WEATHERS.columns
    assert frame.index.dtype == no_rows.index.dtype == pd.Series(dtype=TEXT).dtype  # an object before pandas 3


@given(rows=ROWS)
def test_every_value_is_kept(rows: list[dict[str, Any]]):
    frame = WEATHERS.frame(rows)
    assert list(frame.index) == [row["station"] for row in rows]
    for name in ("warmth", "drops", "real", "wet", "weather"):
        assert [None if pd.isna(cell) else cell for cell in frame[name]] == [row[name] for row in rows]
    instants = [None if pd.isna(cell) else f"{cell.tz_localize(None).isoformat()}Z" for cell in frame["seen_at"]]
    assert instants == [row["seen_at"] for row in rows]


def test_a_shared_value_is_in_every_row():
    assert list(WEATHERS.frame([row(), row()], weather="rain")["weather"]) == ["rain", "rain"]


def test_unix_seconds_become_instants():
    """The body of a ledger row has seconds, the API has ISO 8601."""
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    instants = WEATHERS.frame([row(seen_at=int(noon.timestamp())), row()])["seen_at"]
    assert instants.dtype == INSTANT
    assert instants.iloc[0] == noon
    assert pd.isna(instants.iloc[1])


def test_an_unknown_word_is_appended_to_the_categories():
    """A newer service may use a new word; a missing value would hide it."""
    frame = WEATHERS.frame([row(weather="rain"), row(weather="snow"), row()])
    assert list(frame["weather"].cat.categories) == ["sun", "rain", "snow"]
    assert list(frame["weather"].dropna()) == ["rain", "snow"]


def test_a_missing_flag_is_refused():
    """As False it would let a simulated number pass for a real one."""
    with pytest.raises(ValueError, match="NaN"):
        WEATHERS.frame([row(real=None)])


def test_a_missing_field_is_refused():
    incomplete = row()
    del incomplete["warmth"]
    with pytest.raises(KeyError, match="warmth"):
        WEATHERS.frame([incomplete])
