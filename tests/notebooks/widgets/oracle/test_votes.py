"""The inquiry built from a stream, and the answer in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from notebooks.widgets.oracle.votes import count, extended, facts, opened, price_range, rows, verdict


def inquiry(direction: str, **votes: float) -> dict[str, Any]:
    """An answer with a P(YES) of 0.4 and a vote per voter."""
    return {
        "voters": list(votes),
        "votes": {voter: {"p_yes": p, "direction": "BULLISH", "weight": 1.0} for voter, p in votes.items()},
        "abstained": {},
        "p_yes": 0.4,
        "answer": "About as likely as not: 40%",
        "understood": {"comparator": "close_above"},
        "consensus": {"direction": direction, "bull_probability": 57.5, "pivotal": ["b"]},
    }


@pytest.mark.parametrize(
    ("direction", "comparator", "view"),
    [
        ("NEUTRAL", "close_above", " · a rise and a fall of the price are equally likely"),
        ("NEUTRAL", "up", ""),
        ("BULLISH", "close_above", " · bullish on the price, P(higher) 57.5%"),
        ("BULLISH", "topic", ""),
        ("BULLISH", "relative", ""),
    ],
)
def test_the_answer_and_the_view_are_apart(direction, comparator, view):
    """A vote of exactly 50% is not above it; nothing is said twice, nor of a price where none is asked for."""
    answer = inquiry(direction, a=0.7, b=0.2, c=0.5, d=0.1)
    answer["understood"]["comparator"] = comparator
    assert verdict(answer) == f"About as likely as not: 40% · 1 of 4 votes above 50%{view}"


def test_a_pivotal_voter_is_marked_in_its_row():
    assert [row.voter for row in rows(inquiry("BULLISH", a=0.7, b=0.2)) if row.is_pivotal] == ["b"]


def test_events_extend_the_inquiry():
    """An event of an unknown kind changes nothing."""
    question = {"event": "question", "voters": ["a", "b"], "understood": {"comparator": "open"}}
    start = opened(question)
    after_vote = extended(start, {"event": "vote", "voter": "a", "vote": {"p_yes": 0.6}})
    after_both = extended(after_vote, {"event": "abstention", "voter": "b", "reason": "no data"})
    assert (count(start), count(after_vote), count(after_both)) == ((0, 2), (1, 2), (2, 2))
    assert extended(after_both, {"event": "heartbeat"}) == after_both
    assert start["votes"] == {}


def test_a_voter_without_a_vote_is_pending():
    start = opened({"event": "question", "voters": ["a"]})
    assert "<td>pending</td>" in facts(start, "a")


def test_a_price_question_shows_between_which_prices():
    answer = inquiry("NEUTRAL", a=0.5)
    assert price_range(answer | {"price_forecast": None}) is None
    quantiles = {"5": 75_000.0, "25": 81_200.0, "75": 86_900.0, "95": 93_100.4}
    text = price_range(answer | {"price_forecast": {"quantiles": quantiles}})
    assert text == "price at the deadline: 50% between 81,200 and 86,900; 90% between 75,000 and 93,100.4"
