"""Downloads of the seeded service in Parquet files, and the record of markets made of the rows of its ledger."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from notebooks.lab import Archive
from notebooks.lab.archive import ParquetCache
from notebooks.lab.pages import with_progress
from notebooks.lab.record import MarketRecord, instant_of, read_bars, record_of
from notebooks.widgets import frames
from notebooks.widgets.frames.market import CANDLES
from notebooks.widgets.frames.schema import COUNT, FLAG, INSTANT, NUMBER, TEXT, FrameSchema, one_of
from service.client import Client
from tests.notebooks.conftest import InterceptedClient

TABLES = ("candles", "lane_events", "headlines", "apex_calls", "apex_call_layers", "features")
REWIND = {"seq": 9, "body": {"corrects": 8, "rewound_to": "2026-11-21T10:00:00Z"}}
PARTS = {"candles": ("btc",), "lane_events": ("trend",)}
OUTCOME = one_of("yes", "no")
SCHEMA = FrameSchema({"id": TEXT}, {"n": COUNT, "p": NUMBER, "live": FLAG, "time": INSTANT, "outcome": OUTCOME})
ROWS = [
    {"id": "a", "n": 1, "p": 0.1, "live": True, "time": "2026-11-21T08:00:00Z", "outcome": "no"},
    {"id": "b", "n": None, "p": None, "live": False, "time": None, "outcome": None},
    {"id": "c", "n": 3, "p": 0.3, "live": True, "time": "2026-11-21T09:00:00Z", "outcome": "unheard of"},
]
NOON = pd.Timestamp("2026-11-21T12:00:00Z")
DAY = pd.Timedelta(days=1)
HOURS = pd.date_range(NOON - DAY, NOON + DAY, freq="h", name="time")
BARS = {"btc": pd.DataFrame({"close_usd": range(len(HOURS))}, index=HOURS)}
FEATURES = pd.DataFrame({"hash": "f1", "asset": "btc", "feature": ["spot", "trend"], "value": [50_000.0, 0.4]})


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
    record, votes = archive.record(), archive.resolved_votes()
    decisions = [market for market in record.markets if market.happened is not None]
    assert {market.question.id for market in decisions} == set(votes.index.get_level_values("id"))
    market = decisions[-1]
    row_votes = votes.loc[market.question.id]
    assert (market.votes, market.weights) == (row_votes["p_yes"].to_dict(), row_votes["weight"].to_dict())
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


@pytest.mark.parametrize(
    ("method", "change", "lengths"),
    [
        ("ledger_entry", lambda page: {**page, "entry": {**page["entry"], "hash": "f" * 64}}, [16, 16]),
        ("ledger", lambda page: {**page, "entries": [REWIND], "next": None}, [16, 18]),
    ],
    ids=["set up anew", "taken back"],
)
def test_another_past_has_other_files(stub: InterceptedClient, tmp_path: Path, method: str, change, lengths):
    """What is stored under the same names is not mixed."""
    Archive(stub, tmp_path, progress=False).headlines()
    stub.changes[method] = change
    Archive(stub, tmp_path, progress=False).headlines()
    assert sorted(len(file.parent.name) for file in tmp_path.rglob("headlines.parquet")) == lengths


def test_a_table_of_many_pages_is_one_call(archive: Archive, client: Client, documents: dict[str, Any]):
    """The scores of resolved pairs average to those of the whole book."""
    markets = archive.markets()
    assert list(markets.index) == [market["id"] for market in client.pages("markets", "resolved")]
    assert len(markets) > 200
    assert markets["brier_ai"].notna().all()
    key = documents["strategy"]["key"]
    pd.testing.assert_frame_equal(archive.strategy_trades(key), frames.strategy_trades(documents["strategy"]))
    months = archive.hospital_months().index.get_level_values("snapshot_month").unique()
    assert list(months) == documents["hospital"]["links"]["months"]
    document = documents["ai_vs_market"]
    pairs = archive.resolved_pairs()
    book = next(book for book in document["books"] if book["backfilled"])
    assert len(pairs) == document["count"] == book["n"]
    assert pairs["brier_ai"].mean() == pytest.approx(book["ai"]["brier"], abs=1e-5)
    assert pairs["brier_market"].mean() == pytest.approx(book["market"]["brier"], abs=1e-5)


def test_a_frame_comes_back_with_its_dtypes(tmp_path: Path):
    """Also missing values and unknown words. Half a file, and one of another version, counts as absent."""
    cache = ParquetCache(tmp_path / "kept")
    pd.testing.assert_frame_equal(cache.read("rows", SCHEMA), SCHEMA.frame([]))
    cache.write("rows", SCHEMA.frame(ROWS).drop(columns="p"))
    assert cache.read("rows", SCHEMA).empty
    for content in (b"", b"PAR1 and no more"):
        (cache.folder / "rows.parquet").write_bytes(content)
        assert cache.read("rows", SCHEMA).empty
    cache.write("rows", SCHEMA.frame(ROWS))
    pd.testing.assert_frame_equal(cache.read("rows", SCHEMA), SCHEMA.frame(ROWS))


def line(seq: int, kind: str, subject: str, **body: Any) -> dict[str, Any]:
    return {"seq": seq, "kind": kind, "subject": subject, "backfilled": False, "body": body}


def votes(seq: int, subject: str, at: pd.Timestamp = NOON, comparator: str = "up", **body: Any) -> dict[str, Any]:
    """A row of two votes on a question of a day."""
    question = {"text": "Will it?", "asset": "btc", "comparator": comparator, "spot": 50_000.0, "horizon_hours": 24.0}
    cast = [{"voter": "vol", "p": 0.4, "weight": 1.0}, {"voter": "trend", "p": 0.6, "weight": 0.5}]
    opening = {"voted_at": at.isoformat(), "deadline": (at + DAY).isoformat(), "category": "daily", "p": 0.47}
    return line(seq, "votes", subject, question=question, votes=cast, features="f1", **opening | body)


def outcome(seq: int, subject: str, word: str, at: pd.Timestamp = NOON + DAY) -> dict[str, Any]:
    return line(seq, "resolution", subject, outcome=word, resolved_at=at.isoformat())


def record(*lines: Mapping[str, Any]) -> MarketRecord:
    return record_of(lines, BARS, "simulated", FEATURES)


def test_a_market_joins_votes_odds_and_outcome():
    """Markets are in the order of asking."""
    odds = line(2, "odds", "m", p_yes=0.52, source="polymarket")
    (market,) = record(votes(1, "m"), odds, outcome(3, "m", "yes")).markets
    assert (market.votes, market.weights) == ({"vol": 0.4, "trend": 0.6}, {"vol": 1.0, "trend": 0.5})
    assert (market.pool, market.odds, market.odds_source) == (0.47, 0.52, "polymarket")
    assert (market.happened, market.resolved_at) == (True, NOON + DAY)
    assert market.features == {"btc": {"spot": 50_000.0, "trend": 0.4}}
    rows = [votes(1, "b"), votes(2, "a"), votes(3, "c", at=NOON - DAY)]
    assert [market.question.id for market in record(*rows).markets] == ["c", "a", "b"]


def test_a_corrected_row_does_not_count():
    """The row that replaces it does. A void market has no outcome, and a question without a criterion is left out."""
    for row in (outcome(2, "m", "void"), line(2, "score", "m", brier=0.2)):
        (market,) = record(votes(1, "m"), row).markets
        assert (market.happened, market.resolved_at) == (None, None)
    rows = [votes(1, "m"), outcome(2, "m", "yes"), line(3, "correction", "m", corrects=2), outcome(4, "m", "no")]
    assert record(*rows).markets[0].happened is False
    assert record(*rows[:3]).markets[0].happened is None
    assert record(votes(1, "m", comparator="open")).markets == ()


def test_the_record_at_an_instant_knows_nothing_of_later():
    """Neither outcomes nor markets nor bars that were not complete; old rows have unix seconds."""
    rows = [votes(1, "early", at=NOON - DAY), outcome(2, "early", "yes", at=NOON), votes(3, "late", at=NOON + DAY)]
    before, after = (record(*rows).until(NOON - pd.Timedelta(seconds=seconds)) for seconds in (1, 0))
    assert [market.question.id for market in after.markets] == ["early"]
    assert (before.markets[0].happened, after.markets[0].happened) == (None, True)
    assert after.bars["btc"].index[-1] == NOON - pd.Timedelta(hours=1)
    assert before.bars["btc"].index[-1] == NOON - pd.Timedelta(hours=2)
    assert instant_of(1_795_262_400) == NOON
    (market,) = record(votes(1, "m", voted_at=1_795_262_400)).markets
    assert market.question.asked_at == NOON


def test_bars_of_ones_own_are_candles(tmp_path: Path):
    """From files of other programs; a row that cannot be read is left out with a warning that has its line."""
    times = [int(hour.timestamp() * 1000) for hour in HOURS[:3]]
    lines = ["timestamp,open,high,low,close,volume", *(f"{time},1,3,0.5,2,7" for time in times), "soon,1,3,0.5,2,7"]
    (tmp_path / "btc.csv").write_text("\n".join(lines))
    with pytest.warns(UserWarning, match=r"btc\.csv, line 5: 'soon' is not a time"):
        bars = read_bars("btc", tmp_path / "btc.csv")
    assert list(bars.index) == list(HOURS[:3])
    assert list(bars.columns) == list(CANDLES.columns)
    numbers = {"step_s": 3600, "open_usd": 1.0, "high_usd": 3.0, "low_usd": 0.5, "close_usd": 2.0, "volume": 7.0}
    words = {"asset": "btc", "volume_unit": "BTC", "source": str(tmp_path / "btc.csv"), "world": "replay"}
    assert bars.iloc[0].to_dict() == numbers | words
    with pytest.raises(ValueError, match=r"test_archive\.py, line 1: it is no bar"):
        read_bars("btc", Path(__file__))


def test_a_quick_loop_shows_no_bar(capsys):
    """What takes longer than a second has one, which leaves nothing behind."""
    assert list(with_progress([1, 2], "loop", unit="rows")) == [1, 2]
    assert "loop" not in capsys.readouterr().err
    assert list(with_progress([1, 2], "loop", progress=False)) == [1, 2]
