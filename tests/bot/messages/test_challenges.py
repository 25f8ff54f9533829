"""Challenges."""

from __future__ import annotations

import pytest

from bot import messages
from tests.bot import documents
from tests.bot.messages.reading import text_of


def test_a_challenge_without_votes_says_that_ais_vote():
    pending = documents.challenge(ai_votes={}, apex=None, ai=None, votes_pending=True, status="open")
    assert "the AIs are voting" in text_of(messages.predictions.one_market(pending))


@pytest.mark.parametrize(("outcome", "right"), [("yes", "✓ voter0"), ("no", "✗ voter0")])
def test_the_author_sees_the_outcome_and_each_ai(outcome, right):
    over = documents.challenge(status="resolved")
    over["ai_votes"]["voter0"]["p_yes"] = 0.9
    over["resolution"] |= {"outcome": outcome, "evidence": "btc close 52113.92 of the bar of 2026-11-22T23:55:00Z"}
    text = text_of(messages.predictions.resolved(over))
    assert f"Resolved: {outcome.upper()}" in text
    assert right in text
    assert "2026-11-22 23:55 UTC" in text


def test_a_void_challenge_scores_no_vote():
    over = documents.challenge(status="void")
    over["resolution"] |= {"outcome": "void"}
    text = text_of(messages.predictions.resolved(over))
    assert "VOID" in text
    assert "✓" not in text
    assert "✗" not in text


def test_no_open_challenge_is_stated():
    assert "No challenge is open" in text_of(
        messages.predictions.challenges(documents.CHALLENGES | {"challenges": [], "count": 0})
    )


@pytest.mark.parametrize(("p_yes", "words"), [(0.436, "Yes: AI 44% ·"), (0.002, "Yes: AI under 1% ·")])
def test_a_listed_challenge_states_the_probability_of_yes(p_yes, words):
    challenge = documents.challenge()
    challenge["ai"]["p_yes"] = p_yes
    assert words in text_of(messages.predictions.challenges(documents.CHALLENGES | {"challenges": [challenge]}))
