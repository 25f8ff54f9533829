"""Frames follow their schemas: a key names one row, dtypes do not depend on the rows, in every state of the world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebooks.widgets import frames
from notebooks.widgets.frames.forecasters import FORECASTERS
from notebooks.widgets.frames.ledger import LEDGER, LEDGER_ODDS, LEDGER_OUTCOMES, LEDGER_VOTES
from notebooks.widgets.frames.predictions import MARKET_SERIES
from notebooks.widgets.frames.schema import COUNT, FLAG, INSTANT, NUMBER, OPTIONAL_FLAG, TEXT, FrameSchema, one_of
from service.jobs.committing import withdraw_texts
from service.market.instants import HOUR, utc
from tests.notebooks.conftest import STATES, client_of, documents_of
from tests.notebooks.widgets.frames.frame_cases import CASES, dtypes, dtypes_of
from tests.running_service import RunningService

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
TOPIC = "Will China ban bitcoin?"
# What names a row of a frame of instants beside its instant.
KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("lane_history", "lane_equity"), ("lane",)),
    **dict.fromkeys(("lane_events", "lane_event_pages"), ("lane", "kind", "subject", "note")),
    "strategy_trades": ("asset", "side", "opened_at"),
    "cumulative_brier": ("backfilled", "n"),
    "shadow_curve": ("backfilled", "pnl_usd"),
    "fund_equity": ("backfilled",),
    "fund_trades": ("side",),
    "apex_call_layers": ("layer",),
    **dict.fromkeys(("headlines", "headline_pages"), ("title", "source")),
    "market_series": ("source",),
}
# A row that a later one corrects stays: the key is that of the rows that stand.
OF_LEDGER = {"ledger": LEDGER, "ledger_votes": LEDGER_VOTES}
OF_LEDGER |= {"ledger_odds": LEDGER_ODDS, "ledger_outcomes": LEDGER_OUTCOMES}


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
def test_every_value_is_kept(rows: list[dict[str, Any]]):
    """Dtypes do not depend on the rows."""
    frame, no_rows = WEATHERS.frame(rows), WEATHERS.frame([])
    assert frame.dtypes.to_dict() == no_rows.dtypes.to_dict() == WEATHERS.columns
    assert frame.index.dtype == no_rows.index.dtype == pd.Series(dtype=TEXT).dtype  # an object before pandas 3
    frame = WEATHERS.frame(rows)
    assert list(frame.index) == [row["station"] for row in rows]
    for name in ("warmth", "drops", "real", "wet", "weather"):
        assert [None if pd.isna(cell) else cell for cell in frame[name]] == [row[name] for row in rows]
    instants = [None if pd.isna(cell) else f"{cell.tz_localize(None).isoformat()}Z" for cell in frame["seen_at"]]
    assert instants == [row["seen_at"] for row in rows]


def test_an_unknown_word_is_appended_to_the_categories():
    """A missing value would hide it. A shared value is in every row; seconds are instants."""
    frame = WEATHERS.frame([row(weather="rain"), row(weather="snow"), row()])
    assert list(frame["weather"].cat.categories) == ["sun", "rain", "snow"]
    assert list(frame["weather"].dropna()) == ["rain", "snow"]
    assert list(WEATHERS.frame([row(), row()], weather="rain")["weather"]) == ["rain", "rain"]
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    instants = WEATHERS.frame([row(seen_at=int(noon.timestamp())), row()])["seen_at"]
    assert instants.dtype == INSTANT
    assert instants.iloc[0] == noon
    assert pd.isna(instants.iloc[1])


def test_a_missing_flag_or_field_is_refused():
    """As False a flag would let a simulated number pass for a real one."""
    with pytest.raises(ValueError, match="NaN"):
        WEATHERS.frame([row(real=None)])
    incomplete = row()
    del incomplete["warmth"]
    with pytest.raises(KeyError, match="warmth"):
        WEATHERS.frame([incomplete])


@pytest.fixture(scope="module", params=STATES)
def state(request, service_in) -> Iterator[RunningService]:
    """The service in a state; the later one was started again with resolved and void markets and live bars."""
    with service_in(request.param) as service:
        if request.param == "later":
            void_market(service)
        yield service


def void_market(service: RunningService) -> None:
    """Withdraw the text of a question that only its text could decide."""
    with client_of(service) as client:
        number = client.create_challenge(TOPIC, f"{utc(service.wall).date() + pd.Timedelta(days=9)}")["number"]
    with service.runtime.database.writing() as db:
        withdraw_texts(db, [f"challenge-{number}"], int(service.wall))
    service.move(HOUR)


@pytest.fixture(scope="module")
def state_documents(state: RunningService) -> dict[str, Any]:
    with client_of(state) as client:
        return documents_of(client)


def built(name: str, documents: dict[str, Any]) -> tuple[pd.DataFrame, FrameSchema]:
    if name in CASES:
        return CASES[name].function(documents[CASES[name].document]), CASES[name].schema
    world = documents["widget"]["world"]
    if name in OF_LEDGER:
        return getattr(frames, name)(map(json.loads, documents["export_ledger"]), world), OF_LEDGER[name]
    if name == "forecasters":
        return frames.forecasters(documents[name]), FORECASTERS
    return frames.market_series(documents["prediction"], world), MARKET_SERIES


@pytest.mark.parametrize("name", [*CASES, *OF_LEDGER, "forecasters", "market_series"])
def test_a_key_names_one_row(name: str, state_documents: dict[str, Any]):
    """Where a frame is of instants, its instant with what it is of."""
    frame, schema = built(name, state_documents)
    assert dtypes(frame) == dtypes_of(schema)
    standing = frame[~frame["corrected"]] if "corrected" in frame else frame
    key = [*schema.index, *KEYS.get(name, ())]
    again = standing.reset_index().loc[lambda rows: rows.duplicated(key, keep=False)]
    assert again.empty, again.to_string()
