"""Downloads of the seeded service, kept in Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from notebooks.lab import Archive
from notebooks.lab.archive import ParquetCache
from notebooks.widgets import frames
from notebooks.widgets.frames.schema import COUNT, FLAG, INSTANT, NUMBER, TEXT, FrameSchema, one_of
from service.client import Client
from tests.notebooks.conftest import InterceptedClient

TABLES = ("candles", "lane_events", "headlines", "apex_calls", "apex_call_layers", "features")
PARTS = {"candles": ("btc",), "lane_events": ("trend",)}


@pytest.fixture
def archive(client: Client, tmp_path: Path) -> Archive:
    return Archive(client, tmp_path, progress=False)


@pytest.mark.parametrize("name", TABLES)
def test_a_stored_table_is_the_downloaded_one(client: Client, tmp_path: Path, name: str):
    """With the same dtypes, from files alone where nothing is new."""
    first, second = (getattr(Archive(client, tmp_path, progress=False), name)(*PARTS.get(name, ())) for _ in range(2))
    assert len(first) > 0
    assert first.index.is_monotonic_increasing
    pd.testing.assert_frame_equal(second, first)


def test_every_bar_is_downloaded_once(stub: InterceptedClient, tmp_path: Path):
    pages: list[dict[str, Any]] = []
    stub.changes["candles"] = lambda page: pages.append(page) or page
    bars = Archive(stub, tmp_path, progress=False).candles("btc")
    assert len(bars) == sum(page["count"] for page in pages) == len(list(stub.client.pages("candles", "btc")))
    pages.clear()
    Archive(stub, tmp_path, progress=False).candles("btc")
    assert [page["count"] for page in pages] == [1]


def test_the_record_holds_every_vote_of_the_ledger(archive: Archive, documents):
    """A market with its votes, its odds and its outcome, and the bars that were complete."""
    record = archive.record()
    votes = archive.resolved_votes()
    decisions = [market for market in record.markets if market.happened is not None]
    assert {market.question.id for market in decisions} == set(votes.index.get_level_values("id"))
    market = decisions[-1]
    row_votes = votes.loc[market.question.id]
    assert market.votes == row_votes["p_yes"].to_dict()
    assert market.weights == row_votes["weight"].to_dict()
    assert market.happened == (row_votes["outcome"].iloc[0] == "yes")
    assert (market.pool, market.question.level) == (row_votes["p_pool"].iloc[0], row_votes["level"].iloc[0])
    assert set(record.bars) == set(archive.assets)
    assert record.inputs(market).bars("btc").index[-1] <= market.question.asked_at - pd.Timedelta(hours=1)
    document = archive.client.prediction(market.question.id)
    inputs = archive.client.features_entry(document["features"])["inputs"]["contexts"][market.question.asset]
    assert market.features[market.question.asset]["spot"] == inputs["spot"]
    assert record.inputs(market).features is market.features
    pairs = frames.scoreboard(documents["ai_vs_market"]).loc[("ai", True)]
    quotes = [row for row in decisions if row.odds is not None and row.backfilled]
    assert len(quotes) == pairs["n"]


@pytest.mark.slow
def test_a_second_record_reads_the_ledger_from_its_last_row(stub: InterceptedClient, tmp_path: Path):
    first = Archive(stub, tmp_path, progress=False).record()
    stub.calls.clear()
    second = Archive(stub, tmp_path, progress=False).record()
    assert second.markets == first.markets
    assert not [call for call in stub.calls if call[0] == "ledger" and call[3] == "votes" and call[1] < 1_000]


@pytest.mark.slow
def test_a_damaged_file_is_downloaded_again(client: Client, tmp_path: Path):
    headlines = Archive(client, tmp_path, progress=False).headlines()
    (file,) = tmp_path.rglob("headlines.parquet")
    file.write_bytes(b"PAR1 and no more")
    pd.testing.assert_frame_equal(Archive(client, tmp_path, progress=False).headlines(), headlines)


def test_another_ledger_has_other_files(stub: InterceptedClient, tmp_path: Path):
    """A service that was set up anew has other numbers under the same names."""
    Archive(stub, tmp_path, progress=False).headlines()
    stub.changes["ledger_entry"] = lambda page: {**page, "entry": {**page["entry"], "hash": "f" * 64}}
    Archive(stub, tmp_path, progress=False).headlines()
    assert len(list(tmp_path.rglob("headlines.parquet"))) == 2


def test_a_world_that_was_taken_back_has_other_files(stub: InterceptedClient, tmp_path: Path):
    """What was stored of the time that was taken back is not mixed with what took its place."""
    Archive(stub, tmp_path, progress=False).headlines()
    back = {"seq": 9, "body": {"corrects": 8, "rewound_to": "2026-11-21T10:00:00Z"}}
    stub.changes["ledger"] = lambda page: {**page, "entries": [back], "next": None}
    Archive(stub, tmp_path, progress=False).headlines()
    assert sorted(len(file.parent.name) for file in tmp_path.rglob("headlines.parquet")) == [16, 18]


def test_every_resolved_market_is_one_call(archive: Archive, client: Client):
    markets = archive.markets()
    assert list(markets.index) == [market["id"] for market in client.pages("markets", "resolved")]
    assert len(markets) > 200
    assert markets["brier_ai"].notna().all()


def test_every_strategy_and_every_month_is_one_call(archive: Archive, documents):
    key = documents["strategy"]["key"]
    pd.testing.assert_frame_equal(archive.strategy_trades(key), frames.strategy_trades(documents["strategy"]))
    months = archive.hospital_months().index.get_level_values("snapshot_month").unique()
    assert list(months) == documents["hospital"]["links"]["months"]


SCHEMA = FrameSchema(
    {"id": TEXT}, {"n": COUNT, "p": NUMBER, "live": FLAG, "time": INSTANT, "outcome": one_of("yes", "no")}
)
ROWS = [
    {"id": "a", "n": 1, "p": 0.1, "live": True, "time": "2026-11-21T08:00:00Z", "outcome": "no"},
    {"id": "b", "n": None, "p": None, "live": False, "time": None, "outcome": None},
    {"id": "c", "n": 3, "p": 0.3, "live": True, "time": "2026-11-21T09:00:00Z", "outcome": "unheard of"},
]


@pytest.fixture
def cache(tmp_path: Path) -> ParquetCache:
    return ParquetCache(tmp_path / "kept")


def test_a_frame_comes_back_with_its_dtypes(cache: ParquetCache):
    """Also missing values, and a word outside of its vocabulary."""
    frame = SCHEMA.frame(ROWS)
    cache.write("rows", frame)
    pd.testing.assert_frame_equal(cache.read("rows", SCHEMA), frame)


def test_an_absent_frame_has_no_rows(cache: ParquetCache):
    pd.testing.assert_frame_equal(cache.read("rows", SCHEMA), SCHEMA.frame([]))


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more"])
def test_half_a_file_counts_as_absent(cache: ParquetCache, content: bytes):
    cache.write("rows", SCHEMA.frame(ROWS))
    (cache.folder / "rows.parquet").write_bytes(content)
    assert cache.read("rows", SCHEMA).empty


def test_a_file_of_another_schema_counts_as_absent(cache: ParquetCache):
    """One of an earlier version, which lacks a column, is downloaded again."""
    cache.write("rows", SCHEMA.frame(ROWS).drop(columns="p"))
    assert cache.read("rows", SCHEMA).empty


def test_every_resolved_pair_is_downloaded(client: Client, documents: dict[str, Any], tmp_path: Path):
    """Their scores average to those of the whole book."""
    document = documents["ai_vs_market"]
    pairs = Archive(client, tmp_path, progress=False).resolved_pairs()
    book = next(book for book in document["books"] if book["backfilled"])
    assert len(pairs) == document["count"] == book["n"]
    assert pairs["brier_ai"].mean() == pytest.approx(book["ai"]["brier"], abs=1e-5)
    assert pairs["brier_market"].mean() == pytest.approx(book["market"]["brier"], abs=1e-5)
