"""Challenges."""

from __future__ import annotations

import pytest

from bot import messages
from tests.bot import documents, examples
from tests.bot.messages.reading import text_of


def test_each_step_says_what_to_send():
    assert messages.ask_question() == "What should the AIs answer? Send one yes/no question, or /cancel."
    assert messages.ask_deadline("Will it?").endswith(
        "Which deadline? Send a date such as 2026-12-31, 31 December or next Friday."
    )
    created = documents.challenge(number=17, deadline="2026-12-31T23:59:59Z")
    assert "Challenge 17 is open until 2026-12-31." in text_of(messages.created(created))


def test_a_challenge_without_votes_says_that_ais_vote():
    pending = documents.challenge(ai_votes={}, apex=None, ai=None, votes_pending=True, status="open")
    assert "the AIs are voting" in text_of(messages.challenge(pending))


@pytest.mark.parametrize(("outcome", "right"), [("yes", "✓ voter0"), ("no", "✗ voter0")])
def test_the_author_sees_the_outcome_and_each_ai(outcome, right):
    over = documents.challenge(status="resolved")
    over["ai_votes"]["voter0"]["p_yes"] = 0.9
    over["resolution"] |= {"outcome": outcome, "evidence": "btc close 52113.92 of the bar of 2026-11-22T23:55:00Z"}
    shown = text_of(messages.resolved(over))
    assert f"is resolved: {outcome.upper()}" in shown
    assert right in shown
    assert "2026-11-22 23:55 UTC" in shown


def test_a_void_challenge_scores_no_vote():
    over = documents.challenge(status="void")
    over["resolution"] |= {"outcome": "void"}
    shown = text_of(messages.resolved(over))
    assert "VOID" in shown
    assert "✓" not in shown
    assert "✗" not in shown


def test_no_open_challenge_is_stated():
    assert "No challenge is open" in text_of(messages.challenges(examples.CHALLENGES | {"challenges": [], "count": 0}))


@pytest.mark.parametrize(("p_yes", "shown"), [(0.436, "AI: yes 44% ·"), (0.002, "AI: yes under 1% ·")])
def test_a_listed_challenge_states_the_probability_of_yes(p_yes, shown):
    challenge = documents.challenge()
    challenge["ai"]["p_yes"] = p_yes
    assert shown in text_of(messages.challenges(examples.CHALLENGES | {"challenges": [challenge]}))
