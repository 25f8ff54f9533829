"""The frames of the public ledger, from pages and from the lines of the export."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from notebooks.widgets import frames
from service.client import Client
from tests.notebooks.widgets.frames.frame_cases import Row, other_cells, values_at

FRAMES = (frames.ledger, frames.ledger_votes, frames.ledger_odds, frames.ledger_outcomes, frames.resolved_votes)
Frame = Callable[..., pd.DataFrame]

each_frame = pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.__name__)


@pytest.fixture(scope="session")
def lines(documents: dict[str, Any]) -> list[dict[str, Any]]:
    """The parsed lines of the whole ledger."""
    return [json.loads(line) for line in documents["export_ledger"]]


def of_kind(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line.get("kind") == kind]


def correction(seq: int, subject: str) -> Row:
    body = {"corrects": seq, "note": "the feed was wrong"}
    fields = {"seq": 1_000_000, "recorded_at": "2026-11-22T00:00:00Z", "kind": "correction", "subject": subject}
    return fields | {"backfilled": False, "body": body, "previous": "0" * 64, "hash": "1" * 64}


def votes_of_rows(lines: list[Row]) -> list[Row]:
    """The words of a challenge are a hash in the ledger; the frame has its canonical sentence."""
    rows = []
    for row in of_kind(lines, "votes"):
        body, question = row["body"], row["body"]["question"]
        sentence = question["canonical" if body["category"] == "challenge" else "text"]
        fields = body | question | row | {"fallback": False, "p_pool": body["p"], "question": sentence}
        rows += [fields | vote for vote in body["votes"]]
    return rows


def bodies_of(kind: str) -> Callable[[list[Row]], list[Row]]:
    return lambda lines: [{**row["body"], **row} for row in of_kind(lines, kind)]


@pytest.mark.parametrize(
    ("frame", "rows_of", "columns"),
    [
        (frames.ledger, lambda lines: [line for line in lines if line["type"] == "row"], ""),
        (frames.ledger_votes, votes_of_rows, "p_yes=p spot_usd=spot horizon_h=horizon_hours"),
        (frames.ledger_odds, bodies_of("odds"), "p_market=p_yes"),
        (frames.ledger_outcomes, bodies_of("resolution"), ""),
    ],
)
def test_every_recorded_value_is_a_cell(frame: Frame, rows_of, columns: str, lines):
    """Recorded instants become instants; the votes of a challenge include APEX."""
    table, rows = frame(lines, world="simulated").reset_index(), rows_of(lines)
    assert len(table) == len(rows) > 0
    constants = {"world": "simulated", "corrected": False}
    assert other_cells(table, rows, values_at(f"id=subject {columns}"), constants) == []
    voters = {row.get("voter") for row in rows if row.get("category") == "challenge"}
    assert ("apex" in voters) == (frame is frames.ledger_votes)


def test_resolutions_of_all_versions_join(lines):
    """Bodies of the first edition have unix seconds."""
    new = of_kind(lines, "resolution")[-1]
    old = new | {"body": new["body"] | {"resolved_at": int(pd.Timestamp(new["body"]["resolved_at"]).timestamp())}}
    outcomes = frames.ledger_outcomes([old | {"subject": "old"}, new], world="simulated")
    assert outcomes["resolved_at"].iloc[0] == outcomes["resolved_at"].iloc[1]


def test_the_ledger_gives_the_scores_of_the_service(lines, documents):
    """Votes, odds and outcomes join by the id of the market to the same Brier scores."""
    odds = frames.ledger_odds(lines, world="simulated")[["p_market"]]
    outcomes = frames.ledger_outcomes(lines, world="simulated")[["outcome"]]
    votes = frames.ledger_votes(lines, world="simulated").join(outcomes, how="inner").join(odds, how="inner")
    values = votes["outcome"].eq("yes").astype(float)
    means = (votes["p_yes"] - values).pow(2).groupby("voter").agg(["mean", "size"])
    pool = votes.assign(happened=values).groupby("id")[["p_pool", "p_market", "happened"]].first()
    scores = frames.scoreboard(documents["ai_vs_market"]).xs(True, level="backfilled")
    for voter in documents["ai_vs_market"]["books"][1]["voters"]:
        assert means.loc[voter["voter"], "mean"] == pytest.approx(scores.loc[voter["voter"], "brier"], abs=1e-5)
        assert means.loc[voter["voter"], "size"] == scores.loc[voter["voter"], "n"]
    assert len(pool) == scores.loc["ai", "n"]
    assert (pool["p_pool"] - pool["happened"]).pow(2).mean() == pytest.approx(scores.loc["ai", "brier"], abs=1e-5)
    assert (pool["p_market"] - pool["happened"]).pow(2).mean() == pytest.approx(scores.loc["market", "brier"], abs=1e-5)


@pytest.mark.slow
@each_frame
def test_pages_and_lines_give_the_same_frame(frame: Frame, client: Client, lines):
    pages, since = [], 1
    while since:
        pages.append(client.ledger(since, 500))
        since = pages[-1]["next"]
    assert len(pages) > 1
    pd.testing.assert_frame_equal(frame(pages), frame(lines, world="simulated"))


@each_frame
def test_a_frame_of_the_ledger_needs_no_rows_but_a_world(frame: Frame, lines, client: Client):
    """A single page needs no list. A line does not state its world, and a simulated number must keep its mark."""
    no_rows, table = frame([]), frame(lines, world="simulated")
    assert len(table) > 0 == len(no_rows)
    assert list(no_rows.index.names) == list(table.index.names)
    assert no_rows.reset_index().dtypes.to_dict() == table.reset_index().dtypes.to_dict()
    assert set(table["world"]) == {"simulated"}
    assert table["backfilled"].any()
    page = client.ledger(first_seq=990, limit=500)
    assert len(frame(page)) > 0 or frame is frames.resolved_votes
    pd.testing.assert_frame_equal(frame(page), frame([page]))
    with pytest.raises(ValueError, match="ledger_head"):
        frame(lines)


def test_resolved_votes_are_the_scored_votes(lines, documents):
    """With their squared errors, which average to the scores of the service; corrected rows are left out."""
    votes = frames.resolved_votes(lines, world="simulated")
    scores = frames.scoreboard(documents["ai_vs_market"]).xs(True, level="backfilled").query("kind == 'seat'")
    by_voter = votes[votes["category"] != "challenge"].groupby("voter")["brier"].agg(["mean", "size"])
    for voter in scores.index:
        assert by_voter.loc[voter, "mean"] == pytest.approx(scores.loc[voter, "brier"], abs=1e-5)
    first = of_kind(lines, "resolution")[0]
    less = frames.resolved_votes([*lines, {**correction(first["seq"], first["subject"]), "type": "row"}], "simulated")
    assert set(votes.index.get_level_values("id")) - set(less.index.get_level_values("id")) <= {first["subject"]}


def test_a_row_that_a_later_row_corrects_is_marked(client: Client, documents):
    """Every signed root is a row."""
    page = client.ledger(kind="resolution", limit=3)
    entry = page["entries"][1]
    page["entries"].append(correction(entry["seq"], entry["subject"]))
    assert list(frames.ledger_outcomes([page])["corrected"]) == [False, True, False]
    document = documents["ledger_roots"]
    roots = frames.ledger_roots(document).reset_index()
    assert other_cells(roots, document["roots"], {}, {"world": document["world"]}) == []
    assert len(roots) > 0
