from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from notebooks import widgets
from notebooks.widgets import frames
from notebooks.widgets.frames.table import INSTANT
from tests.notebooks.frame_cases import CASES, Case

ROOT = Path(__file__).parents[2]
LEDGER = {"ledger", "ledger_votes", "ledger_odds", "ledger_outcomes"}

each_frame = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def dtypes(frame: pd.DataFrame) -> dict[str, Any]:
    return {name: str(dtype) for name, dtype in frame.reset_index().dtypes.items()}


def emptied(document: Any) -> Any:
    """The document with nothing in any of its lists, and nobody's vote."""
    if isinstance(document, list):
        return []
    if not isinstance(document, dict):
        return document
    return {name: {} if name in ("votes", "abstained") else emptied(value) for name, value in document.items()}


def grown(document: Any) -> Any:
    """The document with a field more wherever one may come: not among the voters, which are named by its keys."""
    if isinstance(document, list):
        return [grown(one) for one in document]
    if not isinstance(document, dict):
        return document
    by_name = {name: grown(value) for name, value in document.items()}
    return by_name if "momentum" in by_name or not by_name else by_name | {"new_in_2027": [1]}


def same(shown: Any, told: Any) -> bool:
    """Whether a cell shows what was told, an instant as itself."""
    if told is None:
        return pd.isna(shown)
    return shown == (pd.Timestamp(told) if isinstance(shown, pd.Timestamp) else told)


def test_every_frame_that_is_offered_is_tested_and_says_what_it_gives():
    assert set(frames.__all__) == {*CASES, *LEDGER} - {"challenge_votes"}
    told = [getattr(frames, name).__doc__ for name in frames.__all__]
    assert all("Parameters\n" in one and "Returns\n" in one and "ndex `" in one for one in told)


@each_frame
def test_every_cell_is_what_the_document_says(case: Case, documents: dict[str, Any]):
    document = documents[case.document]
    rows = case.rows(document)
    frame = case.function(document).reset_index()
    assert len(frame) == len(rows) > 0
    for name in frame:
        for shown, row in zip(frame[name], rows, strict=True):
            told = case.told[name](row) if name in case.told else row[name] if name in row else document[name]
            assert same(shown, told), (name, shown, told)


@each_frame
def test_index_columns_and_dtypes_are_the_declared_ones(case: Case, documents: dict[str, Any]):
    frame = case.function(documents[case.document])
    assert list(frame.index.names) == list(case.table.index)
    assert list(frame.columns) == list(case.table.columns)
    assert dtypes(frame) == {name: str(dtype) for name, dtype in (case.table.index | case.table.columns).items()}


@each_frame
def test_a_frame_without_rows_has_the_index_columns_and_dtypes_of_one_with_many(case: Case, documents):
    document = documents[case.document]
    none, many = case.function(emptied(document)), case.function(document)
    assert len(none) == 0
    assert list(none.index.names) == list(many.index.names)
    assert none.dtypes.to_dict() == many.dtypes.to_dict()
    assert dtypes(none) == dtypes(many)


@each_frame
def test_every_row_says_of_which_world_it_is_and_keeps_saying_so_in_a_file(case: Case, documents):
    frame = case.function(documents[case.document])
    assert list(frame["world"].dtype.categories) == ["simulated", "replay", "live"]
    assert set(frame["world"]) == {"simulated"}
    assert frame.to_csv().count("simulated") >= len(frame)


@each_frame
def test_what_the_service_tells_beyond_what_is_declared_is_left_out(case: Case, documents):
    document = documents[case.document]
    pd.testing.assert_frame_equal(case.function(grown(deepcopy(document))), case.function(document))


@each_frame
def test_a_document_is_left_as_it_was(case: Case, documents):
    document = deepcopy(documents[case.document])
    case.function(document)
    assert document == documents[case.document]


@each_frame
def test_where_rows_are_instants_the_index_is_in_utc(case: Case, documents):
    index = case.function(documents[case.document]).index
    if INSTANT in case.table.index.values():
        assert isinstance(index, pd.DatetimeIndex)
        assert str(index.tz) == "UTC"
    else:
        assert not isinstance(index, pd.DatetimeIndex)


@pytest.mark.parametrize(
    "name",
    [name for name, case in CASES.items() if INSTANT not in case.table.index.values()],
)
def test_a_row_is_found_by_its_key_within_its_book(name: str, documents):
    """What is backfilled and what was said live are two books; elsewhere a key is a row."""
    case = CASES[name]
    frame = case.function(documents[case.document]).reset_index()
    book = {"backfilled", "engine"} & set(frame)
    assert not frame.duplicated([*case.table.index, *book]).any()


def test_where_an_answer_is_backfilled_a_frame_says_so_of_each_row(documents):
    """Only live markets are resolved in the first book, and there are none yet; the second is of the past."""
    scores = frames.scoreboard(documents["ai_vs_market"])
    assert (scores.loc[~scores["backfilled"], "n"] == 0).all()
    assert (scores.loc[scores["backfilled"], "n"] > 0).all()
    assert frames.resolved_pairs(documents["ai_vs_market"])["backfilled"].all()
    assert not frames.challenges(documents["challenges"])["backfilled"].any()


@pytest.mark.parametrize("name", ["scoreboard", "paired_difference", "calibration", "cumulative_brier"])
def test_a_live_book_stands_beside_the_backfilled_one_and_each_row_says_whose_it_is(name: str, documents):
    versus = deepcopy(documents["ai_vs_market"])
    past = next(book for book in versus["books"] if book["backfilled"])
    versus["books"] = [past | {"backfilled": False}, past]
    frame = getattr(frames, name)(versus).reset_index()
    live = frame[~frame["backfilled"]].reset_index(drop=True)
    backfilled = frame[frame["backfilled"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(live.assign(backfilled=True), backfilled)


def test_a_voter_without_whom_the_direction_would_be_another_is_marked(documents):
    answer = deepcopy(documents["ask"])
    answer["consensus"]["pivotal"] = ["vol"]
    pivotal = frames.oracle_votes(answer)["pivotal"]
    assert list(pivotal[pivotal].index) == ["vol"]


def test_who_abstained_has_a_row_with_the_reason_and_no_vote(documents):
    answer = deepcopy(documents["ask"])
    answer["abstained"] = {"news": "took too long"}
    del answer["votes"]["news"]
    votes = frames.oracle_votes(answer)
    assert votes.loc["news", "abstained"] == "took too long"
    assert votes.loc["news", ["p_yes", "weight", "direction", "fallback"]].isna().all()
    assert votes.index.is_unique
    assert len(votes) == 9
    assert dtypes(votes) == dtypes(frames.oracle_votes(documents["ask"]))


def test_who_abstained_on_a_market_has_a_row_with_the_reason_and_no_vote(documents):
    listed = deepcopy(documents["predictions"])
    market = listed["markets"][0]
    del market["ai_votes"]["news"]
    market["abstained"] = {"news": "took too long"}
    votes = frames.market_votes(listed)
    assert votes.loc[(market["id"], "news"), "abstained"] == "took too long"
    assert pd.isna(votes.loc[(market["id"], "news"), "p_yes"])
    assert len(votes.loc[market["id"]]) == 9
    assert dtypes(votes) == dtypes(frames.market_votes(documents["predictions"]))


def test_a_challenge_nobody_has_voted_on_yet_has_a_row_without_a_pool(documents):
    listed = deepcopy(documents["challenges"])
    listed["challenges"][0] |= {"ai": None, "ai_votes": {}, "apex": None, "commitment": None, "context": None}
    row = frames.challenges(listed).iloc[0]
    assert row[["p_ai", "votes_yes", "ledger_seq", "price"]].isna().all()
    assert len(frames.market_votes(listed)) == 0


def test_the_last_event_of_a_stream_is_an_answer_too(documents):
    told = documents["ask_stream"][-1]
    assert frames.oracle_votes(told)["p_yes"].to_dict() == {name: one["p_yes"] for name, one in told["votes"].items()}


def test_frames_need_neither_charts_nor_widgets_nor_a_connection():
    """A researcher may take them without the workbench's screens."""
    unwanted = ("plotly", "ipywidgets", "anywidget", "httpx", "service", "IPython")
    script = f"import sys; from notebooks.widgets import frames; print([n for n in {unwanted} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_the_workbench_offers_is_reached_by_its_name():
    assert widgets.frames is frames
    assert widgets.connect.__module__ == "notebooks.widgets.connection"
    assert {"frames", "connect", "BattlePanel", "LeaderboardPanel", "HospitalPanel"} <= set(dir(widgets))


def test_what_the_workbench_does_not_offer_is_no_attribute():
    with pytest.raises(AttributeError, match="no attribute 'NoPanel'"):
        widgets.NoPanel  # noqa: B018
