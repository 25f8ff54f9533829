from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebooks.widgets.frames.table import CLAIM, COUNT, INSTANT, MAYBE, NUMBER, TEXT, Table, one_of

WEATHER = one_of("sun", "rain")
WEATHERS = Table(
    {"station": TEXT},
    {"seen_at": INSTANT, "warmth": NUMBER, "drops": COUNT, "real": CLAIM, "wet": MAYBE, "weather": WEATHER},
)
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(lambda one: one.replace(microsecond=0))
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "station": st.text(st.characters(codec="utf-8")),
            "seen_at": st.none() | INSTANTS.map(lambda one: f"{one.isoformat()}Z"),
            "warmth": st.none() | st.floats(allow_nan=False) | st.integers(-(2**53), 2**53),
            "drops": st.none() | st.integers(-(2**63), 2**63 - 1),
            "real": st.booleans(),
            "wet": st.none() | st.booleans(),
            "weather": st.sampled_from([None, "sun", "rain"]),
            "colour": st.integers(),
        }
    )
)


def row(**changed: Any) -> dict[str, Any]:
    told = {"station": "a", "seen_at": None, "warmth": None, "drops": None, "real": True, "wet": None}
    return told | {"weather": None} | changed


@given(rows=ROWS)
def test_dtypes_do_not_depend_on_the_rows(rows: list[dict[str, Any]]):
    frame, none = WEATHERS.frame(rows), WEATHERS.frame([])
    assert frame.dtypes.to_dict() == none.dtypes.to_dict() == WEATHERS.columns
    assert frame.index.dtype == none.index.dtype == WEATHERS.index["station"]


@given(rows=ROWS)
def test_every_value_comes_back_as_it_was_told(rows: list[dict[str, Any]]):
    frame = WEATHERS.frame(rows)
    assert list(frame.index) == [one["station"] for one in rows]
    for name in ("warmth", "drops", "real", "wet", "weather"):
        assert [None if pd.isna(shown) else shown for shown in frame[name]] == [one[name] for one in rows]
    seen = [None if pd.isna(shown) else f"{shown.tz_localize(None).isoformat()}Z" for shown in frame["seen_at"]]
    assert seen == [one["seen_at"] for one in rows]


def test_what_is_shared_stands_in_every_row():
    assert list(WEATHERS.frame([row(), row()], weather="rain")["weather"]) == ["rain", "rain"]


def test_seconds_of_a_ledgers_body_are_the_same_instants_as_the_dates_of_the_api():
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    counted = WEATHERS.frame([row(seen_at=int(noon.timestamp())), row()])["seen_at"]
    assert counted.dtype == INSTANT
    assert counted.iloc[0] == noon
    assert pd.isna(counted.iloc[1])


def test_a_word_outside_the_vocabulary_is_kept_after_the_known_ones():
    """A newer service may say what this version does not know; a hole in the data would hide it."""
    frame = WEATHERS.frame([row(weather="rain"), row(weather="snow"), row()])
    assert list(frame["weather"].cat.categories) == ["sun", "rain", "snow"]
    assert list(frame["weather"].dropna()) == ["rain", "snow"]


def test_a_claim_that_is_not_there_is_refused_where_it_must_be():
    """Taken for False, a simulated number would pass as a real one."""
    with pytest.raises(ValueError, match="NaN"):
        WEATHERS.frame([row(real=None)])


def test_a_field_that_is_not_there_is_refused():
    told = row()
    del told["warmth"]
    with pytest.raises(KeyError, match="warmth"):
        WEATHERS.frame([told])
