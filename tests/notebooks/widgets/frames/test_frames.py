"""Every frame, against the document it is made of."""

from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from typing import Any

import pandas as pd
import pytest

from notebooks import widgets
from notebooks.widgets import frames
from notebooks.widgets.frames.schema import INSTANT
from tests.notebooks.widgets.frames.frame_cases import CASES, FrameCase
from tests.processes import ROOT

LEDGER = {"ledger", "ledger_votes", "ledger_odds", "ledger_outcomes"}

each_frame = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def dtypes(frame: pd.DataFrame) -> dict[str, Any]:
    return {name: str(dtype) for name, dtype in frame.reset_index().dtypes.items()}


def emptied(document: Any) -> Any:
    """The document with empty lists and no votes."""
    if isinstance(document, list):
        return []
    if not isinstance(document, dict):
        return document
    return {name: {} if name in ("votes", "abstained") else emptied(value) for name, value in document.items()}


def grown(document: Any) -> Any:
    """The document with a new field in every object, except in the objects that voters are the keys of."""
    if isinstance(document, list):
        return [grown(element) for element in document]
    if not isinstance(document, dict):
        return document
    by_name = {name: grown(value) for name, value in document.items()}
    return by_name if "momentum" in by_name or not by_name else by_name | {"new_in_2027": [1]}


def is_same(cell: Any, value: Any) -> bool:
    """Whether a cell has the value of the document."""
    if value is None:
        return pd.isna(cell)
    return cell == (pd.Timestamp(value) if isinstance(cell, pd.Timestamp) else value)


def test_every_frame_is_tested_and_documented():
    assert set(frames.__all__) == {*CASES, *LEDGER} - {"challenge_votes"}
    texts = [getattr(frames, name).__doc__ for name in frames.__all__]
    assert all("Parameters\n" in text and "Returns\n" in text and "ndex `" in text for text in texts)


@each_frame
def test_every_cell_has_the_value_of_the_document(case: FrameCase, documents: dict[str, Any]):
    document = documents[case.document]
    rows = case.rows(document)
    frame = case.function(document).reset_index()
    assert len(frame) == len(rows) > 0
    for name in frame:
        for cell, row in zip(frame[name], rows, strict=True):
            expected = case.columns[name](row) if name in case.columns else row[name] if name in row else document[name]
            assert is_same(cell, expected), (name, cell, expected)


@each_frame
def test_a_frame_follows_its_schema(case: FrameCase, documents: dict[str, Any]):
    frame = case.function(documents[case.document])
    assert list(frame.index.names) == list(case.schema.index)
    assert list(frame.columns) == list(case.schema.columns)
    assert dtypes(frame) == {name: str(dtype) for name, dtype in case.schema.dtypes.items()}


@each_frame
def test_a_frame_without_rows_has_the_same_dtypes(case: FrameCase, documents):
    document = documents[case.document]
    empty, full = case.function(emptied(document)), case.function(document)
    assert len(empty) == 0
    assert list(empty.index.names) == list(full.index.names)
    assert empty.dtypes.to_dict() == full.dtypes.to_dict()
    assert dtypes(empty) == dtypes(full)


@each_frame
def test_every_row_states_its_world(case: FrameCase, documents):
    """Also in a file."""
    frame = case.function(documents[case.document])
    assert list(frame["world"].dtype.categories) == ["simulated", "replay", "live"]
    assert set(frame["world"]) == {"simulated"}
    assert frame.to_csv().count("simulated") >= len(frame)


@each_frame
def test_new_fields_of_the_service_are_left_out(case: FrameCase, documents):
    document = documents[case.document]
    pd.testing.assert_frame_equal(case.function(grown(deepcopy(document))), case.function(document))


@each_frame
def test_a_frame_does_not_change_its_document(case: FrameCase, documents):
    document = deepcopy(documents[case.document])
    case.function(document)
    assert document == documents[case.document]


@each_frame
def test_an_index_of_instants_is_in_utc(case: FrameCase, documents):
    index = case.function(documents[case.document]).index
    if INSTANT in case.schema.index.values():
        assert isinstance(index, pd.DatetimeIndex)
        assert str(index.tz) == "UTC"
    else:
        assert not isinstance(index, pd.DatetimeIndex)


@pytest.mark.parametrize(
    "name",
    [name for name, case in CASES.items() if INSTANT not in case.schema.index.values()],
)
def test_a_key_is_unique_within_its_book(name: str, documents):
    """The live and the backfilled record are two books; without books a key is unique in the frame."""
    case = CASES[name]
    frame = case.function(documents[case.document]).reset_index()
    book = {"backfilled", "engine"} & set(frame)
    assert not frame.duplicated([*case.schema.index, *book]).any()


def test_every_row_states_whether_it_is_backfilled(documents):
    """The live book has no resolved market yet; the markets of the backfilled book are all past."""
    scores = frames.scoreboard(documents["ai_vs_market"])
    assert (scores.loc[~scores["backfilled"], "n"] == 0).all()
    assert (scores.loc[scores["backfilled"], "n"] > 0).all()
    assert frames.resolved_pairs(documents["ai_vs_market"])["backfilled"].all()
    assert not frames.challenges(documents["challenges"])["backfilled"].any()


@pytest.mark.parametrize("name", ["scoreboard", "paired_difference", "calibration", "cumulative_brier"])
def test_two_books_are_two_sets_of_rows(name: str, documents):
    versus = deepcopy(documents["ai_vs_market"])
    past = next(book for book in versus["books"] if book["backfilled"])
    versus["books"] = [past | {"backfilled": False}, past]
    frame = getattr(frames, name)(versus).reset_index()
    live = frame[~frame["backfilled"]].reset_index(drop=True)
    backfilled = frame[frame["backfilled"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(live.assign(backfilled=True), backfilled)


def test_a_pivotal_voter_is_marked(documents):
    answer = deepcopy(documents["ask"])
    answer["consensus"]["pivotal"] = ["vol"]
    pivotal = frames.oracle_votes(answer)["pivotal"]
    assert list(pivotal[pivotal].index) == ["vol"]


def test_an_abstention_is_a_row_without_a_vote(documents):
    answer = deepcopy(documents["ask"])
    answer["abstained"] = {"news": "took too long"}
    del answer["votes"]["news"]
    votes = frames.oracle_votes(answer)
    assert votes.loc["news", "abstained"] == "took too long"
    assert votes.loc["news", ["p_yes", "weight", "direction", "fallback"]].isna().all()
    assert votes.index.is_unique
    assert len(votes) == 9
    assert dtypes(votes) == dtypes(frames.oracle_votes(documents["ask"]))


def test_an_abstention_on_a_market_is_a_row_without_a_vote(documents):
    predictions = deepcopy(documents["predictions"])
    market = predictions["markets"][0]
    del market["ai_votes"]["news"]
    market["abstained"] = {"news": "took too long"}
    votes = frames.market_votes(predictions)
    assert votes.loc[(market["id"], "news"), "abstained"] == "took too long"
    assert pd.isna(votes.loc[(market["id"], "news"), "p_yes"])
    assert len(votes.loc[market["id"]]) == 9
    assert dtypes(votes) == dtypes(frames.market_votes(documents["predictions"]))


def test_a_challenge_without_votes_is_a_row_without_a_pool(documents):
    pending = deepcopy(documents["challenges"])
    pending["challenges"][0] |= {"ai": None, "ai_votes": {}, "apex": None, "commitment": None, "context": None}
    row = frames.challenges(pending).iloc[0]
    assert row[["p_ai", "votes_yes", "ledger_seq", "price"]].isna().all()
    assert len(frames.market_votes(pending)) == 0


def test_the_last_event_of_a_stream_is_an_answer(documents):
    event = documents["ask_stream"][-1]
    expected = {name: vote["p_yes"] for name, vote in event["votes"].items()}
    assert frames.oracle_votes(event)["p_yes"].to_dict() == expected


def test_frames_load_no_charts_widgets_or_client():
    """A researcher can use them without the panels."""
    unwanted = ("plotly", "ipywidgets", "anywidget", "httpx", "service", "IPython")
    script = f"import sys; from notebooks.widgets import frames; print([n for n in {unwanted} if n in sys.modules])"
    process = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_every_export_of_the_workbench_can_be_imported():
    assert widgets.frames is frames
    assert all(getattr(widgets, name) is not None for name in widgets.__all__)
    assert dir(widgets) == sorted(widgets.__all__)


def test_an_unknown_export_is_no_attribute():
    with pytest.raises(AttributeError, match="no attribute 'NoPanel'"):
        widgets.NoPanel  # noqa: B018
