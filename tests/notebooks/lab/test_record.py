"""The record from rows of the ledger: votes with their odds and outcome, as they were known at any instant."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from notebooks.lab.record import MarketRecord, instant_of, read_bars, record_of
from notebooks.widgets.frames.market import CANDLES

NOON = pd.Timestamp("2026-11-21T12:00:00Z")
DAY = pd.Timedelta(days=1)
HOURS = pd.date_range(NOON - DAY, NOON + DAY, freq="h", name="time")
BARS = {"btc": pd.DataFrame({"close_usd": range(len(HOURS))}, index=HOURS)}
FEATURES = pd.DataFrame(
    [("f1", "btc", "spot", 50_000.0), ("f1", "btc", "trend", 0.4)], columns=["hash", "asset", "feature", "value"]
)


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
    odds = line(2, "odds", "m", p_yes=0.52, source="polymarket")
    (market,) = record(votes(1, "m"), odds, outcome(3, "m", "yes")).markets
    assert (market.votes, market.weights) == ({"vol": 0.4, "trend": 0.6}, {"vol": 1.0, "trend": 0.5})
    assert (market.pool, market.odds, market.odds_source) == (0.47, 0.52, "polymarket")
    assert (market.happened, market.resolved_at) == (True, NOON + DAY)
    assert market.features == {"btc": {"spot": 50_000.0, "trend": 0.4}}


def test_markets_are_in_the_order_of_asking():
    rows = [votes(1, "b"), votes(2, "a"), votes(3, "c", at=NOON - DAY)]
    assert [market.question.id for market in record(*rows).markets] == ["c", "a", "b"]


def test_a_corrected_row_does_not_count():
    """The row that replaces it does, like any other."""
    rows = [votes(1, "m"), outcome(2, "m", "yes"), line(3, "correction", "m", corrects=2), outcome(4, "m", "no")]
    assert record(*rows).markets[0].happened is False
    assert record(*rows[:3]).markets[0].happened is None


@pytest.mark.parametrize("row", [outcome(2, "m", "void"), line(2, "score", "m", brier=0.2)])
def test_a_void_market_has_no_outcome(row: dict[str, Any]):
    (market,) = record(votes(1, "m"), row).markets
    assert (market.happened, market.resolved_at) == (None, None)


def test_a_question_without_a_criterion_is_left_out():
    assert record(votes(1, "m", comparator="open")).markets == ()


def test_the_record_at_an_instant_knows_nothing_of_later():
    """Neither outcomes nor bars nor markets; the last complete bar opened an hour before."""
    rows = [votes(1, "early", at=NOON - DAY), outcome(2, "early", "yes", at=NOON), votes(3, "late", at=NOON + DAY)]
    before, after = (record(*rows).until(NOON - pd.Timedelta(seconds=seconds)) for seconds in (1, 0))
    assert [market.question.id for market in after.markets] == ["early"]
    assert (before.markets[0].happened, after.markets[0].happened) == (None, True)
    assert after.bars["btc"].index[-1] == NOON - pd.Timedelta(hours=1)
    assert before.bars["btc"].index[-1] == NOON - pd.Timedelta(hours=2)


def test_rows_of_the_first_edition_have_unix_seconds():
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
    assert bars.iloc[0].to_dict() == {
        "asset": "btc",
        "step_s": 3600,
        "open_usd": 1.0,
        "high_usd": 3.0,
        "low_usd": 0.5,
        "close_usd": 2.0,
        "volume": 7.0,
        "volume_unit": "BTC",
        "source": str(tmp_path / "btc.csv"),
        "world": "replay",
    }
    with pytest.raises(ValueError, match=r"test_record\.py, line 1: it is no bar"):
        read_bars("btc", Path(__file__))
