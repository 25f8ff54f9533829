"""Runs of right answers: what extends them, what ends them, and their length by luck."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions.resolution import Outcome
from service.forecasting.predictions.scores.columns import columns_of, counted_questions
from service.forecasting.predictions.scores.streaks import runs, streaks_document
from service.forecasting.voters.ballots import EMBEDDED
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import HEADER, days, many, settled, versus


def document(markets):
    return streaks_document(counted_questions(columns_of(markets)), HEADER)


def pool(markets, backfilled=False):
    """The row of the consensus."""
    rows = document(markets).streaks
    (row,) = [row for row in rows if (row.voter, row.backfilled) == ("consensus", backfilled)]
    return row


def series(*votes: tuple[float, Outcome]):
    """Daily questions one after the other, each with the pool's P(YES) and its outcome."""
    return [
        settled(f"day-{day:03}", outcome, p=p, votes={"momentum": p}, opened=days(day))
        for day, (p, outcome) in enumerate(votes)
    ]


def test_a_right_answer_extends_a_run_and_a_wrong_one_ends_it():
    """Right, right, wrong, right: 1 now, 2 at best."""
    line = pool(series((0.7, "yes"), (0.2, "no"), (0.7, "no"), (0.9, "yes")))
    assert (line.current, line.best, line.correct, line.n, line.resolved) == (1, 2, 3, 4, 4)
    assert pool([settled(p=0.8, comparator="touch_below", polarity="bear")]).correct == 1, "a bearish yes that happened"
    assert pool([settled(comparator="open")]).resolved == 0, "a question without an event is never counted"


def test_neutral_votes_and_void_questions_change_no_run():
    """.529 is 52.9% bullish, which is published as NEUTRAL; .47 is 53% bearish, a side. A void one holds its place."""
    line = pool(series((0.7, "yes"), (0.529, "no"), (0.47, "no")))
    assert (line.current, line.n, line.resolved) == (2, 2, 3)
    line = pool(series((0.7, "yes"), (0.7, "void"), (0.7, "yes")))
    assert (line.current, line.best, line.n, line.resolved) == (2, 2, 2, 2)
    void = settled("void", "void", resolved=days(2))
    assert pool([void, settled("next", opened=days(1))]).resolved == 0


def test_questions_count_in_the_order_in_which_they_resolved():
    """The one opened first resolves last, and it was wrong."""
    rows = [
        settled("long", "no", p=0.8, hours=144, asset="eth"),
        settled("first", "yes", p=0.8),
        settled("second", "yes", p=0.8, opened=days(1)),
    ]
    assert (pool(rows).current, pool(rows).best, pool(rows).last_resolved_at) == (0, 2, "2025-11-30T00:00:00Z")


@given(st.lists(st.booleans(), max_size=40))
def test_runs_are_the_pieces_between_wrong_answers(right):
    pieces = "".join("R" if is_right else " " for is_right in right).split(" ")
    assert runs(np.array(right, dtype=bool)) == (len(pieces[-1]), max(map(len, pieces)))


def test_live_streaks_come_first_the_longest_current_one_on_top():
    live = [
        settled(f"live-{day}", "yes", p=0.6, votes={"vol": 0.9, "trend": 0.1}, opened=days(day)) for day in range(2)
    ]
    past = [settled(f"past-{day}", p=0.9, votes={"vol": 0.9}, opened=days(day), backfilled=True) for day in range(9)]
    page = document([*past, *live])
    of_live = [(1, "consensus", False, 2), (1, "vol", False, 2), (3, "trend", False, 0)]
    of_past = [(1, "consensus", True, 9), (1, "vol", True, 9)]
    assert [(row.rank, row.voter, row.backfilled, row.current) for row in page.streaks] == of_live + of_past
    assert page.count == 5


def test_equal_streaks_share_a_rank_and_the_best_breaks_a_tie():
    """All three run for one; only trend had a run of two before, so the others share the second place."""
    votes = [(0.9, 0.9), (0.1, 0.9), (0.1, 0.1), (0.9, 0.9)]
    rows = [
        settled(f"m{day}", p=0.5, votes={"vol": p, "garch": p, "trend": of_trend}, opened=days(day))
        for day, (p, of_trend) in enumerate(votes)
    ]
    ranks = {row.voter: (row.rank, row.current, row.best) for row in document(rows).streaks}
    assert ranks == {"trend": (1, 1, 2), "vol": (2, 1, 1), "garch": (2, 1, 1), "consensus": (None, 0, 0)}


def test_the_live_consensus_is_listed_from_the_start():
    """A voter that never took a side is left out; swarm is none of the nine. There is no NaN."""
    (line,) = document([]).streaks
    assert (line.voter, line.engine, line.backfilled, line.n) == ("consensus", "pool", False, 0)
    assert (line.accuracy_pct, line.accuracy_low_pct, line.last_resolved_at) == (None, None, None)
    assert (line.rank, line.luck, line.always_no_pct) == (None, None, None)
    page = document([settled(votes={"vol": 0.5, "swarm": 0.9, "trend": 0.6})])
    assert [row.voter for row in page.streaks] == ["consensus", "trend"]
    body = json.loads(json.dumps(asdict(document(many(60))), allow_nan=False))
    assert (body["schema"], body["world"]) == ("streaks/1", "simulated")
    assert len(body["streaks"]) == body["count"] == 20


def test_each_engine_of_a_voter_has_a_streak_of_its_own():
    rows = series((0.7, "yes"), (0.7, "yes"))
    (vote,) = rows[1].commitment.votes
    other = committed_vote(vote.voter, vote.p, engine="openai:some-model")
    markets = [rows[0], replace(rows[1], commitment=replace(rows[1].commitment, votes=(other,)))]
    streaks = {row.engine: row.current for row in document(markets).streaks if row.voter == "momentum"}
    assert streaks == {EMBEDDED: 1, "openai:some-model": 1}


def test_the_same_questions_have_the_same_n_eff_everywhere():
    """Streaks and the comparison with the market score the same daily questions; streaks are a table of voters."""
    rows = series(*[(0.7 if day % 3 else 0.2, "yes" if day % 4 else "no") for day in range(90)])
    line, scores = pool(rows), versus(rows).books[0].ai
    assert (line.n, line.n_eff, line.accuracy_pct) == (scores.accuracy_n, scores.accuracy_n_eff, scores.accuracy_pct)
    assert line.accuracy_low_pct < scores.accuracy_low_pct < scores.accuracy_high_pct < line.accuracy_high_pct
    assert (line.likelier_side_pct, line.always_no_pct) == (scores.likelier_side_pct, scores.always_no_pct)


def test_luck_is_that_of_the_rows_own_probabilities():
    """Three right answers in a row of 90%: .9^3 = 72.9% of records reach that, and one of two 92.7%; of 55% 30.5%."""
    sure, unsure = (pool(series(*[(p, "yes")] * 3)).luck for p in (0.9, 0.55))
    assert sure.best_reached_pct == sure.accuracy_reached_pct == pytest.approx(92.7, abs=4)
    assert unsure.best_reached_pct == pytest.approx(30.5, abs=7)
    assert sure.among == 2, "the voter and the pool"
