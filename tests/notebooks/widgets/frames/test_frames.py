"""Every frame, against the document it is made of."""

from __future__ import annotations

import json
import subprocess
import sys
from copy import deepcopy
from importlib.util import find_spec
from types import FunctionType
from typing import Any

import pandas as pd
import pytest

from notebooks import widgets
from notebooks.widgets import frames
from notebooks.widgets.frames.schema import INSTANT
from tests.notebooks.widgets.frames.frame_cases import CASES, FrameCase, dtypes, dtypes_of, is_same, other_cells
from tests.processes import ROOT

# Tested in test_ledger.py, and below.
OTHERS = {"ledger", "ledger_votes", "ledger_odds", "ledger_outcomes", "ledger_roots", "resolved_votes"}
OTHERS |= {"market_series", "forecasters", "forecasts", "features", "deliveries", "as_ohlcv", "as_polars"}
SECOND_DOCUMENTS = {"challenge_votes", "resolved_markets", "lane_event_pages", "headline_pages"}
STATES = {"before the first bar": (), "backfilled": (True,), "live": (False,), "both books": (False, True)}
PAGES = {"candles", "lane_equity", "lane_event_pages", "resolved_markets", "apex_calls", "apex_call_layers", "answers"}

each_frame = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def emptied(document: Any) -> Any:
    """The document with empty lists and no votes."""
    if isinstance(document, list):
        return []
    if not isinstance(document, dict):
        return document
    return {name: {} if name in ("votes", "abstained") else emptied(value) for name, value in document.items()}


def grown(document: Any) -> Any:
    """The document with a new field in every object, except in those that voters or assets are the keys of."""
    if isinstance(document, list):
        return [grown(element) for element in document]
    if not isinstance(document, dict):
        return document
    by_name = {name: grown(value) for name, value in document.items()}
    is_by_name = {"momentum", "btc"} & set(by_name)
    return by_name if is_by_name or not by_name else by_name | {"new_in_2027": [1]}


def in_books(document: Any, books: tuple[bool, ...]) -> Any:
    """The document with what it says of the backfilled book in each of `books`."""
    if isinstance(document, dict):
        return {name: in_books(value, books) for name, value in document.items()}
    if not isinstance(document, list) or not all(isinstance(row, dict) and "backfilled" in row for row in document):
        return [in_books(value, books) for value in document] if isinstance(document, list) else document
    rows = [row for row in document if row["backfilled"]]
    return [in_books(row | {"backfilled": book}, books) for book in books for row in rows]


def test_every_frame_is_tested_and_documented():
    """`dir(frames)` is the list of what one may call; a noun has the same index everywhere."""
    assert set(frames.__all__) == {*CASES, *OTHERS} - SECOND_DOCUMENTS
    texts = [getattr(frames, name).__doc__ for name in frames.__all__]
    assert all("Parameters\n" in text and "Returns\n" in text and "ndex `" in text for text in texts)
    assert dir(frames) == sorted(frames.__all__)
    assert all(isinstance(getattr(frames, name), FunctionType) for name in dir(frames))
    indexes = {tuple(case.schema.index) for case in CASES.values()}
    names = {name for index in indexes for name in index}
    assert not names & {"subject", "market_id", "oracle", "market"}


@each_frame
def test_every_cell_has_the_value_of_the_document(case: FrameCase, documents: dict[str, Any]):
    document = documents[case.document]
    rows, frame = case.rows(document), case.function(document).reset_index()
    assert len(frame) == len(rows) > 0
    assert other_cells(frame, rows, case.columns, document) == []


@pytest.mark.parametrize("name", sorted(PAGES))
def test_pages_give_the_rows_of_all(name: str, documents):
    case = CASES[name]
    page = documents[case.document]
    single = case.function(page)
    pd.testing.assert_frame_equal(case.function(iter([page, page])), pd.concat([single, single]))


def example(name: str) -> dict[str, Any]:
    """A captured response."""
    return json.loads((ROOT / "service" / "api" / "examples" / f"{name}.json").read_text())


def test_an_input_of_a_vote_is_a_row():
    page = example("features_page")
    frame = frames.features([page, page])
    first = page["rows"][0]
    contexts = first["inputs"]["contexts"]
    rows = frame[frame["hash"] == first["hash"]].groupby("asset")["feature"].nunique()
    assert set(rows.index) == set(contexts)
    asset, context = next(iter(contexts.items()))
    chosen = frame[(frame["hash"] == first["hash"]) & (frame["asset"] == asset)].iloc[: rows[asset]]
    values = dict(zip(chosen["feature"], chosen["value"], strict=True))
    assert {**context["inputs"], **context["variance"], "spot": context["spot"]}.items() <= values.items()
    assert set(chosen.index) == {pd.Timestamp(first["voted_at"])}
    assert dtypes(frames.features({**page, "rows": []})) == dtypes(frame)


def test_a_forecaster_has_two_rows_of_scores():
    """A revealed forecast is a row. The tournament of the seeded service has no settled live market."""
    forecaster = example("forecasters_forecaster")
    frame = frames.forecasters(forecaster)
    assert list(frame.index.get_level_values("scored")) == ["opening", "time_weighted"]
    assert set(frame.index.get_level_values("forecaster")) == {forecaster["name"]}
    (entry,) = forecaster["entries"]
    for row in frame.reset_index().to_dict("records"):
        assert all(is_same(row[name], entry[row["scored"]][name]) for name in ("n", "brier", "peer", "log_score"))
    assert dtypes(frames.forecasters({**forecaster, "entries": []})) == dtypes(frame)
    frame = frames.forecasts(forecaster)
    (forecast,) = forecaster["forecasts"]
    constants = {"forecaster": forecaster["name"], "world": forecaster["world"]}
    assert other_cells(frame.reset_index(), [forecast], {}, constants) == []


def test_an_hourly_opinion_on_a_market_is_a_row(documents):
    """The document of a market does not state its world. A message to a webhook is a row, also without a response."""
    document = documents["prediction"]
    frame = frames.market_series(document, documents["widget"]["world"])
    ai, odds = (frame[frame["source"] == source] for source in ("ai", "odds"))
    assert list(ai["p_yes"]) == [point["p_yes"] for point in document["ai_series"]]
    assert list(odds["bid"]) == [point["bid"] for point in document["odds_series"]]
    assert set(frame["world"]) == {"simulated"}
    assert dtypes(frames.market_series({**document, "ai_series": [], "odds_series": []}, "simulated")) == dtypes(frame)
    instants = {"first_attempt_at": "2026-11-21T08:02:00Z", "last_attempt_at": "2026-11-21T08:03:00Z"}
    refusal = {"id": "msg_1", "event_id": 7, "event": "market.resolved", "state": "failed", "attempts": 2}
    refusal |= {"status": None, "error": "no response", "duration_ms": 5000, **instants}
    frame = frames.deliveries({"count": 1, "next": None, "deliveries": [refusal]})
    assert list(frame.index) == ["msg_1"]
    assert all(is_same(frame[name].iloc[0], refusal[name]) for name in frame)


@each_frame
def test_a_frame_follows_its_schema(case: FrameCase, documents: dict[str, Any]):
    """Also without rows and with new fields of the service; every row, also in a file, states its world."""
    document = deepcopy(documents[case.document])
    frame, no_rows = case.function(document), case.function(emptied(document))
    assert document == documents[case.document]
    pd.testing.assert_frame_equal(case.function(grown(document)), frame)
    assert len(no_rows) == 0
    for table in (frame, no_rows):
        assert list(table.index.names) == list(case.schema.index)
        assert list(table.columns) == list(case.schema.columns)
        assert dtypes(table) == dtypes_of(case.schema)
    is_of_instants = INSTANT in case.schema.index.values()
    assert isinstance(frame.index, pd.DatetimeIndex) == is_of_instants
    assert not is_of_instants or str(frame.index.tz) == "UTC"
    assert is_of_instants or frame.index.is_unique
    assert list(frame["world"].dtype.categories) == ["simulated", "replay", "live"]
    assert set(frame["world"]) == {"simulated"}
    assert frame.to_csv().count("simulated") >= len(frame)


@pytest.mark.parametrize("books", STATES.values(), ids=STATES)
@pytest.mark.parametrize("name", ["scoreboard", "calibration", "streaks", "price_record", "apex_accuracy"])
def test_a_key_is_unique_in_every_state(name: str, books: tuple[bool, ...], documents):
    """The first live bar adds a second book, and what a researcher wrote before it keeps its meaning."""
    case = CASES[name]
    frame = case.function(in_books(documents[case.document], books))
    assert frame.index.is_unique
    assert set(frame.index.get_level_values("backfilled")) == set(books)


def test_a_pivotal_voter_is_marked(documents):
    """The last event of a stream is an answer."""
    answer = deepcopy(documents["ask"])
    answer["consensus"]["pivotal"] = ["vol"]
    pivotal = frames.oracle_votes(answer)["pivotal"]
    assert list(pivotal[pivotal].index) == ["vol"]
    event = documents["ask_stream"][-1]
    expected = {name: vote["p_yes"] for name, vote in event["votes"].items()}
    assert frames.oracle_votes(event)["p_yes"].to_dict() == expected


def test_an_abstention_is_a_row_without_a_vote(documents):
    """On a market, too."""
    answer = deepcopy(documents["ask"])
    answer["abstained"] = {"news": "took too long"}
    del answer["votes"]["news"]
    votes = frames.oracle_votes(answer)
    assert votes.loc["news", "abstained"] == "took too long"
    assert votes.loc["news", ["p_yes", "weight", "direction", "fallback"]].isna().all()
    assert votes.index.is_unique
    assert len(votes) == 9
    assert dtypes(votes) == dtypes(frames.oracle_votes(documents["ask"]))
    predictions = deepcopy(documents["predictions"])
    market = predictions["markets"][0]
    del market["ai_votes"]["news"]
    market["abstained"] = {"news": "took too long"}
    votes = frames.market_votes(predictions)
    assert votes.loc[(market["id"], "news"), "abstained"] == "took too long"
    assert pd.isna(votes.loc[(market["id"], "news"), "p_yes"])
    assert len(votes.loc[market["id"]]) == 9
    assert dtypes(votes) == dtypes(frames.market_votes(documents["predictions"]))


def test_bars_have_the_names_of_other_libraries(documents):
    """In UTC without a zone: quantstats refuses an index with one. polars is needed only by those who ask."""
    bars = frames.candles(documents["candles"])
    table = frames.as_ohlcv(bars)
    assert list(table) == ["Open", "High", "Low", "Close", "Volume"]
    assert table.index.tz is None
    assert (table.index == bars.index.tz_localize(None)).all()
    assert list(table["Close"]) == list(bars["close_usd"])
    frame = frames.prices(documents["prices"])
    if find_spec("polars") is None:
        with pytest.raises(ImportError, match="polars"):
            frames.as_polars(frame)
    else:
        assert frames.as_polars(frame).columns == list(frame.reset_index())


def test_a_challenge_without_votes_is_a_row_without_a_pool(documents):
    pending = deepcopy(documents["challenges"])
    pending["challenges"][0] |= {"ai": None, "ai_votes": {}, "apex": None, "commitment": None, "context": None}
    assert frames.challenges(pending).iloc[0][["p_ai", "votes_yes", "ledger_seq", "price"]].isna().all()
    assert len(frames.market_votes(pending)) == 0


def test_frames_load_no_charts_widgets_or_client():
    """A researcher can use them without the panels."""
    modules = ("plotly", "ipywidgets", "anywidget", "httpx", "service", "IPython")
    script = f"import sys; from notebooks.widgets import frames; print([n for n in {modules} if n in sys.modules])"
    process = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_every_export_of_the_workbench_can_be_imported():
    assert widgets.frames is frames
    assert all(getattr(widgets, name) is not None for name in widgets.__all__)
    assert dir(widgets) == sorted(widgets.__all__)
    with pytest.raises(AttributeError, match="no attribute 'NoPanel'"):
        widgets.NoPanel  # noqa: B018
