"""The history of the streaks agrees with the streaks that are published beside it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.counted import count_once, counted_questions
from service.forecasting.predictions.scores.streak_history import StreakHistory
from service.forecasting.predictions.scores.streaks import streaks_document
from service.forecasting.voters.ballots import EMBEDDED
from service.market.instants import iso
from service.scores.luck import simulated_records
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import HEADER, days, many, settled, waiting


def questions(markets) -> list[dict]:
    history = StreakHistory(counted_questions(columns_of(markets)))
    return [history.question_at(place) for place in range(len(history.times))]


def series(*votes):
    """Daily questions one after the other, each with the pool's P(YES) and its outcome."""
    return [
        settled(f"day-{day}", outcome, p=p, votes={"momentum": p}, opened=days(day))
        for day, (p, outcome) in enumerate(votes)
    ]


def test_runs_end_where_the_streaks_stand():
    """The last run of each engine is its current streak, the longest its best one, in both books."""
    markets = many(150, 1)
    runs = defaultdict(list)
    for question in questions(markets):
        for voter, answer in question["answers"].items():
            runs[voter, answer["engine"], question["backfilled"]].append((answer["streak"], answer["right"]))
    rows = streaks_document(counted_questions(columns_of(markets)), HEADER, simulated_records(1)).streaks
    for row in rows:
        answers = runs[row.oracle, row.engine, row.backfilled]
        sided = [(streak, right) for streak, right in answers if right is not None]
        assert (row.current, row.best) == (sided[-1][0], max(streak for streak, _ in sided))
        assert (row.n, row.correct) == (len(sided), sum(right for _, right in sided))
    assert len(rows) > 10


def test_a_neutral_vote_leaves_the_run_as_it_is():
    answers = [
        question["answers"]["momentum"] for question in questions(series((0.7, "yes"), (0.51, "no"), (0.9, "no")))
    ]
    assert [(answer["right"], answer["streak"]) for answer in answers] == [(True, 1), (None, 1), (False, 0)]


def test_another_engine_begins_another_run():
    first, second = series((0.7, "yes"), (0.8, "yes"))
    votes = (committed_vote("momentum", 0.8, engine="openai:a-model"),)
    changed = replace(second, commitment=replace(second.commitment, votes=votes))
    answers = [question["answers"]["momentum"] for question in questions([first, changed])]
    assert [(answer["engine"], answer["streak"]) for answer in answers] == [(EMBEDDED, 1), ("openai:a-model", 1)]


def test_questions_are_those_that_count():
    """Unsettled and void ones are none, nor is one beside an unsettled one of its kind."""
    markets = [*many(60), waiting("open"), settled("void", "void", asset="xrp", opened=days(300))]
    counted = [market for market in count_once(columns_of(markets)).market if market.is_scored]
    shown = questions(markets)
    assert [question["market"] for question in shown] == [market.id for market in counted]
    times = StreakHistory(counted_questions(columns_of(markets))).times
    assert [question["resolved_at"] for question in shown] == [iso(at) for at in times]
    assert times == sorted(times)
